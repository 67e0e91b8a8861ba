import { sql } from 'kysely';
import { findRow, isFree, updateRows } from './rows.ts';
import type { Db, Row, RowChange, Trx } from './schema.ts';

export type RepositoryRow = Row<'repositories'>;

export function findRepository(db: Db, projectId: string) {
  return findRow(db, 'repositories', { project_id: projectId });
}

export function findRepositoryById(db: Db, id: string) {
  return findRow(db, 'repositories', { id });
}

/** Its project must be locked, as for each change below that takes a transaction. */
export async function insertRepository(trx: Trx, row: RepositoryRow): Promise<void> {
  await trx.insertInto('repositories').values(row).execute();
}

export async function updateRepository(
  trx: Trx,
  id: string,
  change: RowChange<'repositories'>,
): Promise<void> {
  await updateRows(trx, 'repositories', { id }, change);
}

/** Deletes the repository of a project with its branches and what is to be told of its commits. Returns it. */
export function deleteRepository(trx: Trx, projectId: string): Promise<RepositoryRow | undefined> {
  return trx
    .deleteFrom('repositories')
    .where('project_id', '=', projectId)
    .returningAll()
    .executeTakeFirst();
}

/** Has a repository asked at `dueAt` at the latest; once, however often this is called before. */
export async function askRepository(db: Db, id: string, now: number, dueAt: number): Promise<void> {
  await db
    .updateTable('repositories')
    .set({
      asked_at: now,
      next_check_at: sql`CASE WHEN next_check_at > ${sql.lit(dueAt)} THEN ${sql.lit(dueAt)} ELSE next_check_at END`,
    })
    .where('id', '=', id)
    .execute();
}

/**
 * Leases the repository that has been due for longest and is not leased, to `worker` until `until`; undefined when there
 * is none.
 */
export function leaseRepository(
  db: Db,
  worker: string,
  now: number,
  until: number,
): Promise<RepositoryRow | undefined> {
  const isDue = sql<boolean>`next_check_at <= ${sql.lit(now)} AND ${isFree(now)}`;
  return (
    db
      .updateTable('repositories')
      .set({ leased_by: worker, leased_until: until, asked_at: null })
      .where('id', '=', (select) =>
        select
          .selectFrom('repositories')
          .select('id')
          .where(isDue)
          .orderBy('next_check_at')
          .orderBy('id')
          .limit(1),
      )
      // Another worker may have changed the row since it was selected.
      .where(isDue)
      .returningAll()
      .executeTakeFirst()
  );
}

/** Releases a lease without a result: it is due at once, or at `dueAt`. */
export async function releaseRepository(
  db: Db,
  id: string,
  worker: string,
  dueAt: number,
): Promise<void> {
  const change = { leased_by: null, leased_until: null, next_check_at: dueAt };
  await updateRows(db, 'repositories', { id, leased_by: worker }, change);
}
