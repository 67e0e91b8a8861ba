import { sql } from 'kysely';
import { deleteRows, isFree, updateRows } from './rows.ts';
import type { Db, Row, Trx } from './schema.ts';

export type CommitStatusRow = Row<'commit_statuses'>;

type Told = Pick<
  CommitStatusRow,
  'repository_id' | 'commit_hash' | 'branch' | 'state' | 'description' | 'url'
>;

/** Stores what to tell about a commit, in place of what was to be told before. */
export async function putCommitStatus(trx: Trx, told: Told, at: number): Promise<void> {
  const due = { attempts: 0, next_attempt_at: at };
  await trx
    .insertInto('commit_statuses')
    .values({ ...told, ...due, version: 1, leased_until: null })
    .onConflict((conflict) =>
      conflict.columns(['repository_id', 'commit_hash']).doUpdateSet({
        ...{ branch: told.branch, state: told.state, description: told.description, url: told.url },
        ...due,
        version: sql`commit_statuses.version + 1`,
      }),
    )
    .execute();
}

/** Leases a status that is due, until `until`; one of a repository at a time. undefined when there is none. */
export function leaseCommitStatus(
  db: Db,
  now: number,
  until: number,
): Promise<CommitStatusRow | undefined> {
  const isDue = sql<boolean>`next_attempt_at <= ${sql.lit(now)} AND ${isFree(now)}`;
  return db
    .updateTable('commit_statuses')
    .set({ leased_until: until })
    .where((where) =>
      where(
        where.refTuple('repository_id', 'commit_hash'),
        'in',
        where
          .selectFrom('commit_statuses')
          .select(['repository_id', 'commit_hash'])
          .where(isDue)
          .where('repository_id', 'not in', (select) =>
            select
              .selectFrom('commit_statuses as busy')
              .select('busy.repository_id')
              .where('busy.leased_until', '>', now),
          )
          .orderBy('next_attempt_at')
          .orderBy('commit_hash')
          .limit(1)
          .$asTuple('repository_id', 'commit_hash'),
      ),
    )
    .where(isDue)
    .returningAll()
    .executeTakeFirst();
}

/** Removes a status that was told, or given up. One that changed meanwhile stays, to be told as it is now. */
export async function endCommitStatus(
  db: Db,
  { repository_id, commit_hash, version }: CommitStatusRow,
): Promise<void> {
  const isGone = await deleteRows(db, 'commit_statuses', { repository_id, commit_hash, version });
  if (!isGone)
    await updateRows(db, 'commit_statuses', { repository_id, commit_hash }, { leased_until: null });
}

/** Releases the lease of a status that could not be told; `nextAttemptAt`: when it is tried again. */
export async function retryCommitStatus(
  db: Db,
  { repository_id, commit_hash, version }: CommitStatusRow,
  change: { attempts: number; next_attempt_at: number },
): Promise<void> {
  const same = { repository_id, commit_hash, version };
  const isSame = await updateRows(db, 'commit_statuses', same, { ...change, leased_until: null });
  if (!isSame)
    await updateRows(db, 'commit_statuses', { repository_id, commit_hash }, { leased_until: null });
}
