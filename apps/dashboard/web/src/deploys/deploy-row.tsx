import { Link } from '@tanstack/react-router';
import type { DeploySummary } from '../../../server/src/deploys/deploy.ts';
import { useProject } from '../projects/project-context.tsx';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/class-names.ts';
import { duration } from '../ui/format.ts';
import { ROW_LINK } from '../ui/text-link.ts';
import { Ago } from '../ui/time.tsx';
import { CommitHash } from './commit-card.tsx';
import { DeployState } from './deploy-state.tsx';

/** A deploy in a list; the whole row leads to it. */
export function DeployRow({ deploy }: { readonly deploy: DeploySummary }) {
  const { slug } = useProject();
  const { id, number, sourceName, createdAt, state, branch, version, isPruned } = deploy;
  const { commit } = deploy;
  const message = messageOf(deploy);
  return (
    <li className="relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 px-4 py-3 transition-colors hover:bg-subtle/60 sm:grid-cols-[minmax(0,1fr)_8.5rem_minmax(0,18rem)] sm:px-5">
      <div className="min-w-0">
        <div className="flex min-w-0 items-center gap-2">
          <Link
            to="/projects/$slug/deploys/$id"
            params={{ slug, id }}
            className={cx(ROW_LINK, 'min-w-0 font-medium')}
          >
            #{number} <span className="font-normal text-muted">{sourceName}</span>
          </Link>
          <LiveBadge deploy={deploy} />
          <HeldBadge deploy={deploy} />
          {branch !== null && <BranchBadge branch={branch} />}
          {version !== null && <VersionBadge version={version} />}
          {isPruned && <Badge>Pruned</Badge>}
        </div>
        {(commit !== null || message !== null) && (
          <p className="mt-0.5 flex min-w-0 items-baseline gap-2 text-[0.8125rem] text-muted">
            {commit !== null && <CommitHash commit={commit} />}
            <span className="truncate" title={message ?? undefined}>
              {message}
            </span>
          </p>
        )}
      </div>
      <div className="flex items-center gap-2 max-sm:justify-end">
        <DeployState state={state} />
        <span className="text-[0.8125rem] text-muted max-sm:hidden">
          <BuildTime deploy={deploy} />
        </span>
      </div>
      <p className="min-w-0 truncate text-[0.8125rem] text-muted max-sm:col-span-2 sm:text-right">
        <Author deploy={deploy} /> · <Ago at={createdAt} />
      </p>
    </li>
  );
}

/** What a deploy is about: as its sender said, or as its commit does; null: nobody said. */
function messageOf({ message, commit }: DeploySummary): string | null {
  return message ?? commit?.message ?? null;
}

/** Who wrote what a deploy has, by name where that is known; with the account that sent it in a tooltip. */
function Author({ deploy }: { readonly deploy: DeploySummary }) {
  const { commit, createdBy, createdByName } = deploy;
  return <span title={createdBy}>{commit?.author ?? createdByName ?? createdBy}</span>;
}

/** Whether readers find a deploy: one without a version is hidden while a version is the default. */
export function LiveBadge({ deploy }: { readonly deploy: DeploySummary }) {
  const { defaultVersion } = useProject();
  if (!deploy.live) return null;
  const isHidden = deploy.version === null && defaultVersion !== null;
  return isHidden ? <Badge>Hidden</Badge> : <Badge tone="positive">Live</Badge>;
}

/** Says that a deploy waits for an owner. */
export function HeldBadge({ deploy: { held } }: { readonly deploy: DeploySummary }) {
  return held && <Badge tone="warning">Held back</Badge>;
}

/** The branch of a deploy that is a preview of one, cut off where it is long. */
export function BranchBadge({ branch }: { readonly branch: string }) {
  return (
    <Badge tone="accent">
      <span className="sr-only">Branch </span>
      <span className="max-w-40 truncate" title={branch}>
        {branch}
      </span>
    </Badge>
  );
}

/** The version of the site that a deploy belongs to. */
export function VersionBadge({ version }: { readonly version: string }) {
  return (
    <Badge>
      <span className="sr-only">Version </span>
      <span className="max-w-32 truncate" title={version}>
        {version}
      </span>
    </Badge>
  );
}

/** How long a finished build took; nothing before. */
function BuildTime({ deploy }: { readonly deploy: DeploySummary }) {
  const { startedAt, finishedAt } = deploy;
  if (startedAt === null || finishedAt === null) return null;
  return duration(Date.parse(finishedAt) - Date.parse(startedAt));
}
