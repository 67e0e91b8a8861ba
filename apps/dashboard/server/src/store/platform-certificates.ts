import { isFree, updateRows } from './rows.ts';
import type { Db, Row, Trx } from './schema.ts';

// The certificates of the installation's own names: a row each, which a worker has to lease, as those of issuances.

export type PlatformCertificateRow = Row<'platform_certificates'>;
export type PlatformCertificateChange = Partial<Omit<PlatformCertificateRow, 'hostname'>>;

export function listPlatformCertificates(db: Db): Promise<PlatformCertificateRow[]> {
  return db.selectFrom('platform_certificates').selectAll().orderBy('hostname').execute();
}

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

/** Changes a certificate that `worker` has leased, or nobody where it is null; false where somebody else has. */
export async function changePlatformCertificate(
  db: Db | Trx,
  hostname: string,
  worker: string | null,
  change: PlatformCertificateChange,
): Promise<boolean> {
  const changed = await db
    .updateTable('platform_certificates')
    .set(change)
    .where('hostname', '=', hostname)
    .where('leased_by', worker === null ? 'is' : '=', worker)
    .executeTakeFirst();
  return changed.numUpdatedRows > 0n;
}

/**
 * Leases a certificate whose renewal window has to be asked for, until it is due again; undefined where it is not, where
 * attempts fail, and where one is under way.
 */
export function leasePlatformRenewalInfo(
  db: Db,
  hostname: string,
  { now, until }: { readonly now: number; readonly until: number },
): Promise<PlatformCertificateRow | undefined> {
  return db
    .updateTable('platform_certificates')
    .set({ ari_check_at: until })
    .where('hostname', '=', hostname)
    .where('ari_check_at', '<=', now)
    .where('last_problem', 'is', null)
    .where(isFree(now))
    .returningAll()
    .executeTakeFirst();
}

/** Sets when to renew a certificate, unless it was replaced meanwhile, or an attempt has failed. */
export async function schedulePlatformRenewal(
  db: Db,
  { hostname, serial }: Pick<PlatformCertificateRow, 'hostname' | 'serial'>,
  change: Pick<PlatformCertificateChange, 'next_attempt_at' | 'ari_check_at' | 'ari_id'>,
): Promise<void> {
  const current = { hostname, serial, last_problem: null };
  await updateRows(db, 'platform_certificates', current, change);
}

/** The key authorizations of a name's challenges under way; undefined: there are none. */
export async function platformChallenges(db: Db): Promise<PlatformChallenge[]> {
  const rows = await db
    .selectFrom('platform_certificates')
    .select(['hostname', 'key_authorization'])
    .where('key_authorization', 'is not', null)
    .execute();
  return rows.flatMap(({ hostname, key_authorization }) =>
    (key_authorization ?? '')
      .split(' ')
      .map((keyAuthorization) => ({ hostname, keyAuthorization })),
  );
}

interface PlatformChallenge {
  readonly hostname: string;
  readonly keyAuthorization: string;
}
