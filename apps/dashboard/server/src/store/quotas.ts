import { deleteRows } from './rows.ts';
import type { Db, Trx } from './schema.ts';

/** The target of what holds for all. */
export const DEFAULT_TARGET = 'default';

/** What is set for one, or else for all; undefined where nothing is set. */
export async function findQuota(
  db: Db,
  quota: string,
  target: string,
): Promise<number | undefined> {
  const rows = await db
    .selectFrom('quotas')
    .select(['target', 'value'])
    .where('quota', '=', quota)
    .where('target', 'in', [target, DEFAULT_TARGET])
    .execute();
  const found = rows.find((row) => row.target === target) ?? rows[0];
  return found && Number(found.value);
}

/** Sets a quota; null: nothing is set any more. */
export async function putQuota(
  trx: Trx,
  quota: string,
  target: string,
  value: number | null,
): Promise<void> {
  if (value === null) {
    await deleteRows(trx, 'quotas', { quota, target });
    return;
  }
  await trx
    .insertInto('quotas')
    .values({ quota, target, value })
    .onConflict((conflict) => conflict.columns(['quota', 'target']).doUpdateSet({ value }))
    .execute();
}

/** All that is set, with the account or project that it is for. */
export function listQuotas(db: Db) {
  return db
    .selectFrom('quotas')
    .leftJoin('users', 'users.id', 'quotas.target')
    .leftJoin('projects', 'projects.id', 'quotas.target')
    .select(['quotas.quota', 'quotas.value', 'users.email', 'projects.slug'])
    .orderBy('quotas.quota')
    .orderBy('quotas.target')
    .execute();
}

/** How many projects somebody owns. */
export async function countOwnedProjects(db: Db, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('members')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('user_id', '=', userId)
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** When the deploy of a project was sent that is the `nth` latest, from 1 on; undefined where there are fewer. */
export async function nthLatestDeploy(
  db: Db,
  projectId: string,
  nth: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('deploys')
    .select('created_at')
    .where('project_id', '=', projectId)
    .orderBy('number', 'desc')
    .limit(1)
    .offset(nth - 1)
    .executeTakeFirst();
  return row?.created_at;
}
