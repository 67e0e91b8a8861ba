import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { DeployCard } from '../deploys/deploy-card.tsx';
import { DeployRow } from '../deploys/deploy-row.tsx';
import { deployQuery, deploysQuery } from '../queries.ts';
import { Alert } from '../ui/alert.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { ExternalButton } from '../ui/external-link.tsx';
import { count } from '../ui/format.ts';
import { Rocket } from '../ui/icons.tsx';
import { ListView } from '../ui/list-view.tsx';
import { Page } from '../ui/page.tsx';
import { LiveSite } from './live-site.tsx';
import { PlanBadge } from './plan-badge.tsx';
import { useProject } from './project-context.tsx';

export function OverviewPage() {
  const project = useProject();
  return (
    <Page
      title={project.name}
      badges={<PlanBadge plan={project.plan} />}
      actions={
        project.live && (
          <ExternalButton href={project.url} variant="primary">
            Visit site
          </ExternalButton>
        )
      }
    >
      <div className="grid gap-5">
        {project.latest?.state === 'failed' && <FailedDeploy id={project.latest.id} />}
        {project.live ? (
          <>
            <LiveSite live={project.live} />
            <LastDeploys />
            <DeployCard />
          </>
        ) : (
          <>
            <DeployCard />
            <LastDeploys />
          </>
        )}
      </div>
    </Page>
  );
}

/** That a project's latest deploy failed, with the way to its problems. */
function FailedDeploy({ id }: { readonly id: string }) {
  const { slug, live } = useProject();
  const { data } = useQuery(deployQuery(slug, id));
  if (data?.state !== 'failed') return null;
  return (
    <Alert tone="negative">
      <Link
        to="/projects/$slug/deploys/$id"
        params={{ slug, id }}
        className="rounded-sm font-medium underline underline-offset-3"
      >
        Deploy #{data.number} failed with {count(data.errors.length, 'problem')}
      </Link>
      . {live ? `Deploy #${live.number} stays live.` : 'Nothing is live yet.'}
    </Alert>
  );
}

const SHOWN = 5;

function LastDeploys() {
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
