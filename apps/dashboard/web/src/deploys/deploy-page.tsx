import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Deploy } from '../../../server/src/deploys/deploy.ts';
import { hasStatus } from '../api.ts';
import { can, REASONS } from '../projects/permissions.ts';
import { ProjectPage, useProject } from '../projects/project-context.tsx';
import { hostOf } from '../projects/site-address.ts';
import { deployQuery } from '../queries.ts';
import { Alert } from '../ui/alert.tsx';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/class-names.ts';
import { CopyButton } from '../ui/copy.tsx';
import { ExternalButton, ExternalLink } from '../ui/external-link.tsx';
import { NotFound } from '../ui/not-found.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { SkeletonPage } from '../ui/skeleton.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { Ago } from '../ui/time.tsx';
import { ActivateButton } from './activate-button.tsx';
import { DeployLog } from './deploy-log.tsx';
import { DeployState, stateLabel } from './deploy-state.tsx';
import { DeploySteps } from './deploy-steps.tsx';
import { ProblemTable } from './problem-table.tsx';
import { UploadArea } from './upload-area.tsx';

export function DeployPage() {
  const { slug, id } = useParams({ from: '/signed-in/projects/$slug/deploys/$id' });
  const query = useQuery(deployQuery(slug, id));
  if (hasStatus(query.error, 404)) {
    return <NotFound title="No such deploy">This project has no deploy “{id}”.</NotFound>;
  }
  return (
    <QueryView query={query} skeleton={<SkeletonPage />}>
      {(deploy) => <DeployView key={deploy.id} deploy={deploy} />}
    </QueryView>
  );
}

function DeployView({ deploy }: { readonly deploy: Deploy }) {
  const project = useProject();
  const { number, sourceName, createdAt, createdBy, state, live, isPruned, url } = deploy;
  const hasSite = state === 'succeeded' && !isPruned;
  const mayNotActivate = hasSite && !live && !can(project, 'deploy.activate');
  return (
    <ProjectPage
      title={`Deploy #${number}`}
      documentTitle={`${stateLabel(state)}: deploy #${number}`}
      badges={
        <>
          <span role="status">
            <DeployState state={state} />
          </span>
          {live && <Badge tone="positive">Live</Badge>}
          {isPruned && <Badge>Pruned</Badge>}
        </>
      }
      description={
        <span className="break-words">
          {sourceName}, deployed <Ago at={createdAt} /> by {createdBy}
        </span>
      }
      actions={
        <>
          {hasSite && (
            <ExternalButton href={live ? project.url : url}>
              {live ? 'Visit site' : 'Open preview'}
            </ExternalButton>
          )}
          <ActivateButton deploy={deploy} />
        </>
      }
    >
      <div className="grid gap-5">
        {mayNotActivate && <Alert>{REASONS['deploy.activate']}</Alert>}
        {isPruned && (
          <Alert>
            Its files were removed to make room, so it cannot be put live again. Its log is still
            here.
          </Alert>
        )}
        <DeploySteps deploy={deploy} hasLive={project.live !== null} />
        <ProblemTable deploy={deploy} />
        {state === 'failed' && can(project, 'deploy.create') && (
          <Card title="Deploy again">
            <UploadArea />
          </Card>
        )}
        <DeployLog deploy={deploy} />
        {hasSite && (
          <Card
            title="Preview"
            description="This deploy’s own address shows it whether or not it is live."
          >
            <div className="flex min-w-0 items-center gap-1">
              <ExternalLink href={url} className={cx('truncate', TEXT_LINK)}>
                {hostOf(url)}
              </ExternalLink>
              <CopyButton value={url} what="preview address" />
            </div>
          </Card>
        )}
      </div>
    </ProjectPage>
  );
}
