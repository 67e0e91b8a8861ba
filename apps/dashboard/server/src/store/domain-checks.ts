import { sql } from 'kysely';
import { findRow, isFree, updateRows } from './rows.ts';
import type { Db, Row, RowChange, Trx } from './schema.ts';

export type DomainCheckRow = Row<'domain_checks'>;

export function findCheck(db: Db, domainId: string) {
  return findRow(db, 'domain_checks', { domain_id: domainId });
}

/** Restarts the checks of a domain, with the next one at `nextCheckAt`. The last result stays. */
export async function beginChecks(
  trx: Trx,
  domainId: string,
  at: number,
  nextCheckAt: number,
): Promise<void> {
  const begun = { began_at: at, attempts: 0, next_check_at: nextCheckAt };
  await trx
    .insertInto('domain_checks')
    .values({
      domain_id: domainId,
      verdict: null,
      points_here: 0,
      checked_at: null,
      leased_by: null,
      leased_until: null,
      ...begun,
    })
    .onConflict((conflict) => conflict.column('domain_id').doUpdateSet(begun))
    .execute();
}

export async function updateCheck(
  trx: Trx,
  domainId: string,
  change: RowChange<'domain_checks'>,
): Promise<void> {
  await updateRows(trx, 'domain_checks', { domain_id: domainId }, change);
}

/** Deletes the outdated result of the last check, and plans no other. */
export async function clearCheckResult(trx: Trx, domainId: string): Promise<void> {
  await updateCheck(trx, domainId, {
    verdict: null,
    points_here: 0,
    challenge_here: 0,
    checked_at: null,
    next_check_at: null,
  });
}

/** How many checks of one project may run at once. */
const MAX_FOR_PROJECT = 2;

/**
 * Leases the check that has been due for longest and is not leased, to `worker` until `until`. Returns its domain's id;
 * undefined when there is none. Projects with too many checks under way have to wait.
 */
export async function leaseCheck(
  db: Db,
  worker: string,
  now: number,
  until: number,
): Promise<string | undefined> {
  const isDue = sql<boolean>`next_check_at <= ${now} AND ${isFree(now)}`;
  // A project whose name servers never answer must not delay the others.
  const busyProjects = db
    .selectFrom('domain_checks as leased')
    .innerJoin('domains as theirs', 'theirs.id', 'leased.domain_id')
    .select('theirs.project_id')
    .where('leased.leased_until', '>', now)
    .groupBy('theirs.project_id')
    .having((having) => having.fn.countAll(), '>=', MAX_FOR_PROJECT);
  const row = await db
    .updateTable('domain_checks')
    .set({ leased_by: worker, leased_until: until })
    .where('domain_id', '=', (select) =>
      select
        .selectFrom('domain_checks')
        .innerJoin('domains', 'domains.id', 'domain_checks.domain_id')
        .select('domain_checks.domain_id')
        .where(isDue)
        .where('domains.project_id', 'not in', busyProjects)
        .orderBy('next_check_at')
        .limit(1),
    )
    // Another worker may have changed the row since it was selected.
    .where(isDue)
    .returning('domain_id')
    .executeTakeFirst();
  return row?.domain_id;
}

/** Releases a lease; `retryAt`: when a check that failed is due again. */
export async function releaseCheck(
  db: Db,
  domainId: string,
  worker: string,
  retryAt?: number,
): Promise<void> {
  const leased = { domain_id: domainId, leased_by: worker };
  const due = retryAt === undefined ? {} : { next_check_at: retryAt };
  await updateRows(db, 'domain_checks', leased, { leased_by: null, leased_until: null, ...due });
}
