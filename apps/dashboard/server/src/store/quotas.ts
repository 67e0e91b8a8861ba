import { sumOf } from './project-contents.ts';
import { deleteRows } from './rows.ts';
import type { Plan } from './schema/projects.ts';
import type { Db, Row, Trx } from './schema.ts';

/** The target of what holds for all. */
export const DEFAULT_TARGET = 'default';

/** The target of what holds for a plan. No id of an account or a project has a colon. */
export const planTarget = (plan: Plan) => `plan:${plan}`;

/** The plan that a target is; undefined: it is none. */
export const planOfTarget = (target: string): string | undefined =>
  target.startsWith('plan:') ? target.slice('plan:'.length) : undefined;

export type QuotaRow = Row<'quotas'>;

/** What is set for the first of some targets for which anything is. */
export async function findQuota(
  db: Db,
  quota: string,
  targets: readonly string[],
): Promise<QuotaRow | undefined> {
  const rows = await db
    .selectFrom('quotas')
    .selectAll()
    .where('quota', '=', quota)
    .where('target', 'in', targets)
    .execute();
  return targets
    .map((target) => rows.find((row) => row.target === target))
    .find((row) => row !== undefined);
}

/** Whether anything bounds this, for whomever. */
export async function isQuotaSet(db: Db, quota: string): Promise<boolean> {
  const query = db.selectFrom('quotas').select('target').where('quota', '=', quota).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Sets a quota; null: no bound, where others have one. */
export async function putQuota(
  trx: Trx,
  quota: string,
  target: string,
  value: number | null,
): Promise<void> {
  await trx
    .insertInto('quotas')
    .values({ quota, target, value })
    .onConflict((conflict) => conflict.columns(['quota', 'target']).doUpdateSet({ value }))
    .execute();
}

/** What holds for the less specific holds again. Whether it was set. */
export function removeQuota(trx: Trx, quota: string, target: string): Promise<boolean> {
  return deleteRows(trx, 'quotas', { quota, target });
}

/** All that is set, with the account or project that it is for; what was for one that is gone is left out. */
export async function listQuotas(db: Db) {
  const rows = await db
    .selectFrom('quotas')
    .leftJoin('users', 'users.id', 'quotas.target')
    .leftJoin('projects', 'projects.id', 'quotas.target')
    .select([
      ...(['quotas.quota', 'quotas.target', 'quotas.value'] as const),
      ...(['users.email', 'users.name', 'projects.slug', 'projects.plan'] as const),
      'projects.name as project_name',
    ])
    .orderBy('quotas.quota')
    .orderBy('quotas.target')
    .execute();
  return rows.filter(
    ({ target, email, slug }) =>
      target === DEFAULT_TARGET ||
      planOfTarget(target) !== undefined ||
      email !== null ||
      slug !== null,
  );
}

/** What an account owns, by plan. */
export async function ownedByPlan(
  db: Db,
  userId: string,
): Promise<{ plan: Plan; projects: number; bytes: number }[]> {
  return db
    .selectFrom('members')
    .innerJoin('projects', 'projects.id', 'members.project_id')
    .select(({ fn }) => [
      'projects.plan',
      fn.countAll<number>().as('projects'),
      sumOf('projects.stored_bytes').as('bytes'),
    ])
    .where('members.user_id', '=', userId)
    .where('members.role', '=', 'owner')
    .groupBy('projects.plan')
    .execute();
}

/** The accounts that own a project by themselves, not through a group, in the order of their ids. */
export function listOwningAccounts(
  db: Db,
  projectId: string,
): Promise<{ id: string; email: string }[]> {
  return db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['users.id', 'users.email'])
    .where('members.project_id', '=', projectId)
    .where('members.role', '=', 'owner')
    .orderBy('users.id')
    .execute();
}

/** Bytes of the uploads of a project, or of all projects that an account owns, that wait to be built. */
export async function waitingBytes(
  db: Db,
  of: { readonly projectId: string } | { readonly ownerId: string },
): Promise<number> {
  let query = db
    .selectFrom('deploys')
    .select(({ fn, val }) => fn.coalesce(sumOf('source_size'), val(0)).as('bytes'))
    .where('state', 'in', ['queued', 'building']);
  query =
    'projectId' in of
      ? query.where('project_id', '=', of.projectId)
      : query.where('project_id', 'in', (select) =>
          select
            .selectFrom('members')
            .select('project_id')
            .where('user_id', '=', of.ownerId)
            .where('role', '=', 'owner'),
        );
  return (await query.executeTakeFirstOrThrow()).bytes;
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

/** How many deploys of a project were sent after an instant. */
export async function countDeploysSince(db: Db, projectId: string, since: number): Promise<number> {
  const { count } = await db
    .selectFrom('deploys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return count;
}
