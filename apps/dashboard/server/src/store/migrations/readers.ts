import type { Kysely } from 'kysely';
import type { Engine } from '../schema.ts';
import { partOf, tablesOf } from './tables.ts';

/** What readers of sites do, as counts; the sites of existing projects count from now on, as those of new ones. */
export async function readers(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { serial, index } = tablesOf(db, engine);
  await db.schema
    .alterTable('projects')
    .addColumn('count_readers', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
  await db.schema.alterTable('projects').addColumn('analytics', 'text').execute();
  await db.schema
    .createTable('reader_counts')
    .addColumn('project_id', 'text', partOf('projects.id'))
    .addColumn('span', 'text', (c) => c.notNull())
    .addColumn('start', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('detail', 'text', (c) => c.notNull())
    .addColumn('count', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('reader_counts_pkey', [
      ...(['project_id', 'span', 'start', 'kind', 'name', 'detail'] as const),
    ])
    .execute();
  await index('reader_counts', 'span', 'start');
  await serial('reader_sentences')
    .addColumn('project_id', 'text', partOf('projects.id'))
    .addColumn('day', 'bigint', (c) => c.notNull())
    .addColumn('page', 'text', (c) => c.notNull())
    .addColumn('helpful', 'integer', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .execute();
  await index('reader_sentences', 'project_id', 'day');
}
