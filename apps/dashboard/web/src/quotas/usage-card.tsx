import type { QuotaUse } from '../../../server/src/quotas/quota-use.ts';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/class-names.ts';
import { QueryView, type QueryViewProps } from '../ui/query-view.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { QUOTA_WORDS } from './quota-words.ts';
import { UsageBar } from './usage-bar.tsx';

interface UsageCardProps {
  readonly title: string;
  readonly description: string;
  readonly query: QueryViewProps<readonly QuotaUse[]>['query'];
}

/** What is used of all that can be bounded, with a bar for each bound. */
export function UsageCard({ title, description, query }: UsageCardProps) {
  return (
    <Card title={title} description={description}>
      <QueryView query={query} skeleton={<Skeleton className="h-12" />}>
        {(uses) => (
          <ul
            className={cx(
              'grid gap-x-8 gap-y-4',
              uses.length === 2 ? 'sm:grid-cols-2' : 'sm:grid-cols-3',
            )}
          >
            {uses.map((use) => (
              <li key={use.quota}>
                <p className="text-[0.8125rem] text-muted">{QUOTA_WORDS[use.quota].label}</p>
                <UsageBar use={use} />
              </li>
            ))}
          </ul>
        )}
      </QueryView>
    </Card>
  );
}
