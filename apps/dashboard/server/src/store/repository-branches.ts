import { sql } from 'kysely';
import { deleteRows, findRow, isFree, updateRows } from './rows.ts';
import type { Db, Row, RowChange, Trx } from './schema.ts';

export type RepositoryBranchRow = Row<'repository_branches'>;

export function listBranchRows(db: Db, repositoryId: string): Promise<RepositoryBranchRow[]> {
  return db
    .selectFrom('repository_branches')
    .selectAll()
    .where('repository_id', '=', repositoryId)
    .execute();
}

export function findBranchRow(db: Db, repositoryId: string, name: string) {
  return findRow(db, 'repository_branches', { repository_id: repositoryId, name });
}

/** How many rows one statement inserts: SQLite bounds the number of values. */
const ROWS_AT_ONCE = 500;

export async function insertBranchRows(
  trx: Trx,
  rows: readonly RepositoryBranchRow[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    await trx
      .insertInto('repository_branches')
      .values(rows.slice(from, from + ROWS_AT_ONCE))
      .execute();
}

/** Whether there is such a branch. */
export function updateBranchRow(
  trx: Trx,
  { repository_id, name }: Pick<RepositoryBranchRow, 'repository_id' | 'name'>,
  change: RowChange<'repository_branches'>,
): Promise<boolean> {
  return updateRows(trx, 'repository_branches', { repository_id, name }, change);
}

export async function deleteBranchRow(
  trx: Trx,
  { repository_id, name }: Pick<RepositoryBranchRow, 'repository_id' | 'name'>,
): Promise<void> {
  await deleteRows(trx, 'repository_branches', { repository_id, name });
}

/** Forgets the branches of a repository, all of them or all but one. */
export async function deleteBranchRows(
  trx: Trx,
  repositoryId: string,
  kept: string | null = null,
): Promise<void> {
  let query = trx.deleteFrom('repository_branches').where('repository_id', '=', repositoryId);
  if (kept !== null) query = query.where('name', '!=', kept);
  await query.execute();
}

/** Has branches fetched at once that wait for another attempt. */
export async function retryBranches(trx: Trx, repositoryId: string, at: number): Promise<void> {
  await trx
    .updateTable('repository_branches')
    .set({ next_attempt_at: at, attempts: 0 })
    .where('repository_id', '=', repositoryId)
    .where('next_attempt_at', '>', at)
    .execute();
}

export interface LeasedBranch {
  readonly branch: RepositoryBranchRow;
  readonly repository: Row<'repositories'>;
}

/**
 * Leases a branch with a commit to fetch, to `worker` until `until`; undefined when there is none. The account whose last
 * fetch is longest ago comes first, then its project whose last one is, and in it the branch that goes live; a new repository
 * counts from when it was connected, so that nobody gets ahead by connecting it anew. An account that has a branch under way
 * has to wait, so that many or slow repositories of one delay no other, and so has a branch with a deploy that is not built
 * yet: what is pushed meanwhile is deployed as one.
 */
export async function leaseBranch(
  db: Db,
  worker: string,
  now: number,
  until: number,
): Promise<LeasedBranch | undefined> {
  const isDue = sql<boolean>`next_attempt_at <= ${sql.lit(now)} AND ${isFree(now)}`;
  for (;;) {
    const next = await sql<{ repository_id: string; name: string }>`
      SELECT waiting.repository_id, waiting.name
      FROM (SELECT * FROM repository_branches WHERE ${isDue}) AS waiting
      JOIN repositories ON repositories.id = waiting.repository_id
      WHERE repositories.problem IS NULL
        AND NOT EXISTS (SELECT 1 FROM repository_branches AS other
          JOIN repositories AS owned ON owned.id = other.repository_id
          WHERE owned.created_by_email = repositories.created_by_email AND other.leased_until > ${sql.lit(now)})
        AND NOT EXISTS (SELECT 1 FROM deploys
          WHERE deploys.id = waiting.deploy_id AND deploys.state IN ('queued', 'building'))
      ORDER BY (SELECT MAX(COALESCE(owned.fetched_at, owned.created_at)) FROM repositories AS owned
          WHERE owned.created_by_email = repositories.created_by_email),
        COALESCE(repositories.fetched_at, repositories.created_at),
        CASE WHEN waiting.name = repositories.branch THEN 0 ELSE 1 END,
        waiting.next_attempt_at, waiting.name
      LIMIT 1`.execute(db);
    const [found] = next.rows;
    if (!found) return undefined;
    const { repository_id, name } = found;
    const leased = await db.transaction().execute(async (trx) => {
      // Of two workers that take branches of one repository, the second one sees that the first has one.
      const repository = await trx
        .updateTable('repositories')
        .set({ fetched_at: now })
        .where('id', '=', repository_id)
        .returningAll()
        .executeTakeFirst();
      if (!repository) return undefined;
      const busy = await trx
        .selectFrom('repository_branches')
        .select('name')
        .where('repository_id', '=', repository_id)
        .where('leased_until', '>', now)
        .executeTakeFirst();
      if (busy) return undefined;
      const branch = await trx
        .updateTable('repository_branches')
        .set({ leased_by: worker, leased_until: until })
        .where('repository_id', '=', repository_id)
        .where('name', '=', name)
        .where(isDue)
        .returningAll()
        .executeTakeFirst();
      return branch && { branch, repository };
    });
    if (leased) return leased;
  }
}

/** Renews the lease until `until`. Whether the worker still has it. */
export function renewBranchLease(
  db: Db,
  { repository_id, name }: RepositoryBranchRow,
  worker: string,
  until: number,
): Promise<boolean> {
  const leased = { repository_id, name, leased_by: worker };
  return updateRows(db, 'repository_branches', leased, { leased_until: until });
}

/** Ends a lease with its result; false where the worker has it no more, or the branch is gone. */
export function endBranchLease(
  db: Db,
  { repository_id, name }: RepositoryBranchRow,
  worker: string,
  change: RowChange<'repository_branches'>,
): Promise<boolean> {
  const leased = { repository_id, name, leased_by: worker };
  const end = { ...change, leased_by: null, leased_until: null };
  return updateRows(db, 'repository_branches', leased, end);
}

/** Has the branches of a repository fetched again that failed. */
export async function retryFailed(trx: Trx, repositoryId: string, at: number): Promise<void> {
  await trx
    .updateTable('repository_branches')
    .set({ tried: null, problem: null, attempts: 0, next_attempt_at: at })
    .where('repository_id', '=', repositoryId)
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('problem', 'is not', null),
        exists(
          selectFrom('deploys')
            .select('deploys.id')
            .whereRef('deploys.id', '=', 'repository_branches.deploy_id')
            .where('deploys.state', '=', 'failed'),
        ),
      ]),
    )
    .execute();
}

/** At most `limit` branches: the one that goes live, those with a problem or a deploy, and those that changed last. */
export function listShownBranches(
  db: Db,
  { id, branch }: Pick<Row<'repositories'>, 'id' | 'branch'>,
  limit: number,
): Promise<RepositoryBranchRow[]> {
  return db
    .selectFrom('repository_branches')
    .selectAll()
    .where('repository_id', '=', id)
    .orderBy(sql`CASE WHEN name = ${branch ?? ''} THEN 0 ELSE 1 END`)
    .orderBy(
      sql`CASE WHEN deploy_id IS NULL AND problem IS NULL AND next_attempt_at IS NULL THEN 1 ELSE 0 END`,
    )
    .orderBy('changed_at', 'desc')
    .orderBy('name')
    .limit(limit)
    .execute();
}

export async function countBranchRows(db: Db, repositoryId: string): Promise<number> {
  const { count } = await db
    .selectFrom('repository_branches')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('repository_id', '=', repositoryId)
    .executeTakeFirstOrThrow();
  return Number(count);
}
