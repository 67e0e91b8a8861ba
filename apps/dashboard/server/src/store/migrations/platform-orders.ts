import type { Kysely } from 'kysely';

/**
 * What a process that goes on with an attempt needs of it, and what the authority's renewal information needs of the
 * certificate. An authority is asked about those from now on.
 */
export async function platformOrders(db: Kysely<unknown>): Promise<void> {
  for (const column of ['order_url', 'order_key', 'directory_url', 'ari_id'])
    await db.schema.alterTable('platform_certificates').addColumn(column, 'text').execute();
  for (const column of ['not_before', 'ari_check_at'])
    await db.schema.alterTable('platform_certificates').addColumn(column, 'bigint').execute();
}
