import { isFree, updateRows } from './rows.ts';
import type { Db, Row, Trx } from './schema.ts';

// The wildcard certificate of the platform's own hosts: one row, which a worker has to lease, as those of issuances.

export type PlatformCertificateRow = Row<'platform_certificates'>;
export type PlatformCertificateChange = Partial<Omit<PlatformCertificateRow, 'hostname'>>;

export function findPlatformCertificate(
  db: Db,
  hostname: string,
): Promise<PlatformCertificateRow | undefined> {
  return db
    .selectFrom('platform_certificates')
    .selectAll()
    .where('hostname', '=', hostname)
    .executeTakeFirst();
}

/** Leases the certificate where work on it is due, for the first time as well; undefined where none is. */
export async function leasePlatformCertificate(
  db: Db,
  hostname: string,
  { worker, now, until }: { readonly worker: string; readonly now: number; readonly until: number },
): Promise<PlatformCertificateRow | undefined> {
  const known = await findPlatformCertificate(db, hostname);
  if (!known)
    await db
      .insertInto('platform_certificates')
      .values({ hostname, failures: 0, next_attempt_at: now })
      .onConflict((conflict) => conflict.column('hostname').doNothing())
      .execute();
  if (known && known.next_attempt_at > now) return undefined;
  return db
    .updateTable('platform_certificates')
    .set({ leased_by: worker, leased_until: until })
    .where('hostname', '=', hostname)
    .where('next_attempt_at', '<=', now)
    .where(isFree(now))
    .returningAll()
    .executeTakeFirst();
}

/** Changes a certificate that `worker` has leased; false where the lease is lost. */
export function changePlatformCertificate(
  db: Db | Trx,
  hostname: string,
  worker: string,
  change: PlatformCertificateChange,
): Promise<boolean> {
  return updateRows(db, 'platform_certificates', { hostname, leased_by: worker }, change);
}
