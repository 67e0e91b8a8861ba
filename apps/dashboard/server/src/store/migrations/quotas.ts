import type { Kysely } from 'kysely';

/** What the operator allows, for all and for some. */
export async function quotas(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('quotas')
    .addColumn('quota', 'text', (c) => c.notNull())
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('value', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('quotas_pkey', ['quota', 'target'])
    .execute();
}
