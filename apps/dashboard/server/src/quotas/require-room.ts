import { conflict, rateLimited } from '../api-error.ts';
import type { ProjectRow } from '../store/projects.ts';
import { nthLatestDeploy, ownedByPlan } from '../store/quotas.ts';
import type { Trx } from '../store/schema.ts';
import { boundOfAccount, boundOfProject } from './bounds.ts';
import type { QuotaName } from './quota.ts';

export const HOUR_MS = 3_600_000;

/** Whom to ask for more, at the end of a refusal. `whose`: the option that names the account or project. */
export const askForMore = (quota: QuotaName, whose: string) =>
  `Whoever runs this dashboard may allow more, on its page Quotas, or by: dashboard quotas set ${quota} NUMBER ${whose}`;

/** Throws ApiError `conflict` where a locked account owns as many projects as it may. */
export async function requireRoomForProject(
  trx: Trx,
  { id, email }: { readonly id: string; readonly email: string },
): Promise<void> {
  const { most } = await boundOfAccount(trx, 'projects', id);
  if (most === null) return;
  const used = sum(await ownedByPlan(trx, id), ({ projects }) => projects);
  if (used < most) return;
  throw conflict(
    `An account may own ${most} projects here, and yours owns ${used}. Delete one, or hand one over. ${askForMore('projects', `--account ${email}`)}`,
  );
}

/** Throws ApiError `rate_limited` where a locked project had as many deploys within the hour as it may. */
export async function requireRoomForBuild(
  trx: Trx,
  project: Pick<ProjectRow, 'id' | 'slug' | 'plan'>,
  now: number,
): Promise<void> {
  const { id, slug } = project;
  const { most } = await boundOfProject(trx, 'builds-per-hour', project);
  if (most === null) return;
  const blocking = most === 0 ? now : await nthLatestDeploy(trx, id, most);
  if (blocking === undefined || blocking <= now - HOUR_MS) return;
  throw rateLimited(
    `A project may be deployed ${most} times an hour here, and this one was. Wait until the oldest of these deploys is an hour old. ${askForMore('builds-per-hour', `--project ${slug}`)}`,
    blocking + HOUR_MS - now,
  );
}

export function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
