import type { Kysely } from 'kysely';

/** Renewals are told from new certificates, whoever asked for them. What was there before is told apart by ARI alone. */
export async function renewalOrders(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('acme_orders').renameColumn('is_ari', 'is_renewal').execute();
}
