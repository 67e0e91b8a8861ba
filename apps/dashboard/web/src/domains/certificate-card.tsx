import type { Certificate, DomainEvent, Issuance } from '../../../server/src/domains/domain.ts';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { Facts } from '../ui/facts.tsx';
import { clockTime, exactDay } from '../ui/format.ts';
import { Steps } from '../ui/steps.tsx';
import { Ago, Clock, Time, Until } from '../ui/time.tsx';
import { WithCode } from '../ui/with-code.tsx';
import {
  type CertificateStep,
  isGivenUp,
  isWaiting,
  stepsDone,
  stepsUnderWay,
} from './certificate-steps.ts';
import type { ShownDomain } from './shown-domain.ts';
import { type Verify, VerifyButton } from './verify.tsx';

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
        {issuance && issuance.tried.length > 0 && <OtherAuthorities issuance={issuance} />}
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

interface IssuanceViewProps {
  readonly issuance: Issuance;
  readonly verify: Verify | undefined;
}

/** Why a certificate takes longer: the authority's problem, the remaining attempts, and what helps. */
function IssuanceView({ issuance, verify }: IssuanceViewProps) {
  const { problem, isOverdue, isStaging } = issuance;
  return (
    <>
      {isOverdue && <Overdue verify={verify} />}
      {problem && <Refused problem={problem} isFinal={isGivenUp(issuance)} />}
      {isStaging && (
        <p className="text-muted">
          After the failure the dashboard first tries the authority’s staging directory, where
          failures do not count. A certificate from there is not served.
        </p>
      )}
      {problem && <Budget issuance={issuance} />}
    </>
  );
}

/** Where there are several authorities: which one is asked, and why no other one is. */
function OtherAuthorities({ issuance }: { readonly issuance: Issuance }) {
  const { authority, tried } = issuance;
  return (
    <div className="grid gap-1.5">
      <p>
        {isWaiting(issuance) || isGivenUp(issuance) ? 'Next in turn: ' : 'Asked now: '}
        <span className="font-medium">{authority}</span>, in place of:
      </p>
      <ul className="grid gap-1.5 border-l-2 border-line pl-3">
        {tried.map(({ authority: name, problem, nextAt }) => (
          <li key={name} className="wrap-anywhere">
            <span className="font-medium">{name}</span>: <WithCode>{problem.explanation}</WithCode>{' '}
            <span className="text-muted">
              “{problem.detail}” ({problem.type}).{' '}
              {nextAt === null ? (
                'Asked again after the next DNS check that is right.'
              ) : (
                <>
                  Not asked before <Clock at={nextAt} />.
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Overdue({ verify }: { readonly verify: Verify | undefined }) {
  return (
    <Alert tone="warning">
      <p className="font-medium">30 minutes have gone by without a certificate.</p>
      <p>
        Check the DNS again: a CAA record of the name, or of a domain above it, may forbid the
        authority to issue. The check finds such a record and names the line to add.
      </p>
      {verify && (
        <div className="mt-2.5">
          <VerifyButton verify={verify} label="Verify again" variant="secondary" />
        </div>
      )}
    </Alert>
  );
}

function Refused({
  problem: { explanation, detail, type, at },
  isFinal,
}: {
  readonly problem: NonNullable<Issuance['problem']>;
  readonly isFinal: boolean;
}) {
  return (
    <Alert tone="negative">
      <p className="font-medium">
        <WithCode>{explanation}</WithCode>
      </p>
      <p className="mt-1 text-[0.8125rem] wrap-anywhere">
        The certificate authority said <Ago at={at} />: “{detail}” ({type})
      </p>
      {isFinal && (
        <p className="mt-1">
          The dashboard does not try again by itself. Once you have fixed this, press Verify to
          start over.
        </p>
      )}
    </Alert>
  );
}

/** Authorities lock out names that fail too often. This is the remaining number of failures. */
function Budget({ issuance }: { readonly issuance: Issuance }) {
  const { budget, nextAttemptAt, problem } = issuance;
  if (problem?.type === 'rateLimited') {
    // The authority's own limit is reached, whatever is left of the one here.
    return nextAttemptAt === null ? null : (
      <p>
        The certificate authority takes no more requests for now. <NextAttempt at={nextAttemptAt} />
      </p>
    );
  }
  return (
    <p>
      {budget.left} of {budget.limit} tries left this hour; the next one is safe{' '}
      {Date.parse(budget.nextSafeAt) <= Date.now() ? (
        'now'
      ) : (
        <>
          at <Clock at={budget.nextSafeAt} />
        </>
      )}
      .
      {isWaiting(issuance) && nextAttemptAt !== null && (
        <>
          {' '}
          <NextAttempt at={nextAttemptAt} />
        </>
      )}
    </p>
  );
}

function NextAttempt({ at }: { readonly at: string }) {
  return (
    <>
      The dashboard tries again at <Clock at={at} /> (<Until at={at} />
      ).
    </>
  );
}
