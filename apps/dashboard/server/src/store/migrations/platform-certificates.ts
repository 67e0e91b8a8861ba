import type { Kysely } from 'kysely';

/** The wildcard certificate of the platform's own hosts, and the work on it. */
export async function platformCertificates(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('platform_certificates')
    .addColumn('hostname', 'text', (c) => c.primaryKey())
    .addColumn('chain', 'text')
    .addColumn('sealed_key', 'text')
    .addColumn('issuer', 'text')
    .addColumn('serial', 'text')
    .addColumn('not_after', 'bigint')
    .addColumn('key_authorization', 'text')
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('last_problem', 'text')
    .addColumn('next_attempt_at', 'bigint', (c) => c.notNull())
    .addColumn('leased_by', 'text')
    .addColumn('leased_until', 'bigint')
    .execute();
}
