import { sql } from 'kysely';
import { removeSource } from './deploy-sources.ts';
import { releaseContents } from './project-contents.ts';
import { findRow, isFree, updateRows } from './rows.ts';
import type { Db, NewRow, Row, Trx } from './schema.ts';

export type DeployRow = Row<'deploys'>;
export type LogRow = Row<'deploy_log'>;

/** The columns that a list shows: not `errors` and `findings`, which may be long and would all be in memory at once. */
const LISTED = [
  'id',
  'number',
  'state',
  'source_name',
  'source_commit',
  'message',
  'created_by_email',
  'created_by_name',
  'created_at',
  'started_at',
  'finished_at',
  'activated_at',
  'pruned_at',
  'branch',
  'version',
  'comparison',
  'held',
] as const;
export type ListedDeploy = Pick<DeployRow, (typeof LISTED)[number]>;

export function findDeploy(db: Db, projectId: string, id: string) {
  return findRow(db, 'deploys', { project_id: projectId, id });
}

/** The state of a deploy; undefined where it is gone. */
export async function findDeployState(db: Db, id: string): Promise<string | undefined> {
  const query = db.selectFrom('deploys').select('state').where('id', '=', id);
  return (await query.executeTakeFirst())?.state;
}

/** The live deploy of a project; undefined where none is. */
export async function findLiveDeploy(
  db: Db,
  { id, live_deploy_id }: Pick<Row<'projects'>, 'id' | 'live_deploy_id'>,
) {
  return live_deploy_id === null ? undefined : findDeploy(db, id, live_deploy_id);
}

/** At most `limit`, the newest first, of those before the deploy numbered `before`. */
export function listDeploys(
  db: Db,
  projectId: string,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<ListedDeploy[]> {
  let query = db
    .selectFrom('deploys')
    .select(LISTED)
    .where('project_id', '=', projectId)
    .orderBy('number', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('number', '<', before);
  return query.execute();
}

/** Some deploys by their ids; those that are gone are left out. */
export async function listDeploysWithIds(db: Db, ids: readonly string[]): Promise<ListedDeploy[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('deploys').select(LISTED).where('id', 'in', ids).execute();
}

/** A project's newest deploy, other than those of branches. */
export function findLatestDeploy(db: Db, projectId: string): Promise<ListedDeploy | undefined> {
  return db
    .selectFrom('deploys')
    .select(LISTED)
    .where('project_id', '=', projectId)
    .where('branch', 'is', null)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The number of the next deploy of a locked project. */
export async function takeDeployNumber(
  trx: Trx,
  { id, last_deploy_number }: Row<'projects'>,
): Promise<number> {
  const number = last_deploy_number + 1;
  await updateRows(trx, 'projects', { id }, { last_deploy_number: number });
  return number;
}

export async function insertDeploy(trx: Trx, deploy: NewRow<'deploys'>): Promise<void> {
  await trx.insertInto('deploys').values(deploy).execute();
}

/** How many of a project's deploys are queued or building. */
export async function countUnfinished(db: Db, projectId: string): Promise<number> {
  const { count } = await db
    .selectFrom('deploys')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .where('state', 'in', ['queued', 'building'])
    .executeTakeFirstOrThrow();
  return count;
}

/** How far back an account's builds count against it, in milliseconds. */
const FAIRNESS_MS = 10 * 60_000;

/**
 * Leases a queued deploy, or one whose lease has expired, to `worker` until `until`; none of the accounts in `notOf`.
 * Accounts whose recent builds took the least time come first, so that one with many or slow builds delays no other;
 * then the deploy that was queued first.
 * undefined when there is none.
 */
export async function leaseDeploy(
  db: Db,
  worker: string,
  now: number,
  until: number,
  notOf: readonly string[],
): Promise<DeployRow | undefined> {
  for (;;) {
    const next = await findNextDeploy(db, now, notOf);
    if (!next) return undefined;
    // The condition again: another process may have leased it meanwhile.
    const leased = await db
      .updateTable('deploys')
      .set((set) => ({
        state: 'building',
        leased_by: worker,
        leased_until: until,
        started_at: set.fn.coalesce('started_at', set.val(now)),
        attempts: set('attempts', '+', 1),
      }))
      .where('id', '=', next.id)
      .where('state', 'in', ['queued', 'building'])
      .where(isFree(now))
      .returningAll()
      .executeTakeFirst();
    if (!leased) continue;
    // A worker that was killed has not ended its build.
    await endBuilds(db, leased.id, now);
    await db
      .insertInto('builds')
      .values({
        deploy_id: leased.id,
        worker,
        account_email: leased.created_by_email,
        started_at: now,
        ended_at: null,
      })
      .execute();
    return leased;
  }
}

function findNextDeploy(
  db: Db,
  now: number,
  notOf: readonly string[],
): Promise<{ id: string } | undefined> {
  let query = db
    .selectFrom('deploys')
    .select('id')
    .where('state', 'in', ['queued', 'building'])
    .where(isFree(now));
  if (notOf.length > 0) query = query.where('created_by_email', 'not in', notOf);
  const spent = sql`SELECT COALESCE(SUM(COALESCE(ended_at, ${sql.lit(now)}) - started_at), 0)
    FROM builds
    WHERE account_email = deploys.created_by_email AND started_at > ${sql.lit(now - FAIRNESS_MS)}`;
  return query
    .orderBy(sql`(${spent})`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/** Ends a deploy's builds that are under way, all or the one of `worker`: they count against the account until here. */
export async function endBuilds(
  db: Db,
  deployId: string,
  now: number,
  worker?: string,
): Promise<void> {
  let query = db
    .updateTable('builds')
    .set({ ended_at: now })
    .where('deploy_id', '=', deployId)
    .where('ended_at', 'is', null);
  if (worker !== undefined) query = query.where('worker', '=', worker);
  await query.execute();
}

/** Deletes builds that no longer count against an account. */
export async function pruneBuilds(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('builds')
    .where('started_at', '<=', now - FAIRNESS_MS)
    .execute();
}

/** Renews the lease until `until`. Whether the worker still has it. */
export function renewLease(db: Db, id: string, worker: string, until: number): Promise<boolean> {
  return updateRows(db, 'deploys', builtBy(worker, id), { leased_until: until });
}

/** A deploy while it is leased to a worker. */
function builtBy(worker: string, id: string) {
  return { id, leased_by: worker, state: 'building' } as const;
}

/** The deploys that are building, and their workers. */
export function listLeased(db: Db) {
  return db
    .selectFrom('deploys')
    .select(['id', 'leased_by'])
    .where('state', '=', 'building')
    .where('leased_by', 'is not', null)
    .execute();
}

/**
 * Releases the lease of an unfinished deploy, so that any worker can build it. `isCounted`: the attempt counts. false
 * where the deploy has ended, or is another worker's.
 */
export async function releaseLease(
  db: Db,
  id: string,
  worker: string,
  { isCounted }: { isCounted: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('deploys')
    .set((set) => ({
      ...{ state: 'queued', leased_by: null, leased_until: null },
      attempts: isCounted ? set.ref('attempts') : set('attempts', '-', 1),
    }))
    .where(({ and }) => and(builtBy(worker, id)))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Records how a deploy ended and deletes its upload; false when another worker has the lease by now, or its project
 * was deleted.
 */
export async function finishDeploy(
  trx: Trx,
  id: string,
  worker: string,
  end: Pick<DeployRow, 'artifact_hash' | 'errors' | 'findings'> &
    Partial<Pick<DeployRow, 'comparison' | 'held'>> & {
      state: 'succeeded' | 'failed';
      finished_at: number;
    },
): Promise<boolean> {
  const change = { ...end, leased_by: null, leased_until: null };
  if (!(await updateRows(trx, 'deploys', builtBy(worker, id), change))) return false;
  await removeSource(trx, id);
  return true;
}

/** Replaces what is stored of a deploy's comparison. */
export async function storeComparison(trx: Trx, id: string, comparison: string): Promise<void> {
  await updateRows(trx, 'deploys', { id }, { comparison });
}

/** Puts a deploy live, at once and as a whole. */
export async function setLiveDeploy(
  trx: Trx,
  projectId: string,
  id: string,
  now: number,
): Promise<void> {
  await updateRows(trx, 'projects', { id: projectId }, { live_deploy_id: id });
  await markActivated(trx, id, now);
}

/** Notes when a deploy went live, or was shown as its version. */
export async function markActivated(trx: Trx, id: string, now: number): Promise<void> {
  await updateRows(trx, 'deploys', { id }, { activated_at: now });
}

/** The deploy that the address of a project's site shows: of its default version, or else the live one. */
export async function findDefaultDeploy(
  db: Db,
  project: Pick<Row<'projects'>, 'id' | 'live_deploy_id' | 'default_version'>,
) {
  const { id, default_version: name } = project;
  if (name === null) return findLiveDeploy(db, project);
  const version = await findRow(db, 'site_versions', { project_id: id, name });
  return version?.deploy_id ? findDeploy(db, id, version.deploy_id) : undefined;
}

/** The ids of a project's deploys that readers find: the live one, and those that versions show. */
export async function listShownDeploys(
  db: Db,
  { id, live_deploy_id }: Pick<Row<'projects'>, 'id' | 'live_deploy_id'>,
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('site_versions')
    .select('deploy_id')
    .where('project_id', '=', id)
    .execute();
  const shown = [live_deploy_id, ...rows.map(({ deploy_id }) => deploy_id)];
  return new Set(shown.filter((deploy) => deploy !== null));
}

/** Appends a line to a deploy's log, unless the deploy is gone. */
export async function appendLog(
  db: Db,
  deployId: string,
  at: number,
  level: LogRow['level'],
  message: string,
): Promise<void> {
  await sql`INSERT INTO deploy_log (deploy_id, seq, at, level, message)
    SELECT id, (SELECT COALESCE(MAX(seq), 0) + 1 FROM deploy_log WHERE deploy_id = ${deployId}),
      ${sql.lit(at)}, ${level}, ${message}
    FROM deploys WHERE id = ${deployId}`.execute(db);
}

/** The lines of a log after the line `after`. */
export function readLog(db: Db, deployId: string, after: number) {
  return db
    .selectFrom('deploy_log')
    .selectAll()
    .where('deploy_id', '=', deployId)
    .where('seq', '>', after)
    .orderBy('seq')
    .execute();
}

/**
 * Succeeded deploys of a project beyond the `kept` latest ones, by when they went live or were created, whose contents
 * are still stored. The live one and those that versions show are never among them, and the live one counts as kept.
 * Those of branches are neither among them nor counted.
 */
export async function listPrunable(trx: Trx, projectId: string, kept: number): Promise<string[]> {
  const rows = await trx
    .selectFrom('deploys')
    .innerJoin('projects', 'projects.id', 'deploys.project_id')
    .leftJoin('site_versions', (join) =>
      join
        .onRef('site_versions.project_id', '=', 'deploys.project_id')
        .onRef('site_versions.deploy_id', '=', 'deploys.id'),
    )
    .select(['deploys.id', 'projects.live_deploy_id'])
    .where('deploys.project_id', '=', projectId)
    .where('site_versions.deploy_id', 'is', null)
    .where('deploys.state', '=', 'succeeded')
    .where('deploys.pruned_at', 'is', null)
    .where('deploys.branch', 'is', null)
    .orderBy(sql`COALESCE(deploys.activated_at, deploys.created_at)`, 'desc')
    .orderBy('deploys.number', 'desc')
    .execute();
  const others = rows.filter(({ id, live_deploy_id }) => id !== live_deploy_id);
  const hasLive = others.length < rows.length;
  return others.slice(hasLive ? kept - 1 : kept).map(({ id }) => id);
}

/** Succeeded deploys of a branch whose contents are still stored. */
export const listBranchDeploys = (trx: Trx, projectId: string, branch: string) =>
  listStoredDeploys(trx, projectId, 'branch', branch);

/** Succeeded deploys of a version whose contents are still stored. */
export const listVersionDeploys = (trx: Trx, projectId: string, version: string) =>
  listStoredDeploys(trx, projectId, 'version', version);

async function listStoredDeploys(
  trx: Trx,
  projectId: string,
  of: 'branch' | 'version',
  name: string,
): Promise<string[]> {
  const rows = await trx
    .selectFrom('deploys')
    .select('id')
    .where('project_id', '=', projectId)
    .where(of, '=', name)
    .where('state', '=', 'succeeded')
    .where('pruned_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes the contents of deploys of a locked project; their rows and logs stay. */
export async function pruneDeploys(
  trx: Trx,
  projectId: string,
  ids: readonly string[],
  now: number,
): Promise<void> {
  if (ids.length === 0) return;
  await releaseContents(trx, projectId, ids);
  await trx
    .updateTable('deploys')
    .set({ artifact_hash: null, pruned_at: now })
    .where('id', 'in', ids)
    .execute();
}
