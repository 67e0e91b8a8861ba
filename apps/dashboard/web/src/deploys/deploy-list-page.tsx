import { useInfiniteQuery } from '@tanstack/react-query';
import { ProjectPage, useProject } from '../projects/project-context.tsx';
import { deploysQuery } from '../queries/deploys.ts';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { count } from '../ui/format.ts';
import { Rocket } from '../ui/icons.tsx';
import { ListView, LoadMore } from '../ui/list-view.tsx';
import { DeployRow } from './deploy-row.tsx';

export function DeployListPage() {
  const { slug, limits } = useProject();
  const query = useInfiniteQuery(deploysQuery(slug));
  return (
    <ProjectPage
      title="Deploys"
      description={`You can roll back to the last ${count(limits.keptDeploys, 'successful deploy')}.`}
    >
      <Card flush>
        <ListView
          query={query}
          empty={
            <Empty icon={Rocket} title="No deploys yet">
              Drop a document on the project’s overview, or deploy from a terminal.
            </Empty>
          }
        >
          {(deploy) => <DeployRow key={deploy.id} deploy={deploy} />}
        </ListView>
        <LoadMore query={query}>Show older deploys</LoadMore>
      </Card>
    </ProjectPage>
  );
}
