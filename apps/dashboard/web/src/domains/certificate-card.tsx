import type { Certificate, DomainEvent } from '../../../server/src/domains/domain.ts';
import { Card } from '../ui/card.tsx';
import { Facts } from '../ui/facts.tsx';
import { clockTime, exactDay } from '../ui/format.ts';
import { Steps } from '../ui/steps.tsx';
import { Ago, Clock, Time } from '../ui/time.tsx';
import { type CertificateStep, stepsDone, stepsUnderWay } from './certificate-steps.ts';
import { IssuanceView } from './issuance-view.tsx';
import type { ShownDomain } from './shown-domain.ts';
import type { Verify } from './verify.tsx';

interface CertificateCardProps {
  readonly domain: ShownDomain;
  /** The newest first; empty where the reader may not see them. */
  readonly events: readonly DomainEvent[];
  readonly verify: Verify | undefined;
}

/** The steps of a new certificate are shown for this long; after that they are history. */
const STEPS_SHOWN_MS = 24 * 60 * 60 * 1_000;

/** The certificate, or its progress, or why there is none. */
export function CertificateCard({ domain, events, verify }: CertificateCardProps) {
  const { state, certificate, issuance } = domain;
  const isFresh =
    certificate !== null && Date.now() - Date.parse(certificate.issuedAt) < STEPS_SHOWN_MS;
  const steps = issuance
    ? stepsUnderWay(issuance, events)
    : isFresh
      ? stepsDone(certificate, events)
      : [];
  return (
    <Card title="Certificate">
      <div className="grid gap-4">
        {!certificate && !issuance && (
          <p className="text-muted">
            {state === 'unverified'
              ? 'Once the DNS check passes, a certificate is issued by itself, usually within two minutes. There is nothing to do for it here.'
              : 'A certificate is about to be requested.'}
          </p>
        )}
        {certificate && <CertificateFacts certificate={certificate} />}
        {issuance?.kind === 'renewal' && (
          <p className="font-medium">
            It is being renewed; until then the one above goes on being used.
          </p>
        )}
        {steps.length > 0 && (
          <Steps
            label="Steps of the certificate"
            columns={5}
            steps={steps.map((step) => ({ ...step, note: <Note step={step} /> }))}
          />
        )}
        {issuance && <IssuanceView issuance={issuance} verify={verify} />}
      </div>
    </Card>
  );
}

function Note({ step: { status, at } }: { readonly step: CertificateStep }) {
  if (status === 'ahead') return 'Not yet';
  if (status === 'waiting' && at !== undefined) {
    return (
      <>
        Next: <Clock at={at} />
      </>
    );
  }
  if (status === 'failed') return 'Not tried again';
  if (at === undefined) return status === 'running' ? 'Under way' : 'Done';
  return (
    <Time at={at} className="tabular-nums">
      {clockTime(at)}
    </Time>
  );
}

function CertificateFacts({ certificate }: { readonly certificate: Certificate }) {
  const { issuer, serial, notBefore, notAfter, renewAt } = certificate;
  return (
    <Facts
      rows={[
        { term: 'Issuer', value: issuer },
        { term: 'Valid from', value: <Day at={notBefore} /> },
        { term: 'Valid until', value: <Day at={notAfter} /> },
        {
          term: 'Renews',
          value: (
            <>
              <Day at={renewAt} />, by itself
            </>
          ),
        },
        {
          term: 'Serial',
          value: <code className="font-mono text-[0.8125rem] wrap-anywhere">{serial}</code>,
        },
      ]}
    />
  );
}

function Day({ at }: { readonly at: string }) {
  return (
    <>
      <Time at={at}>{exactDay(at)}</Time>{' '}
      <span className="text-muted">
        (<Ago at={at} />)
      </span>
    </>
  );
}
