import { REMEMBERED_MS } from './certificate-keys.ts';
import { isFree, updateRows } from './rows.ts';
import type { Db, Row, RowChange, Trx } from './schema.ts';

// Certificate Transparency logs: one row each, which a process leases to read it.

export type CtLogRow = Row<'ct_logs'>;

/** Adds rows for logs that are followed for the first time. */
export async function ensureLogs(db: Db, ids: readonly string[], now: number): Promise<void> {
  for (const id of ids)
    await db
      .insertInto('ct_logs')
      .values({ id, next_read_at: now, failures: 0 })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
}

/** Leases one of the logs that are due, the one due for longest; undefined where none is. */
export async function leaseLog(
  db: Db,
  ids: readonly string[],
  { worker, now, until }: { readonly worker: string; readonly now: number; readonly until: number },
): Promise<CtLogRow | undefined> {
  const due = await db
    .selectFrom('ct_logs')
    .select('id')
    .where('id', 'in', ids)
    .where('next_read_at', '<=', now)
    .where(isFree(now))
    .orderBy('next_read_at')
    .limit(1)
    .executeTakeFirst();
  if (!due) return undefined;
  return db
    .updateTable('ct_logs')
    .set({ leased_by: worker, leased_until: until })
    .where('id', '=', due.id)
    .where('next_read_at', '<=', now)
    .where(isFree(now))
    .returningAll()
    .executeTakeFirst();
}

/** Changes a log that `worker` has leased; false where the lease is lost. */
export function changeLog(
  db: Db,
  id: string,
  worker: string,
  change: RowChange<'ct_logs'>,
): Promise<boolean> {
  return updateRows(db, 'ct_logs', { id, leased_by: worker }, change);
}

export function listLogs(db: Db): Promise<CtLogRow[]> {
  return db.selectFrom('ct_logs').selectAll().execute();
}

/** Who is told of a certificate for a name of the platform itself. */
export const PLATFORM_CLAIM = 'platform';

/** Records that a claim is told of a certificate; false where it was told before. */
export async function recordFound(trx: Trx, row: Row<'ct_certificates'>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('ct_certificates')
    .values(row)
    .onConflict((conflict) => conflict.columns(['fingerprint', 'claim']).doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Whether a claim was told of a certificate of that issuer already. */
export async function hasFoundOf(trx: Trx, claim: string, issuer: string): Promise<boolean> {
  const row = await trx
    .selectFrom('ct_certificates')
    .select('at')
    .where('claim', '=', claim)
    .where('issuer', '=', issuer)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes records of certificates that have expired: owners are never told of expired certificates. */
export async function forgetFound(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('ct_certificates')
    .where('at', '<', now - REMEMBERED_MS)
    .execute();
}

/** The names of all domains that are verified. */
export async function listVerifiedNames(db: Db): Promise<string[]> {
  const rows = await verified(db).select('hostname').execute();
  return rows.map(({ hostname }) => hostname);
}

/** A text that changes whenever the set of verified names changes. */
export async function stateOfVerifiedNames(db: Db): Promise<string> {
  const { count, latest } = await verified(db)
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('verified_at').as('latest')])
    .executeTakeFirstOrThrow();
  return `${count} ${latest}`;
}

function verified(db: Db) {
  return db
    .selectFrom('domains')
    .where('holds', '=', 1)
    .where('verified_at', 'is not', null)
    .where('removed_at', 'is', null);
}
