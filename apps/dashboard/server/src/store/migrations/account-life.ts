import type { Kysely } from 'kysely';
import type { Engine } from '../schema.ts';
import { tablesOf } from './tables.ts';

/** What an account goes through: seen, disabled, and links that change its address or its password. */
export async function accountLife(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { schema } = db;
  await schema.alterTable('users').addColumn('disabled_at', 'bigint').execute();
  await schema.alterTable('users').addColumn('last_seen_at', 'bigint').execute();
  await schema
    .alterTable('users')
    .addColumn('is_provisional', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await schema
    .createTable('account_links')
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('account_links_pkey', ['user_id', 'kind'])
    .execute();
  // In which projects a token for all of them was used.
  await tablesOf(db, engine).index('audit_log', 'token_id', 'at');
}
