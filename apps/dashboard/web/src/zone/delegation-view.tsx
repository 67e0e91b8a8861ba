import type { ZoneCheck } from '../../../server/src/zone/zone.ts';
import { cx } from '../ui/class-names.ts';
import { Facts } from '../ui/facts.tsx';
import {
  CircleAlert,
  CircleCheck,
  Clock,
  type IconComponent,
  TriangleAlert,
} from '../ui/icons.tsx';

const POSITIVE = 'bg-positive-soft text-positive';
const WARNING = 'bg-warning-soft text-warning';
const NEGATIVE = 'bg-negative-soft text-negative';

interface Kind {
  readonly icon: IconComponent;
  readonly look: string;
  readonly title: string;
}

const KINDS: Record<ZoneCheck['code'], Kind> = {
  delegated: { icon: CircleCheck, look: POSITIVE, title: 'The zone is delegated' },
  not_delegated: { icon: Clock, look: WARNING, title: 'Not delegated yet' },
  wrong_delegation: { icon: CircleAlert, look: NEGATIVE, title: 'Delegated elsewhere' },
  address_missing: { icon: Clock, look: WARNING, title: 'An address record is missing' },
  wrong_address: { icon: CircleAlert, look: NEGATIVE, title: 'One address too many' },
  unreachable: { icon: CircleAlert, look: NEGATIVE, title: 'Out of reach' },
  not_resolved: { icon: Clock, look: WARNING, title: 'Not found yet' },
  dns_error: { icon: TriangleAlert, look: WARNING, title: 'The DNS could not be checked' },
};

const ANSWERED = { yes: 'answers', no: 'no answer', other: 'another program answers' } as const;

/** What a check of the delegation found, and what to do. */
export function DelegationView({ check }: { readonly check: ZoneCheck }) {
  const { icon: Icon, look, title } = KINDS[check.code];
  return (
    <div className="grid gap-4">
      <div role="status" className="flex items-start gap-3">
        <span className={cx('grid size-8 shrink-0 place-items-center rounded-full', look)}>
          <Icon className="size-4.5" />
        </span>
        <div className="min-w-0 self-center">
          <p className="font-semibold">{title}</p>
          <p className="wrap-anywhere">{check.message}</p>
        </div>
      </div>
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
