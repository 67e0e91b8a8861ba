import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Deploy } from '../../../server/src/deploys/deploy.ts';
import { hasStatus } from '../api.ts';
import { can, REASONS } from '../projects/permissions.ts';
import { ProjectPage, useProject } from '../projects/project-context.tsx';
import { hostOf } from '../projects/site-address.ts';
import { deployQuery } from '../queries/deploys.ts';
import { Alert } from '../ui/alert.tsx';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/class-names.ts';
import { CopyButton } from '../ui/copy.tsx';
import { ExternalButton, ExternalLink } from '../ui/external-link.tsx';
import { duration } from '../ui/format.ts';
import { NotFound } from '../ui/not-found.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { SkeletonPage } from '../ui/skeleton.tsx';
import type { Step } from '../ui/step.ts';
import { Steps } from '../ui/steps.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';
import { Ago } from '../ui/time.tsx';
import { ActivateButton } from './activate-button.tsx';
import { ChangesCard } from './changes-card.tsx';
import { CommitCard } from './commit-card.tsx';
import { DeployLog } from './deploy-log.tsx';
import { BranchBadge, HeldBadge, LiveBadge, VersionBadge } from './deploy-row.tsx';
import { DeployState, stateLabel } from './deploy-state.tsx';
import { Hints, Problems, Warnings } from './findings.tsx';
import { UploadArea } from './upload-area.tsx';

const ROUTE = '/signed-in/projects/$slug/deploys/$id';

export function DeployPage() {
  const { slug, id } = useParams({ from: ROUTE });
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
  const { number, sourceName, message, createdAt, state, live, isPruned, url } = deploy;
  const { branch, version } = deploy;
  const site = version === null ? project.url : `${project.url}/${version}`;
  const hasSite = state === 'succeeded' && !isPruned;
  const mayNotActivate = hasSite && !live && branch === null && !can(project, 'deploy.activate');
  return (
    <ProjectPage
      title={`Deploy #${number}`}
      documentTitle={`${stateLabel(state)}: deploy #${number}`}
      badges={
        <>
          <span role="status">
            <DeployState state={state} />
          </span>
          <LiveBadge deploy={deploy} />
          <HeldBadge deploy={deploy} />
          {branch !== null && <BranchBadge branch={branch} />}
          {version !== null && <VersionBadge version={version} />}
          {isPruned && <Badge>Pruned</Badge>}
        </>
      }
      description={
        <>
          {message !== null && (
            <p className="wrap-anywhere mb-0.5 font-medium text-ink">{message}</p>
          )}
          <span className="break-words">
            {sourceName}, deployed <Ago at={createdAt} /> by <Sender deploy={deploy} />
          </span>
        </>
      }
      actions={
        <>
          {hasSite && (
            <ExternalButton href={live ? site : (deploy.branchUrl ?? url)}>
              {live ? 'Visit site' : 'Open preview'}
            </ExternalButton>
          )}
          <Activate deploy={deploy} />
        </>
      }
    >
      <div className="grid gap-5">
        {mayNotActivate && <Alert>{REASONS['deploy.activate']}</Alert>}
        {deploy.held && (
          <Alert tone="warning">
            <strong className="font-medium">Held back.</strong> {deploy.held.message} It goes live
            when an owner of the project confirms it, or allows what breaks; what is live stays
            until then.
          </Alert>
        )}
        {isPruned && (
          <Alert>
            {branch === null
              ? 'Its files were removed, so it cannot be put live again.'
              : 'Its files were removed: a newer deploy of the branch took its place, or the preview ended.'}{' '}
            Its log is still here.
          </Alert>
        )}
        <DeploySteps deploy={deploy} hasLive={project.live !== null} />
        <CommitCard deploy={deploy} />
        <Problems deploy={deploy} />
        <ChangesCard deploy={deploy} />
        <Warnings deploy={deploy} />
        <Hints deploy={deploy} />
        {state === 'failed' && can(project, 'deploy.create') && (
          <Card title="Deploy again">
            <UploadArea />
          </Card>
        )}
        <DeployLog deploy={deploy} />
        {hasSite && (
          <Card
            title="Preview"
            description={
              branch === null
                ? 'This deploy’s own address shows it whether or not it is live.'
                : 'The branch’s address shows its newest deploy, and this deploy’s own address shows it until there is a newer one.'
            }
          >
            {deploy.branchUrl !== null && (
              <PreviewAddress url={deploy.branchUrl} what="address of the branch" />
            )}
            <PreviewAddress url={url} what="preview address" />
          </Card>
        )}
      </div>
    </ProjectPage>
  );
}

/** Asks at once where the bar of a preview led here. */
function Activate({ deploy }: { readonly deploy: Deploy }) {
  const navigate = useNavigate({ from: '/projects/$slug/deploys/$id' });
  const { 'go-live': asks = false } = useSearch({ from: ROUTE });
  const onClose = () => asks && void navigate({ search: {}, replace: true });
  return <ActivateButton deploy={deploy} asks={asks} onClose={onClose} />;
}

/** The account that sent a deploy. */
function Sender({ deploy: { createdBy, createdByName } }: { readonly deploy: Deploy }) {
  return <span title={createdBy}>{createdByName ?? createdBy}</span>;
}

function PreviewAddress({ url, what }: { readonly url: string; readonly what: string }) {
  return (
    <div className="flex min-w-0 items-center gap-1">
      <ExternalLink href={url} className={cx('truncate', TEXT_LINK)}>
        {hostOf(url)}
      </ExternalLink>
      <CopyButton value={url} what={what} />
    </div>
  );
}

interface DeployStepsProps {
  readonly deploy: Deploy;
  /** Whether the project's address serves anything. */
  readonly hasLive: boolean;
}

/**
 * queued -> building -> succeeded
 *
 * failed, up to the deploy's current state.
 */
function DeploySteps({ deploy, hasLive }: DeployStepsProps) {
  return <Steps label="Steps of the deploy" columns={3} steps={stepsOf(deploy, hasLive)} />;
}

function stepsOf(deploy: Deploy, hasLive: boolean): Step[] {
  const { state, createdAt, startedAt, finishedAt, live, branch, version } = deploy;
  const took = (from: string | null, to: string | null) =>
    from !== null && to !== null ? duration(Date.parse(to) - Date.parse(from)) : undefined;
  const isOver = finishedAt !== null;
  const waited = took(createdAt, startedAt);
  const built = took(startedAt, finishedAt);
  return [
    {
      name: 'Queued',
      status: state === 'queued' ? 'running' : 'done',
      note: state === 'queued' ? 'Waiting for a free builder' : waited && `Waited ${waited}`,
    },
    {
      name: 'Build',
      status:
        state === 'failed'
          ? 'failed'
          : isOver
            ? 'done'
            : state === 'building'
              ? 'running'
              : 'ahead',
      note: state === 'building' ? 'Under way' : built && `Took ${built}`,
    },
    {
      name: 'Site',
      status: state === 'succeeded' ? 'done' : 'ahead',
      note:
        state === 'failed'
          ? hasLive
            ? 'What is live stays live'
            : 'Nothing is live yet'
          : state === 'succeeded'
            ? live
              ? version === null
                ? 'Live at the project’s address'
                : `Live as the version ${version}`
              : branch === null
                ? deploy.held
                  ? 'Held back, ready at its preview address'
                  : 'Ready at its preview address'
                : 'Built for the address of its branch'
            : undefined,
    },
  ];
}
