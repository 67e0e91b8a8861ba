import { deleteRows, findRow, isFree, updateRows } from './rows.ts';
import type { Db, NewRow, Row, Trx } from './schema.ts';

// A row is a certificate that is wanted. A worker has to lease it: others leave it alone until the lease ends, and a
// worker whose lease has ended changes nothing any more.

export type IssuanceRow = Row<'issuances'>;
export type IssuanceChange = Partial<Omit<IssuanceRow, 'domain_id' | 'hostname'>>;

export function findIssuance(db: Db, domainId: string) {
  return findRow(db, 'issuances', { domain_id: domainId });
}

/** Whether it was inserted; false where there is one already, which stays as it is. */
export async function insertIssuance(trx: Trx, row: NewRow<'issuances'>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('issuances')
    .values(row)
    .onConflict((conflict) => conflict.column('domain_id').doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Moves a waiting issuance forward to `at`, and changes it. One that is leased, or due sooner, stays as it is. */
export async function expediteIssuance(
  trx: Trx,
  domainId: string,
  at: number,
  change: Pick<IssuanceChange, 'tried'>,
): Promise<void> {
  await trx
    .updateTable('issuances')
    .set({ ...change, next_attempt_at: at })
    .where('domain_id', '=', domainId)
    .where('leased_by', 'is', null)
    .where((where) =>
      where.or([where('next_attempt_at', 'is', null), where('next_attempt_at', '>', at)]),
    )
    .execute();
}

/** Ends the lease of its worker, who can change nothing any more; the issuance is due at `at`. */
export async function interruptIssuance(trx: Trx, domainId: string, at: number): Promise<void> {
  const change = { leased_by: null, leased_until: null, next_attempt_at: at };
  await updateRows(trx, 'issuances', { domain_id: domainId }, change);
}

/** How long a project's orders count against its turn, in milliseconds. */
const FAIRNESS_MS = 3_600_000;

/**
 * Leases a due issuance that `worker` has not leased yet, until `until`. Domains without a valid certificate come
 * first, then projects that ordered least of late, then the issuance due for longest. undefined when there is none.
 */
export async function leaseIssuance(
  db: Db,
  worker: string,
  now: number,
  until: number,
): Promise<IssuanceRow | undefined> {
  return db.transaction().execute(async (trx) => {
    const next = await trx
      .selectFrom('issuances')
      .select('domain_id')
      .where('next_attempt_at', '<=', now)
      .where(isFree(now))
      .orderBy(({ exists, selectFrom }) =>
        exists(
          selectFrom('certificates')
            .select('certificates.domain_id')
            .whereRef('certificates.domain_id', '=', 'issuances.domain_id')
            .where('not_after', '>', now),
        ),
      )
      .orderBy(({ selectFrom }) =>
        selectFrom('acme_orders')
          .innerJoin('domains', 'domains.project_id', 'acme_orders.project_id')
          .select((select) => select.fn.countAll().as('count'))
          .whereRef('domains.id', '=', 'issuances.domain_id')
          .where('acme_orders.at', '>', now - FAIRNESS_MS),
      )
      .orderBy('next_attempt_at')
      .orderBy('domain_id')
      .limit(1)
      .executeTakeFirst();
    if (!next) return undefined;
    // Checked again: on PostgreSQL another process may have leased it meanwhile.
    return trx
      .updateTable('issuances')
      .set({ leased_by: worker, leased_until: until })
      .where('domain_id', '=', next.domain_id)
      .where(isFree(now))
      .returningAll()
      .executeTakeFirst();
  });
}

/** Changes an issuance. False when it is gone, or no longer leased to `worker`. */
export function changeLeasedIssuance(
  db: Db,
  domainId: string,
  worker: string,
  change: IssuanceChange,
): Promise<boolean> {
  return updateRows(db, 'issuances', { domain_id: domainId, leased_by: worker }, change);
}

/** Ends an issuance. False when it is gone, or no longer leased to `worker`. */
export function deleteLeasedIssuance(trx: Trx, domainId: string, worker: string): Promise<boolean> {
  return deleteRows(trx, 'issuances', { domain_id: domainId, leased_by: worker });
}

export async function deleteIssuance(trx: Trx, domainId: string): Promise<void> {
  await deleteRows(trx, 'issuances', { domain_id: domainId });
}

/** The issuances that are worked on, and their workers. */
export function listLeasedIssuances(db: Db) {
  return db
    .selectFrom('issuances')
    .select(['domain_id', 'leased_by'])
    .where('leased_by', 'is not', null)
    .execute();
}

/**
 * Makes issuances due at `at`, unless they are due sooner, whose obstacle may be gone with the process that met it: the
 * authority was out of reach, or the program failed.
 */
export async function expediteUnreachable(db: Db, at: number): Promise<void> {
  await db
    .updateTable('issuances')
    .set({ next_attempt_at: at })
    .where('leased_by', 'is', null)
    .where('next_attempt_at', '>', at)
    .where('failures', '>', 0)
    .where((where) =>
      where.or([
        where('last_problem', 'is', null),
        where('last_problem', 'like', '{"type":"unreachable"%'),
        where('last_problem', 'like', '{"type":"timeout"%'),
      ]),
    )
    .execute();
}
