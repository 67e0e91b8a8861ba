import type { Kysely } from 'kysely';
import type { Engine } from '../schema.ts';
import { partOf, tablesOf } from './tables.ts';

/** Changes of the API that owners allow. */
export async function changeExceptions(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('change_exceptions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', partOf('projects.id'))
    .addColumn('code', 'text')
    .addColumn('operation', 'text')
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('until', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('created_by_email', 'text', (c) => c.notNull())
    .execute();
  await tablesOf(db, engine).index('change_exceptions', 'project_id');
}
