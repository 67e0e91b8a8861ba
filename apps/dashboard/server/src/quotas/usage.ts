import { countDomains } from '../store/domains.ts';
import { findProjectById } from '../store/projects.ts';
import { countDeploysSince, ownedByPlan, waitingBytes } from '../store/quotas.ts';
import type { Plan } from '../store/schema/projects.ts';
import type { Db } from '../store/schema.ts';
import { boundOfAccount, boundOfProject } from './bounds.ts';
import { QUOTAS, type QuotaOf, quotasOf } from './quota.ts';
import type { QuotaUse } from './quota-use.ts';
import { HOUR_MS, sum } from './require-room.ts';

interface UsingProject {
  readonly id: string;
  readonly plan: Plan;
  readonly stored_bytes: number;
}

/** What a project uses of all that can be bounded. */
export function readProjectUse(db: Db, project: UsingProject, now: number): Promise<QuotaUse[]> {
  return Promise.all(
    quotasOf('project').map(async (quota) => ({
      ...{ quota, unit: QUOTAS[quota].unit, used: await usedBy(db, quota, project, now) },
      ...(await boundOfProject(db, quota, project)),
    })),
  );
}

/** What an account uses of all that can be bounded. */
export async function readAccountUse(db: Db, userId: string): Promise<QuotaUse[]> {
  const owned = await ownedByPlan(db, userId);
  const waiting = await waitingBytes(db, { ownerId: userId });
  const used: Record<QuotaOf<'account'>, number> = {
    projects: sum(owned, ({ projects }) => projects),
    'account-bytes': sum(owned, ({ bytes }) => bytes) + waiting,
  };
  return Promise.all(
    quotasOf('account').map(async (quota) => ({
      ...{ quota, unit: QUOTAS[quota].unit, used: used[quota] },
      ...(await boundOfAccount(db, quota, userId)),
    })),
  );
}

/** How much of a quota one account or project uses; null where it is of many, or gone. */
export async function usedOf(
  db: Db,
  quota: string,
  { accountId, projectId }: { readonly accountId?: string; readonly projectId?: string },
  now: number,
): Promise<number | null> {
  const project = projectId === undefined ? undefined : await findProjectById(db, projectId);
  const ofProject = project ? await readProjectUse(db, project, now) : [];
  const uses = accountId === undefined ? ofProject : await readAccountUse(db, accountId);
  return uses.find((use) => use.quota === quota)?.used ?? null;
}

async function usedBy(
  db: Db,
  quota: QuotaOf<'project'>,
  { id, stored_bytes }: UsingProject,
  now: number,
): Promise<number> {
  if (quota === 'bytes') return stored_bytes + (await waitingBytes(db, { projectId: id }));
  if (quota === 'domains') return countDomains(db, id);
  return countDeploysSince(db, id, now - HOUR_MS);
}
