import { type Kysely, sql } from 'kysely';
import type { Engine } from '../schema.ts';
import { keyOf, partOf, tablesOf } from './tables.ts';

/** Second factors, what is under way at a sign-in, and whom the installation requires them of. */
export async function factors(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { schema } = db;
  const { index } = tablesOf(db, engine);
  await schema
    .createTable('passkeys')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', partOf('users.id'))
    .addColumn('credential_id', 'text', (c) => c.notNull().unique())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('counter', 'bigint', (c) => c.notNull())
    .addColumn('transports', 'text', (c) => c.notNull())
    .addColumn('rp_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('backup_eligible', 'integer', (c) => c.notNull())
    .addColumn('backed_up', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('counter_refused_at', 'bigint')
    .execute();
  await index('passkeys', 'user_id');
  await schema
    .createTable('authenticator_apps')
    .addColumn('user_id', 'text', keyOf('users.id'))
    .addColumn('sealed_secret', 'text', (c) => c.notNull())
    .addColumn('last_step', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute();
  await schema
    .createTable('recovery_codes')
    .addColumn('user_id', 'text', partOf('users.id'))
    .addColumn('code_hash', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('used_at', 'bigint')
    .addPrimaryKeyConstraint('recovery_codes_pkey', ['user_id', 'code_hash'])
    .execute();
  await schema
    .createTable('pending_sign_ins')
    .addColumn('secret_hash', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', partOf('users.id'))
    .addColumn('method', 'text', (c) => c.notNull())
    .addColumn('next', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await index('pending_sign_ins', 'user_id');
  await schema
    .createTable('passkey_challenges')
    .addColumn('challenge', 'text', (c) => c.primaryKey())
    .addColumn('purpose', 'text', (c) => c.notNull())
    .addColumn('bound_to', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await index('passkey_challenges', 'expires_at');
  await schema
    .createTable('code_guesses')
    .addColumn('user_id', 'text', keyOf('users.id'))
    .addColumn('at', 'bigint', (c) => c.notNull())
    .execute();
  await schema
    .createTable('security_policy')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('second_factor', 'text', (c) => c.notNull())
    .addColumn('after_provider', 'integer', (c) => c.notNull())
    .execute();
  await schema
    .alterTable('sessions')
    .addColumn('confirmed_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await schema
    .alterTable('sessions')
    .addColumn('method', 'text', (c) => c.notNull().defaultTo('password'))
    .execute();
  await sql`UPDATE sessions SET confirmed_at = created_at`.execute(db);
}
