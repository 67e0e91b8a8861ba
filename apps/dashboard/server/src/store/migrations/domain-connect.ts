import type { Kysely } from 'kysely';

/** The keys that sign requests to DNS providers. */
export async function domainConnect(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('domain_connect_keys')
    .addColumn('label', 'text', (c) => c.primaryKey())
    .addColumn('sealed_key', 'text', (c) => c.notNull())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
}
