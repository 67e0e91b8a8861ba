import { wildcardAbove } from '../domains/wildcard.ts';
import { assertLockOrder, lockInOrder } from './lock-order.ts';
import { reservePermanently } from './reserved-labels.ts';
import { deleteRows, findRow, lockRow, updateRows } from './rows.ts';
import type { Db, NewRow, Row, RowChange, Trx } from './schema.ts';

export type DomainRow = Row<'domains'>;

const rows = (db: Db) => db.selectFrom('domains').selectAll();
/** Without removed domains, whose rows are reservations. */
const domainsOf = (db: Db, projectId: string) =>
  rows(db).where('project_id', '=', projectId).where('removed_at', 'is', null);

/** A project's domain with that name; not one that was removed. */
export function findDomain(db: Db, projectId: string, hostname: string) {
  return findRow(db, 'domains', { project_id: projectId, hostname, removed_at: null });
}

/** A project's claim to a name: its domain, or the reservation that a removed domain left. */
export function findClaim(db: Db, projectId: string, hostname: string) {
  return findRow(db, 'domains', { project_id: projectId, hostname });
}

export function findDomainById(db: Db, id: string) {
  return findRow(db, 'domains', { id });
}

export function findDomainByLink(db: Db, secret: string) {
  return findRow(db, 'domains', { link_secret: secret, removed_at: null });
}

/** The holder of a name, even if only by a reservation. */
export function findHolder(db: Db, hostname: string): Promise<DomainRow | undefined> {
  return findOtherHolder(db, { id: '', hostname });
}

/** Another holder of the name, even if only by a reservation: then the TXT record decides. */
export function findOtherHolder(db: Db, { id, hostname }: Pick<DomainRow, 'id' | 'hostname'>) {
  return rows(db)
    .where('hostname', '=', hostname)
    .where('holds', '=', 1)
    .where('id', '!=', id)
    .executeTakeFirst();
}

/** The other claims to the name of a claim. */
export function listOtherClaims(db: Db, { id, hostname }: Pick<DomainRow, 'id' | 'hostname'>) {
  return rows(db).where('hostname', '=', hostname).where('id', '!=', id).execute();
}

/** The names that a project removed and that are still reserved for it, the latest first. */
export function listReserved(db: Db, projectId: string) {
  return rows(db)
    .where('project_id', '=', projectId)
    .where('removed_at', 'is not', null)
    .orderBy('removed_at', 'desc')
    .execute();
}

/** At most `limit` domains of a project, in the order of their names, after `after`. */
export function listDomains(
  db: Db,
  projectId: string,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<DomainRow[]> {
  let query = domainsOf(db, projectId).orderBy('hostname').limit(limit);
  if (after !== undefined) query = query.where('hostname', '>', after);
  return query.execute();
}

export async function countDomains(db: Db, projectId: string): Promise<number> {
  const { count } = await db
    .selectFrom('domains')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * The verified domain that becomes primary when the primary is no more: of those that show the same, one that is not the
 * second of a pair, leads here, and was verified first. `version`: the one that they show; null: the whole site.
 */
export function findNextPrimary(
  db: Db,
  projectId: string,
  { exceptId, version }: { readonly exceptId: string; readonly version: string | null },
) {
  return domainsOf(db, projectId)
    .where('verified_at', 'is not', null)
    .where('awaits_move', '=', 0)
    .where('moved_away_at', 'is', null)
    .where('id', '!=', exceptId)
    .where('version', version === null ? 'is' : '=', version)
    .where('redirect', 'is', null)
    .where('hostname', 'not like', '*.%')
    .orderBy('is_second')
    .orderBy('verified_at')
    .executeTakeFirst();
}

/** The names at which versions of a project are shown: the primary ones, if they are verified and have a certificate. */
export function listVersionNames(db: Db, projectId: string, now: number) {
  return db
    .selectFrom('site_versions')
    .innerJoin('domains', 'domains.id', 'site_versions.primary_domain_id')
    .innerJoin('certificates', 'certificates.domain_id', 'domains.id')
    .select(['site_versions.name as version', 'domains.hostname'])
    .where('site_versions.project_id', '=', projectId)
    .where('domains.verified_at', 'is not', null)
    .where('domains.removed_at', 'is', null)
    .where('certificates.not_after', '>', now)
    .execute();
}

/** The domains of a project that redirect elsewhere. */
export function listRedirecting(db: Db, projectId: string): Promise<DomainRow[]> {
  return domainsOf(db, projectId).where('redirect', 'is not', null).execute();
}

/** Wildcards that other projects hold above a name: what they show there changes with who holds the name. */
export function listWildcardsAbove(
  db: Db,
  { hostname, project_id }: Pick<DomainRow, 'hostname' | 'project_id'>,
): Promise<DomainRow[]> {
  return rows(db)
    .where('hostname', '=', wildcardAbove(hostname))
    .where('holds', '=', 1)
    .where('project_id', '!=', project_id)
    .execute();
}

/** The domain to which the project's others redirect: its primary one, if it is verified and has a certificate. */
export async function findActivePrimary(
  db: Db,
  { primary_domain_id }: { readonly primary_domain_id: string | null },
  now: number,
) {
  if (primary_domain_id === null) return undefined;
  return db
    .selectFrom('domains')
    .innerJoin('certificates', 'certificates.domain_id', 'domains.id')
    .selectAll('domains')
    .where('domains.id', '=', primary_domain_id)
    .where('domains.verified_at', 'is not', null)
    .where('domains.removed_at', 'is', null)
    .where('certificates.not_after', '>', now)
    .executeTakeFirst();
}

/**
 * Inserts a claim, and reserves its target for ever. Rejects with a unique violation where the project has claimed the
 * name already.
 */
export async function insertDomain(trx: Trx, domain: NewRow<'domains'>): Promise<void> {
  await reservePermanently(trx, domain.target_label);
  await trx.insertInto('domains').values(domain).execute();
}

/** Gives a claim a new name for its challenges, reserved for ever: a record that leads to the earlier one is void. */
export async function replaceChallengeLabel(trx: Trx, id: string, label: string): Promise<void> {
  await reservePermanently(trx, label);
  await updateDomain(trx, id, { challenge_label: label });
}

/** Rejects with a unique violation where another claim came to hold the name meanwhile. */
export async function updateDomain(
  trx: Trx,
  id: string,
  change: RowChange<'domains'>,
): Promise<void> {
  await updateRows(trx, 'domains', { id }, change);
}

/** Deletes a domain with its checks, its timeline and its certificate. */
export async function deleteDomain(trx: Trx, id: string): Promise<void> {
  await deleteRows(trx, 'domains', { id });
}

/** Locks a domain until the transaction ends. undefined when it was deleted. */
export async function lockDomain(trx: Trx, id: string): Promise<DomainRow | undefined> {
  assertLockOrder(trx, 'domain', id);
  return lockRow(trx, 'domains', { id });
}

/** Locks several domains; deleted ones are left out. */
export function lockDomains(trx: Trx, ids: readonly string[]): Promise<DomainRow[]> {
  return lockInOrder(ids, (id) => lockDomain(trx, id));
}

/** The ids of all domains of a project, of those that were removed, too. */
export async function listDomainIds(db: Db, projectId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('domains')
    .select('id')
    .where('project_id', '=', projectId)
    .execute();
  return rows.map(({ id }) => id);
}
