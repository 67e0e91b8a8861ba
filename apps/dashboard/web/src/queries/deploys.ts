import { queryOptions } from '@tanstack/react-query';
import type { BranchPreview } from '../../../server/src/deploys/branch-preview.ts';
import type {
  Deploy,
  DeployChanges,
  DeploySummary,
  LogLine,
} from '../../../server/src/deploys/deploy.ts';
import type { ChangeException } from '../../../server/src/deploys/exceptions/change-exception.ts';
import type { SiteVersion } from '../../../server/src/deploys/versions/site-version.ts';
import { path } from '../api.ts';
import { BUSY_INTERVAL_MS, get, list, pagedList } from './get.ts';
import { keys } from './keys.ts';

type StatedDeploy = Pick<DeploySummary, 'state'> | null | undefined;

/** Whether a deploy has not ended yet. */
export function isUnderWay(deploy: StatedDeploy): boolean {
  return deploy?.state === 'queued' || deploy?.state === 'building';
}

/** More often while one of the deploys is under way. */
export const deployInterval = (deploys: readonly StatedDeploy[]) =>
  deploys.some(isUnderWay) ? BUSY_INTERVAL_MS : false;

export const deploysQuery = (slug: string) =>
  pagedList<DeploySummary>(keys.deploys(slug), path`/projects/${slug}/deploys`, deployInterval);

export const deployQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: keys.deploy(slug, id),
    queryFn: get<Deploy>(path`/projects/${slug}/deploys/${id}`),
    refetchInterval: ({ state }) => deployInterval([state.data]),
  });

/** What a finished deploy changes in the API: it stays as it is, but for exceptions, which make it stale. */
export const deployChangesQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: [...keys.deploy(slug, id), 'changes'],
    queryFn: get<DeployChanges>(path`/projects/${slug}/deploys/${id}/changes`),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** `isWhole`: fetched after the deploy's end. Lines that were fetched before may lack the last ones. */
export const deployLogQuery = (slug: string, id: string, isWhole: boolean) =>
  list<LogLine>(
    [...keys.deploy(slug, id), 'log', isWhole ? 'whole' : 'so far'],
    path`/projects/${slug}/deploys/${id}/log`,
  );

export const previewsQuery = (slug: string) =>
  list<BranchPreview>(keys.previews(slug), path`/projects/${slug}/previews`);

export const versionsQuery = (slug: string) =>
  list<SiteVersion>(keys.versions(slug), path`/projects/${slug}/versions`);

/** The changes that owners allow. */
export const exceptionsQuery = (slug: string) =>
  list<ChangeException>(
    [...keys.project(slug), 'exceptions'],
    path`/projects/${slug}/change-exceptions`,
  );
