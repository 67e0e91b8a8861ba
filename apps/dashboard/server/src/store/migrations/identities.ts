import type { Kysely } from 'kysely';
import type { Engine } from '../schema.ts';
import { partOf, tablesOf } from './tables.ts';

/** People sign in with an OpenID provider, or once with a link of the operator's. */
export async function identities(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('identities')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', partOf('users.id'))
    .addColumn('provider', 'text', (c) => c.notNull())
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('email', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .addUniqueConstraint('identities_issuer_subject', ['issuer', 'subject'])
    .execute();
  await tablesOf(db, engine).index('identities', 'user_id');
  for (const column of ['identity_id', 'provider_sid', 'sealed_id_token'])
    await schema.alterTable('sessions').addColumn(column, 'text').execute();
  await tablesOf(db, engine).index('sessions', 'identity_id');
  await schema
    .createTable('oidc_states')
    .addColumn('provider', 'text', (c) => c.primaryKey())
    .addColumn('discovered_at', 'bigint')
    .addColumn('failed_at', 'bigint')
    .addColumn('failure', 'text')
    .execute();
  await schema
    .createTable('used_once')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
}
