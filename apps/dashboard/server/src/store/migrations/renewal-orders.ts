import type { Kysely } from 'kysely';

/**
 * Marks all renewals, so that they can be told from new certificates. In older rows only renewals with ARI are marked.
 */
export async function renewalOrders(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('acme_orders').renameColumn('is_ari', 'is_renewal').execute();
}
