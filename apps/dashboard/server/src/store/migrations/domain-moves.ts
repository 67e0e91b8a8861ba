import type { Kysely } from 'kysely';
import { keyOf, partOf } from './tables.ts';

/** What was seen of a domain's move: the record that it had before, and the requests that reach the edges. */
export async function domainMoves(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('domain_moves')
    .addColumn('domain_id', 'text', keyOf('domains.id'))
    .addColumn('old_records', 'text')
    .addColumn('old_seen_at', 'bigint')
    .addColumn('old_answered_at', 'bigint')
    .addColumn('arrived_at', 'bigint')
    .addColumn('last_request_at', 'bigint')
    .execute();
  await db.schema
    .createTable('domain_requests')
    .addColumn('domain_id', 'text', partOf('domains.id'))
    .addColumn('minute', 'bigint', (c) => c.notNull())
    .addColumn('requests', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('domain_requests_pkey', ['domain_id', 'minute'])
    .execute();
}
