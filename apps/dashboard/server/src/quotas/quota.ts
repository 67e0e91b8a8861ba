import { conflict, rateLimited } from '../api-error.ts';
import type { ProjectRow } from '../store/projects.ts';
import { countOwnedProjects, findQuota, nthLatestDeploy } from '../store/quotas.ts';
import type { Trx } from '../store/schema.ts';

/** What an operator bounds, and for whom. */
export const QUOTAS = {
  projects: { of: 'account', what: 'projects that an account owns' },
  'builds-per-hour': { of: 'project', what: 'deploys of a project in an hour' },
  domains: { of: 'project', what: 'custom domains of a project, in place of its plan' },
} as const satisfies Record<string, { of: 'account' | 'project'; what: string }>;

export type QuotaName = keyof typeof QUOTAS;

/** The most that a quota may be. */
export const MAX_QUOTA = 999_999_999;

const HOUR_MS = 3_600_000;
const WHO = 'Whoever runs this dashboard may allow more: dashboard quotas set';

/** Throws ApiError `conflict` where a locked account owns as many projects as it may. */
export async function requireRoomForProject(
  trx: Trx,
  { id, email }: { readonly id: string; readonly email: string },
): Promise<void> {
  const most = await findQuota(trx, 'projects', id);
  if (most === undefined) return;
  const used = await countOwnedProjects(trx, id);
  if (used < most) return;
  throw conflict(
    `An account may own ${most} projects here, and yours owns ${used}. Delete one, or hand one over. ${WHO} projects NUMBER --account ${email}`,
  );
}

/** Throws ApiError `rate_limited` where a locked project had as many deploys within the hour as it may. */
export async function requireRoomForBuild(
  trx: Trx,
  { id, slug }: Pick<ProjectRow, 'id' | 'slug'>,
  now: number,
): Promise<void> {
  const most = await findQuota(trx, 'builds-per-hour', id);
  if (most === undefined) return;
  const blocking = most === 0 ? now : await nthLatestDeploy(trx, id, most);
  if (blocking === undefined || blocking <= now - HOUR_MS) return;
  throw rateLimited(
    `A project may be deployed ${most} times an hour here, and this one was. Wait until the oldest of these deploys is an hour old. ${WHO} builds-per-hour NUMBER --project ${slug}`,
    blocking + HOUR_MS - now,
  );
}

/** How many custom domains a project may have, where the operator says so; undefined: as many as its plan has. */
export function domainQuota(trx: Trx, projectId: string): Promise<number | undefined> {
  return findQuota(trx, 'domains', projectId);
}
