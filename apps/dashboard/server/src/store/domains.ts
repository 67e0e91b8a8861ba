import type { Insertable, Selectable, Transaction, Updateable } from 'kysely';
import { assertLockOrder } from './lock-order.ts';
import type { Db } from './open-database.ts';
import { reservePermanently } from './reserved-labels.ts';
import type { Database } from './schema.ts';

type Reader = Db | Transaction<Database>;

export type DomainRow = Selectable<Database['domains']>;

/** A project's domain with that name; not one that was removed. */
export async function findDomain(
  db: Reader,
  projectId: string,
  hostname: string,
): Promise<DomainRow | undefined> {
  const claim = await findClaim(db, projectId, hostname);
  return claim?.removed_at === null ? claim : undefined;
}

/** A project's claim to a name: its domain, or the reservation that is left of one that was removed. */
export function findClaim(
  db: Reader,
  projectId: string,
  hostname: string,
): Promise<DomainRow | undefined> {
  return db
    .selectFrom('domains')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('hostname', '=', hostname)
    .executeTakeFirst();
}

export function findDomainById(db: Reader, id: string): Promise<DomainRow | undefined> {
  return db.selectFrom('domains').selectAll().where('id', '=', id).executeTakeFirst();
}

export function findDomainByLink(db: Reader, secret: string): Promise<DomainRow | undefined> {
  return db
    .selectFrom('domains')
    .selectAll()
    .where('link_secret', '=', secret)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
}

/** Who holds a name, if only as a reservation. */
export function findHolder(db: Reader, hostname: string): Promise<DomainRow | undefined> {
  return findOtherHolder(db, { id: '', hostname });
}

/** Who else holds the name, if only as a reservation: then the TXT record decides. */
export function findOtherHolder(
  db: Reader,
  { id, hostname }: Pick<DomainRow, 'id' | 'hostname'>,
): Promise<DomainRow | undefined> {
  return db
    .selectFrom('domains')
    .selectAll()
    .where('hostname', '=', hostname)
    .where('holds', '=', 1)
    .where('id', '!=', id)
    .executeTakeFirst();
}

/** The claims of others to the name of one. */
export function listOtherClaims(
  db: Reader,
  { id, hostname }: Pick<DomainRow, 'id' | 'hostname'>,
): Promise<DomainRow[]> {
  return db
    .selectFrom('domains')
    .selectAll()
    .where('hostname', '=', hostname)
    .where('id', '!=', id)
    .execute();
}

/** The names that a project removed and that are reserved for it, the latest first. */
export function listReserved(db: Reader, projectId: string): Promise<DomainRow[]> {
  return db
    .selectFrom('domains')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('removed_at', 'is not', null)
    .orderBy('removed_at', 'desc')
    .execute();
}

/** At most `limit` domains of a project, in the order of their names from behind `after` on. */
export function listDomains(
  db: Reader,
  projectId: string,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<DomainRow[]> {
  let query = db
    .selectFrom('domains')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('removed_at', 'is', null)
    .orderBy('hostname')
    .limit(limit);
  if (after !== undefined) query = query.where('hostname', '>', after);
  return query.execute();
}

export async function countDomains(db: Reader, projectId: string): Promise<number> {
  const { count } = await db
    .selectFrom('domains')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The verified domain of a project that was verified first, but for `exceptId`. */
export function findOldestVerified(
  db: Reader,
  projectId: string,
  exceptId: string,
): Promise<DomainRow | undefined> {
  return db
    .selectFrom('domains')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('removed_at', 'is', null)
    .where('verified_at', 'is not', null)
    .where('id', '!=', exceptId)
    .orderBy('verified_at')
    .executeTakeFirst();
}

/** The domain that a project's others lead to: its primary one, once that is verified and has a certificate. */
export function findActivePrimary(
  db: Reader,
  { primary_domain_id }: { readonly primary_domain_id: string | null },
  now: number,
): Promise<DomainRow | undefined> {
  if (primary_domain_id === null) return Promise.resolve(undefined);
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
 * Its target is never given out again. Rejects with a unique violation where the project has claimed the name
 * already.
 */
export async function insertDomain(
  trx: Transaction<Database>,
  domain: Insertable<Database['domains']>,
): Promise<void> {
  await reservePermanently(trx, domain.target_label);
  await trx.insertInto('domains').values(domain).execute();
}

/** Rejects with a unique violation where another came to hold the name meanwhile. */
export async function updateDomain(
  trx: Transaction<Database>,
  id: string,
  change: Updateable<Database['domains']>,
): Promise<void> {
  await trx.updateTable('domains').set(change).where('id', '=', id).execute();
}

/** With its checks, its timeline, its certificate. */
export async function deleteDomain(trx: Transaction<Database>, id: string): Promise<void> {
  await trx.deleteFrom('domains').where('id', '=', id).execute();
}

/** Locks a domain until the transaction ends. undefined when it was deleted. */
export async function lockDomain(
  trx: Transaction<Database>,
  id: string,
): Promise<DomainRow | undefined> {
  assertLockOrder(trx, 'domain', id);
  // An update that changes nothing locks the row on either database.
  return trx
    .updateTable('domains')
    .set((set) => ({ hostname: set.ref('hostname') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Locks several domains; deleted ones are left out. */
export async function lockDomains(
  trx: Transaction<Database>,
  ids: readonly string[],
): Promise<DomainRow[]> {
  const locked: DomainRow[] = [];
  for (const id of [...new Set(ids)].sort()) {
    const domain = await lockDomain(trx, id);
    if (domain) locked.push(domain);
  }
  return locked;
}

/** The ids of all domains of a project, of those that were removed, too. */
export async function listDomainIds(db: Reader, projectId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('domains')
    .select('id')
    .where('project_id', '=', projectId)
    .execute();
  return rows.map(({ id }) => id);
}
