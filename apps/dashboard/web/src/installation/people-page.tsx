import { useInfiniteQuery } from '@tanstack/react-query';
import { peopleQuery } from '../queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { ListView, LoadMore } from '../ui/list-view.tsx';
import { Page } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';

/** Every account of the installation, for its owner. */
export function PeoplePage() {
  const query = useInfiniteQuery(peopleQuery(''));
  return (
    <Page title="People" description="Everyone who has an account here.">
      <Card flush>
        <ListView query={query}>
          {({ id, name, email, disabledAt, lastSeenAt }) => (
            <li key={id} className="flex items-center gap-3 px-4 py-3 sm:px-5">
              <div className="min-w-0 flex-1">
                <p className="truncate font-medium">{name}</p>
                <p className="truncate text-[0.8125rem] text-muted">{email}</p>
              </div>
              {disabledAt !== null && <Badge tone="warning">Disabled</Badge>}
              <span className="text-[0.8125rem] text-muted">
                {lastSeenAt === null ? 'Not seen yet' : <Ago at={lastSeenAt} />}
              </span>
            </li>
          )}
        </ListView>
        <LoadMore query={query}>Show more people</LoadMore>
      </Card>
    </Page>
  );
}
