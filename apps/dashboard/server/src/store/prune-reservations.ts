import type { Db } from './schema.ts';
import { recordSiteChange } from './sites.ts';

/** Deletes expired reservations. Edges forget that their addresses led somewhere. */
export async function pruneReservations(db: Db, now: number): Promise<void> {
  const expired = await db
    .selectFrom('reserved_labels')
    .select('project_id')
    .distinct()
    .where('reserved_until', '<=', now)
    .where('project_id', 'is not', null)
    .execute();
  if (expired.length === 0) return;
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('reserved_labels').where('reserved_until', '<=', now).execute();
    for (const { project_id } of expired)
      if (project_id !== null) await recordSiteChange(trx, project_id, now);
  });
}
