import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { deploysQuery } from '../queries.ts';
import { buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { Rocket } from '../ui/icons.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { DeployRow } from './deploy-row.tsx';

const SHOWN = 5;

export function LastDeploys({ slug }: { readonly slug: string }) {
  const query = useInfiniteQuery(deploysQuery(slug));
  return (
    <Card
      title="Last deploys"
      flush
      actions={
        <Link
          to="/projects/$slug/deploys"
          params={{ slug }}
          className={buttonClass('ghost', 'small', '-my-1')}
        >
          All deploys
        </Link>
      }
    >
      <QueryView query={query}>
        {({ pages }) => {
          const deploys = pages.flatMap(({ items }) => items).slice(0, SHOWN);
          return deploys.length === 0 ? (
            <Empty icon={Rocket} title="No deploys yet" />
          ) : (
            <ul className="divide-y divide-line">
              {deploys.map((deploy) => (
                <DeployRow key={deploy.id} slug={slug} deploy={deploy} />
              ))}
            </ul>
          );
        }}
      </QueryView>
    </Card>
  );
}
