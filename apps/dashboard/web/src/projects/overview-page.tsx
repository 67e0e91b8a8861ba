import { DeployCard } from '../deploys/deploy-card.tsx';
import { FailedDeploy } from '../deploys/failed-deploy.tsx';
import { LastDeploys } from '../deploys/last-deploys.tsx';
import { ExternalButton } from '../ui/external-link.tsx';
import { Page } from '../ui/page.tsx';
import { LiveSite } from './live-site.tsx';
import { PlanBadge } from './plan-badge.tsx';
import { useProject } from './project-context.ts';

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
