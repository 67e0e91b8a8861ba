import type { Kysely } from 'kysely';

/**
 * Several authorities. A certificate or an order from before is of the one authority there was, and no order of it was
 * exempt from a limit.
 */
export async function authorities(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable('issuances')
    .addColumn('tried', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute();
  await schema.alterTable('certificates').addColumn('directory_url', 'text').execute();
  await schema.alterTable('acme_accounts').addColumn('paused_until', 'bigint').execute();
  await schema.alterTable('acme_accounts').addColumn('problem', 'text').execute();
  await schema
    .alterTable('acme_orders')
    .addColumn('is_exempt', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
