import { useInfiniteQuery } from '@tanstack/react-query';
import { useProject } from '../projects/project-context.ts';
import { deploysQuery } from '../queries.ts';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { count } from '../ui/format.ts';
import { Rocket } from '../ui/icons.tsx';
import { LoadMore } from '../ui/load-more.tsx';
import { Page } from '../ui/page.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { DeployRow } from './deploy-row.tsx';

export function DeployListPage() {
  const { slug, name, limits } = useProject();
  const query = useInfiniteQuery(deploysQuery(slug));
  return (
    <Page
      title="Deploys"
      documentTitle={`Deploys · ${name}`}
      description={`You can roll back to the last ${count(limits.keptDeploys, 'successful deploy')}.`}
    >
      <Card flush>
        <QueryView query={query}>
          {({ pages }) => {
            const deploys = pages.flatMap(({ items }) => items);
            return deploys.length === 0 ? (
              <Empty icon={Rocket} title="No deploys yet">
                Drop a document on the project’s overview, or deploy from a terminal.
              </Empty>
            ) : (
              <ul className="divide-y divide-line">
                {deploys.map((deploy) => (
                  <DeployRow key={deploy.id} slug={slug} deploy={deploy} />
                ))}
              </ul>
            );
          }}
        </QueryView>
        <LoadMore query={query}>Show older deploys</LoadMore>
      </Card>
    </Page>
  );
}
