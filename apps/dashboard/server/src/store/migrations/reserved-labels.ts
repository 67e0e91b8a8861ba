import { type Kysely, sql } from 'kysely';
import type { Engine } from '../schema.ts';
import { tablesOf } from './tables.ts';

/** Labels that must not lead to a stranger: released slugs, and the targets of all claims so far. */
export async function reservedLabels(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('reserved_labels')
    .addColumn('label', 'text', (c) => c.primaryKey())
    .addColumn('reserved_until', 'bigint')
    .addColumn('project_id', 'text')
    .addColumn('owner_ids', 'text', (c) => c.notNull())
    .execute();
  await tablesOf(db, engine).index('reserved_labels', 'reserved_until');
  // The targets of deleted claims are not known any more.
  await sql`INSERT INTO reserved_labels (label, owner_ids) SELECT target_label, '[]' FROM domains`.execute(
    db,
  );
}
