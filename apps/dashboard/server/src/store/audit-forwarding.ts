import { type AuditRow, auditRows } from './audit.ts';
import { isFree, updateRows } from './rows.ts';
import type { Db } from './schema.ts';

/** Leases the sending of the log to `worker` until `until`; false: another process has it. */
export async function leaseForwarding(
  db: Db,
  worker: string,
  now: number,
  until: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('audit_forwarding')
    .set({ leased_by: worker, leased_until: until })
    .where('id', '=', 1)
    .where(isFree(now))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Renews the lease; false: it is another one's. */
export function holdForwarding(db: Db, worker: string, until: number): Promise<boolean> {
  return updateRows(db, 'audit_forwarding', { leased_by: worker }, { leased_until: until });
}

export async function releaseForwarding(db: Db, worker: string): Promise<void> {
  const free = { leased_by: null, leased_until: null };
  await updateRows(db, 'audit_forwarding', { leased_by: worker }, free);
}

/** The first entries that no receiver has had. */
export function listUnforwarded(db: Db, limit: number): Promise<AuditRow[]> {
  return auditRows(db)
    .where('audit_log.forwarded_at', 'is', null)
    .orderBy('audit_log.id')
    .limit(limit)
    .execute();
}

/** A receiver has had these. */
export async function markForwarded(
  db: Db,
  rows: readonly Pick<AuditRow, 'id'>[],
  at: number,
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  await db.updateTable('audit_log').set({ forwarded_at: at }).where('id', 'in', ids).execute();
}
