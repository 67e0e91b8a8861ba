import type { Kysely } from 'kysely';
import type { Engine } from '../schema.ts';
import { keyOf, partOf, tablesOf } from './tables.ts';

/** Sites can be private. All that there are stay public. */
export async function siteAccess(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { schema } = db;
  const { index } = tablesOf(db, engine);
  await schema
    .alterTable('projects')
    .addColumn('private', 'text', (c) => c.notNull().defaultTo('nothing'))
    .execute();

  await schema
    .createTable('site_access')
    .addColumn('project_id', 'text', keyOf('projects.id'))
    .addColumn('everyone', 'integer', (c) => c.notNull())
    .addColumn('password_hash', 'text')
    .addColumn('password_id', 'text')
    .addColumn('password_at', 'bigint')
    .execute();

  await schema
    .createTable('site_access_groups')
    .addColumn('project_id', 'text', partOf('projects.id'))
    .addColumn('group_id', 'text', partOf('groups.id'))
    .addPrimaryKeyConstraint('site_access_groups_pkey', ['project_id', 'group_id'])
    .execute();
  await index('site_access_groups', 'group_id');

  await schema
    .createTable('site_access_keys')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', partOf('projects.id'))
    .addColumn('kid', 'text', (c) => c.notNull())
    .addColumn('algorithm', 'text', (c) => c.notNull())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('created_by_email', 'text', (c) => c.notNull())
    .addUniqueConstraint('site_access_keys_kid', ['project_id', 'kid'])
    .execute();

  await schema
    .createTable('site_tickets')
    .addColumn('ticket_hash', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', partOf('projects.id'))
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('session_id', 'text', partOf('sessions.id'))
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await index('site_tickets', 'expires_at');

  await schema
    .createTable('site_links')
    .addColumn('link_hash', 'text', (c) => c.primaryKey())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await index('site_links', 'expires_at');

  await schema
    .createTable('site_sessions')
    .addColumn('token_hash', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', partOf('projects.id'))
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('password_id', 'text')
    .addColumn('session_id', 'text', (c) => c.references('sessions.id').onDelete('cascade'))
    .addColumn('key_id', 'text', (c) => c.references('site_access_keys.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  // Whoever ends a session, a key or a project does not read all of them.
  for (const column of ['project_id', 'session_id', 'key_id', 'expires_at'])
    await index('site_sessions', column);
}
