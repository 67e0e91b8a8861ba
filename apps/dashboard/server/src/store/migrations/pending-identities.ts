import type { Kysely } from 'kysely';

/** A sign-in under way that began with a provider keeps what its session will have of it. */
export async function pendingIdentities(db: Kysely<unknown>): Promise<void> {
  for (const column of ['identity_id', 'provider_sid', 'sealed_id_token'])
    await db.schema.alterTable('pending_sign_ins').addColumn(column, 'text').execute();
}
