import { QUIET_MS } from './domain-moves.ts';
import { findRow, updateRows } from './rows.ts';
import type { Db, NewRow, Row, RowChange, Trx } from './schema.ts';

export type CertificateRow = Row<'certificates'>;

export function findCertificate(db: Db, domainId: string) {
  return findRow(db, 'certificates', { domain_id: domainId });
}

/** Replaces a domain's certificate. */
export async function putCertificate(trx: Trx, row: NewRow<'certificates'>): Promise<void> {
  await trx
    .insertInto('certificates')
    .values(row)
    .onConflict((conflict) => conflict.column('domain_id').doUpdateSet(row))
    .execute();
}

export async function deleteCertificate(trx: Trx, domainId: string): Promise<void> {
  await trx.deleteFrom('certificates').where('domain_id', '=', domainId).execute();
}

/**
 * The certificates that are renewed in time: those whose names lead here, or are proven by the record of their challenges.
 * Others are left to end.
 */
export function renewedCertificates(db: Db, now: number) {
  return db
    .selectFrom('certificates')
    .innerJoin('domains', 'domains.id', 'certificates.domain_id')
    .leftJoin('domain_checks', 'domain_checks.domain_id', 'domains.id')
    .leftJoin('domain_moves', 'domain_moves.domain_id', 'domains.id')
    .where('domains.holds', '=', 1)
    .where('domains.verified_at', 'is not', null)
    .where('domains.removed_at', 'is', null)
    .where((where) =>
      where.or([
        where.and([
          where('domains.moved_away_at', 'is', null),
          where('domains.awaits_move', '=', 0),
        ]),
        where.and([
          where('domains.prepare', '=', 1),
          where('domain_checks.challenge_here', '=', 1),
          // Of one that moved away, as long as somebody still comes.
          where.or([
            where('domains.moved_away_at', 'is', null),
            where('domains.moved_away_at', '>', now - QUIET_MS),
            where('domain_moves.last_request_at', '>', now - QUIET_MS),
          ]),
        ]),
      ]),
    );
}

/** Those of them that are due, without a renewal under way; the one due for longest first. */
export function listRenewable(db: Db, now: number, limit: number) {
  return renewedCertificates(db, now)
    .select(['certificates.domain_id', 'certificates.hostname'])
    .where('certificates.renew_at', '<=', now)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('issuances')
            .select('issuances.domain_id')
            .whereRef('issuances.domain_id', '=', 'certificates.domain_id'),
        ),
      ),
    )
    .orderBy('certificates.renew_at')
    .limit(limit)
    .execute();
}

/** Leases certificates whose renewal window has to be requested; each is returned again after `until`. */
export async function leaseForRenewalInfo(
  db: Db,
  now: number,
  until: number,
  limit: number,
): Promise<CertificateRow[]> {
  return db.transaction().execute(async (trx) => {
    const due = await trx
      .selectFrom('certificates')
      .select('domain_id')
      .where('ari_check_at', '<=', now)
      .orderBy('ari_check_at')
      .limit(limit)
      .execute();
    if (due.length === 0) return [];
    const ids = due.map(({ domain_id }) => domain_id);
    return trx
      .updateTable('certificates')
      .set({ ari_check_at: until })
      .where('domain_id', 'in', ids)
      .where('ari_check_at', '<=', now)
      .returningAll()
      .execute();
  });
}

/** Sets when to renew a certificate, unless it was replaced meanwhile. */
export async function scheduleRenewal(
  db: Db,
  { domain_id, serial }: Pick<CertificateRow, 'domain_id' | 'serial'>,
  change: Pick<RowChange<'certificates'>, 'renew_at' | 'ari_check_at' | 'ari_id'>,
): Promise<void> {
  await updateRows(db, 'certificates', { domain_id, serial }, change);
}

/** Certificates whose renewal is under way, with their last problem. */
export function listRenewals(db: Db) {
  return db
    .selectFrom('issuances')
    .innerJoin('certificates', 'certificates.domain_id', 'issuances.domain_id')
    .innerJoin('domains', 'domains.id', 'issuances.domain_id')
    .select([
      'certificates.domain_id',
      'certificates.hostname',
      'certificates.issued_at',
      'certificates.not_before',
      'certificates.not_after',
      'domains.project_id',
    ])
    .where('issuances.kind', '=', 'renewal')
    .execute();
}

/** The domain of a certificate, if it may have one: verified, held, not removed; with what its last check found. */
export function findCertifiable(db: Db, domainId: string) {
  return db
    .selectFrom('domains')
    .leftJoin('domain_checks', 'domain_checks.domain_id', 'domains.id')
    .select(['project_id', 'moved_away_at', 'prepare', 'awaits_move', 'challenge_here'])
    .where('id', '=', domainId)
    .where('holds', '=', 1)
    .where('verified_at', 'is not', null)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
}
