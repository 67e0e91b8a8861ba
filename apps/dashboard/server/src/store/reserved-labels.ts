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
  };
  await trx
    .insertInto('reserved_labels')
    .values({ label: slug, ...reservation })
    .onConflict((conflict) => conflict.column('label').doUpdateSet(reservation))
    .execute();
}

/** The reservation of a label that has not ended. */
export function findReservation(trx: Trx, label: string, now: number) {
  return trx
    .selectFrom('reserved_labels')
    .selectAll()
    .where('label', '=', label)
    .where((where) =>
      where.or([where('reserved_until', 'is', null), where('reserved_until', '>', now)]),
    )
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

/** Deletes expired reservations. */
export async function pruneReservations(db: Db, now: number): Promise<void> {
  await db.deleteFrom('reserved_labels').where('reserved_until', '<=', now).execute();
}
