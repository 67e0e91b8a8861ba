import { deleteRows, findRow, isFree, updateRows } from './rows.ts';
import type { Db, Row, RowChange, Trx } from './schema.ts';

export type RehearsalRow = Row<'rehearsals'>;

export function findRehearsal(db: Db, domainId: string) {
  return findRow(db, 'rehearsals', { domain_id: domainId });
}

/** A new rehearsal of a domain, which is locked, in place of the one before. */
export async function putRehearsal(
  trx: Trx,
  begun: Pick<RehearsalRow, 'domain_id' | 'requested_at' | 'requested_by'>,
): Promise<RehearsalRow> {
  const row = {
    ...begun,
    ...{ finished_at: null, attempts: 0, pages_seen: 0, problem: null, result: null },
    ...{ leased_by: null, leased_until: null },
  };
  return trx
    .insertInto('rehearsals')
    .values(row)
    .onConflict((conflict) => conflict.column('domain_id').doUpdateSet(row))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Leases the rehearsal that waits for longest to `worker` until `until`, and counts the attempt. */
export async function leaseRehearsal(
  db: Db,
  worker: string,
  now: number,
  until: number,
): Promise<RehearsalRow | undefined> {
  return (
    db
      .updateTable('rehearsals')
      .set((set) => ({ leased_by: worker, leased_until: until, attempts: set('attempts', '+', 1) }))
      .where('domain_id', '=', (select) =>
        select
          .selectFrom('rehearsals')
          .select('domain_id')
          .where('finished_at', 'is', null)
          .where(isFree(now))
          .orderBy('requested_at')
          .limit(1),
      )
      // Another worker may have changed the row since it was selected.
      .where('finished_at', 'is', null)
      .where(isFree(now))
      .returningAll()
      .executeTakeFirst()
  );
}

/** Changes a rehearsal. False where it is gone, or no longer leased to `worker`. */
export function changeLeasedRehearsal(
  db: Db,
  domainId: string,
  worker: string,
  change: RowChange<'rehearsals'>,
): Promise<boolean> {
  return updateRows(db, 'rehearsals', { domain_id: domainId, leased_by: worker }, change);
}

/** Ends a rehearsal, if it is still leased to `worker`. */
export async function endRehearsal(
  db: Db,
  domainId: string,
  worker: string,
  at: number,
  end: Pick<RowChange<'rehearsals'>, 'result' | 'problem' | 'pages_seen'>,
): Promise<void> {
  const change = { ...end, finished_at: at, leased_by: null, leased_until: null };
  await changeLeasedRehearsal(db, domainId, worker, change);
}

/** Gives a lease back: another worker begins anew. */
export async function freeRehearsal(db: Db, domainId: string, worker: string): Promise<void> {
  await changeLeasedRehearsal(db, domainId, worker, { leased_by: null, leased_until: null });
}

/** The rehearsals that are worked on, and their workers. */
export function listLeasedRehearsals(db: Db) {
  return db
    .selectFrom('rehearsals')
    .select(['domain_id', 'leased_by'])
    .where('leased_by', 'is not', null)
    .execute();
}

export async function deleteRehearsal(trx: Trx, domainId: string): Promise<void> {
  await deleteRows(trx, 'rehearsals', { domain_id: domainId });
}
