import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useProject } from '../projects/project-context.ts';
import { deploysQuery } from '../queries.ts';
import { buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { Rocket } from '../ui/icons.tsx';
import { ListView } from '../ui/list-view.tsx';
import { DeployRow } from './deploy-row.tsx';

const SHOWN = 5;

export function LastDeploys() {
  const { slug } = useProject();
  const query = useInfiniteQuery({
    ...deploysQuery(slug),
    select: ({ pages }) => pages.flatMap(({ items }) => items).slice(0, SHOWN),
  });
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
      <ListView query={query} empty={<Empty icon={Rocket} title="No deploys yet" />}>
        {(deploy) => <DeployRow key={deploy.id} deploy={deploy} />}
      </ListView>
    </Card>
  );
}
