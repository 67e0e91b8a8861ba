import { DeployCard } from '../deploys/deploy-card.tsx';
import { FailedDeploy } from '../deploys/failed-deploy.tsx';
import { LastDeploys } from '../deploys/last-deploys.tsx';
import { buttonClass } from '../ui/button.tsx';
import { ExternalLink } from '../ui/external-link.tsx';
import { ExternalLink as OpensIcon } from '../ui/icons.tsx';
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
          <ExternalLink href={project.url} className={buttonClass('primary')}>
            Visit site
            <OpensIcon aria-hidden />
          </ExternalLink>
        )
      }
    >
      <div className="grid gap-5">
        {project.latest?.state === 'failed' && (
          <FailedDeploy project={project} id={project.latest.id} />
        )}
        {project.live ? (
          <>
            <LiveSite project={project} live={project.live} />
            <LastDeploys slug={project.slug} />
            <DeployCard project={project} />
          </>
        ) : (
          <>
            <DeployCard project={project} />
            <LastDeploys slug={project.slug} />
          </>
        )}
      </div>
    </Page>
  );
}
