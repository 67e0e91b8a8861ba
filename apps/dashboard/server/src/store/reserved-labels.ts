import type { Db, Trx } from './schema.ts';

/** Reserves a label permanently: other people's DNS records may point at it for years. */
export async function reservePermanently(trx: Trx, label: string): Promise<void> {
  const row = { label, reserved_until: null, project_id: null, owner_ids: '[]' };
  await trx.insertInto('reserved_labels').values(row).execute();
}

/** Reserves a slug for a project and some users, until an instant. */
export async function reserveSlug(
  trx: Trx,
  slug: string,
  { projectId, ownerIds, until }: { projectId: string; ownerIds: string[]; until: number },
): Promise<void> {
  const reservation = {
    reserved_until: until,
    project_id: projectId,
    owner_ids: JSON.stringify(ownerIds),
    redirects: 1,
  };
  await trx
    .insertInto('reserved_labels')
    .values({ label: slug, ...reservation })
    .onConflict((conflict) => conflict.column('label').doUpdateSet(reservation))
    .execute();
}

/** The reservation of a label, also one that has ended and is not deleted yet. */
export function findReservation(trx: Trx, label: string) {
  return trx
    .selectFrom('reserved_labels')
    .selectAll()
    .where('label', '=', label)
    .executeTakeFirst();
}

/** Leaves, of those for whom a project's slugs are reserved, these users alone. */
export async function keepReservationsFor(
  trx: Trx,
  projectId: string,
  userIds: readonly string[],
): Promise<void> {
  const rows = await trx
    .selectFrom('reserved_labels')
    .selectAll()
    .where('project_id', '=', projectId)
    .execute();
  for (const { label, owner_ids } of rows) {
    const before = JSON.parse(owner_ids) as string[];
    const kept = before.filter((id) => userIds.includes(id));
    if (kept.length === before.length) continue;
    await trx
      .updateTable('reserved_labels')
      .set({ owner_ids: JSON.stringify(kept) })
      .where('label', '=', label)
      .where('project_id', '=', projectId)
      .execute();
  }
}

export async function endReservation(trx: Trx, label: string): Promise<void> {
  await trx.deleteFrom('reserved_labels').where('label', '=', label).execute();
}

/** The project that had a slug and has another one now, as long as the address leads there; undefined: none. */
export function findMoved(
  db: Db,
  slug: string,
  now: number,
): Promise<{ id: string; slug: string } | undefined> {
  return movedAddresses(db, now)
    .innerJoin('projects', 'projects.id', 'reserved_labels.project_id')
    .select(['projects.id', 'projects.slug'])
    .where('reserved_labels.label', '=', slug)
    .executeTakeFirst();
}

/** The slugs that a project had and that lead to it, and until when; the last one first. */
export async function listMovedAddresses(
  db: Db,
  projectId: string,
  now: number,
): Promise<{ slug: string; until: number }[]> {
  const rows = await movedAddresses(db, now)
    .select(['label as slug', 'reserved_until as until'])
    .where('project_id', '=', projectId)
    .orderBy('reserved_until', 'desc')
    .orderBy('label')
    .execute();
  return rows.map(({ slug, until }) => ({ slug, until: until ?? now }));
}

function movedAddresses(db: Db, now: number) {
  return db
    .selectFrom('reserved_labels')
    .where('reserved_labels.redirects', '=', 1)
    .where('reserved_labels.reserved_until', '>', now);
}

/** Ends that an address leads to a project; it stays reserved. false: it did not. */
export function endMoved(trx: Trx, projectId: string, slug: string, now: number): Promise<boolean> {
  return trx
    .updateTable('reserved_labels')
    .set({ redirects: 0 })
    .where('label', '=', slug)
    .where('project_id', '=', projectId)
    .where('redirects', '=', 1)
    .where('reserved_until', '>', now)
    .executeTakeFirst()
    .then(({ numUpdatedRows }) => numUpdatedRows > 0n);
}
