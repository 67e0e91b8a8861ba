import type { RehearsalFacts } from '../../../../server/src/domains/rehearsal/rehearsal.ts';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { durationInWords, exactDay } from '../../ui/format.ts';

/** What a rehearsal saw of certificates, records and addresses. */
export function FactsCard({ facts }: { readonly facts: RehearsalFacts }) {
  const { certificate, replaced, oldAddresses, ourAddresses, hsts } = facts;
  return (
    <Card title="What was looked at">
      <Facts
        rows={[
          {
            term: 'Certificate',
            value: certificate
              ? `By ${certificate.issuer}, valid until ${exactDay(certificate.notAfter)}.`
              : 'None yet.',
          },
          {
            term: 'Old record',
            value: replaced ? (
              <code className="font-mono text-[0.8125rem] wrap-anywhere">
                {replaced.name} {replaced.type} {replaced.value}
              </code>
            ) : (
              'None: the name leads nowhere now.'
            ),
          },
          ...(replaced
            ? [
                {
                  term: 'Change',
                  value: `Everyone sees the new record within ${durationInWords(replaced.ttl)} of the change (the TTL of the old one).`,
                },
              ]
            : []),
          { term: 'Old host', value: <Addresses all={oldAddresses} /> },
          { term: 'This host', value: <Addresses all={ourAddresses} /> },
          {
            term: 'HSTS',
            value: hsts
              ? `The old host sets it until ${exactDay(hsts.until)}${hsts.includesSubdomains ? ', with subdomains' : ''}${hsts.isPreload ? ', and asks for preloading' : ''}.`
              : 'The old host does not set it.',
          },
        ]}
      />
    </Card>
  );
}

function Addresses({ all }: { readonly all: readonly string[] }) {
  if (all.length === 0) return 'No address.';
  const hasV6 = all.some((address) => address.includes(':'));
  return (
    <>
      <code className="font-mono text-[0.8125rem] wrap-anywhere">{all.join(', ')}</code>
      <span className="text-muted">{hasV6 ? ' · with IPv6' : ' · without IPv6'}</span>
    </>
  );
}
