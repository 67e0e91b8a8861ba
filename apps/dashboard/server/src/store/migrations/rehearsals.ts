import type { Kysely } from 'kysely';
import { keyOf } from './tables.ts';

/** Rehearsals of the move of a domain: each domain has the latest one. */
export async function rehearsals(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('rehearsals')
    .addColumn('domain_id', 'text', keyOf('domains.id'))
    .addColumn('requested_at', 'bigint', (c) => c.notNull())
    .addColumn('requested_by', 'text', (c) => c.notNull())
    .addColumn('finished_at', 'bigint')
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('pages_seen', 'integer', (c) => c.notNull())
    .addColumn('problem', 'text')
    .addColumn('result', 'text')
    .addColumn('leased_by', 'text')
    .addColumn('leased_until', 'bigint')
    .execute();
}
