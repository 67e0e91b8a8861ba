import { useQuery } from '@tanstack/react-query';
import type { QuotaDefault } from '../../../server/src/quotas/quota-use.ts';
import { quotaDefaultsQuery } from '../queries/quotas.ts';
import { QuotaCell } from '../quotas/quota-cell.tsx';
import { mostText, QUOTA_WORDS } from '../quotas/quota-words.ts';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/class-names.ts';
import { QueryView } from '../ui/query-view.tsx';

/** What is set for everybody, and for plans. */
export function QuotaDefaultsCard() {
  const query = useQuery(quotaDefaultsQuery);
  return (
    <Card
      title="For everybody and for plans"
      description="A plan goes before everybody, and a single account or project before its plan. The plan of an account is the highest of the projects that it owns."
      flush
    >
      <QueryView query={query}>
        {(defaults) => (
          <ul className="divide-y divide-line">
            {[...Map.groupBy(defaults, ({ quota }) => quota).values()].map((row) => (
              <DefaultsRow key={row[0]?.quota} row={row} />
            ))}
          </ul>
        )}
      </QueryView>
    </Card>
  );
}

function DefaultsRow({ row }: { readonly row: readonly QuotaDefault[] }) {
  const [first] = row;
  if (!first) return null;
  const { label, hint } = QUOTA_WORDS[first.quota];
  return (
    <li className="grid gap-x-6 gap-y-3 px-4 py-4 sm:px-5 lg:grid-cols-[11rem_minmax(0,1fr)]">
      <div>
        <h3 className="font-medium">{label}</h3>
        <p className="text-[0.8125rem] text-muted">{hint}</p>
      </div>
      <div className="grid grid-cols-2 gap-x-4 gap-y-3 md:grid-cols-4">
        {row.map((each) => {
          const whom = each.plan ?? 'everybody';
          return (
            <QuotaCell
              key={each.target}
              {...each}
              label={<span className="capitalize">{whom}</span>}
              name={`${label} of ${whom === 'everybody' ? whom : capitalized(whom)}`}
            >
              <p className={cx('tabular-nums', each.isSet ? 'font-medium' : 'text-muted')}>
                {defaultText(each)}
              </p>
            </QuotaCell>
          );
        })}
      </div>
    </li>
  );
}

/** Where nothing is set for everybody, each plan has its own number of domains. */
function defaultText({ quota, plan, unit, isSet, most }: QuotaDefault): string {
  if (quota === 'domains' && plan === null && !isSet) return 'The plan decides';
  return mostText(unit, most);
}

const capitalized = (plan: string) => plan.charAt(0).toUpperCase() + plan.slice(1);
