import type { Kysely } from 'kysely';

/** The serial of the installation's own zone, which all processes have in common. */
export async function ownZone(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('zone_serials')
    .addColumn('zone', 'text', (c) => c.primaryKey())
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('serial', 'bigint', (c) => c.notNull())
    .execute();
}
