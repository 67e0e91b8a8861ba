import type { ZoneCheck } from '../../../server/src/zone/zone.ts';
import { Facts } from '../ui/facts.tsx';
import { CircleAlert, CircleCheck, Clock, TriangleAlert } from '../ui/icons.tsx';
import { Outcome, type OutcomeKind } from '../ui/outcome.tsx';

const KINDS: Record<ZoneCheck['code'], OutcomeKind> = {
  delegated: { icon: CircleCheck, look: 'positive', title: 'The zone is delegated' },
  not_delegated: { icon: Clock, look: 'warning', title: 'Not delegated yet' },
  wrong_delegation: { icon: CircleAlert, look: 'negative', title: 'Delegated elsewhere' },
  address_missing: { icon: Clock, look: 'warning', title: 'An address record is missing' },
  wrong_address: { icon: CircleAlert, look: 'negative', title: 'One address too many' },
  unreachable: { icon: CircleAlert, look: 'negative', title: 'Out of reach' },
  not_resolved: { icon: Clock, look: 'warning', title: 'Not found yet' },
  dns_error: { icon: TriangleAlert, look: 'warning', title: 'The DNS could not be checked' },
};

const ANSWERED = { yes: 'answers', no: 'no answer', other: 'another program answers' } as const;

/** What a check of the delegation found, and what to do. */
export function DelegationView({ check }: { readonly check: ZoneCheck }) {
  return (
    <div className="grid gap-4">
      <Outcome kind={KINDS[check.code]}>{check.message}</Outcome>
      <Facts
        rows={[
          ...(check.remedy === ''
            ? []
            : [
                {
                  term: 'What to do',
                  value: <p className="max-w-prose font-medium">{check.remedy}</p>,
                },
              ]),
          ...check.addresses.map(({ address, udp, tcp }) => ({
            term: address,
            value: `UDP: ${ANSWERED[udp]} · TCP: ${ANSWERED[tcp]}`,
          })),
        ]}
      />
    </div>
  );
}
