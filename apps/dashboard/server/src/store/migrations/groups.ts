import { type Kysely, sql } from 'kysely';
import type { Engine } from '../schema.ts';
import { keyOf, partOf, tablesOf } from './tables.ts';

/** Groups, their members and roles, and what a directory keeps in step by SCIM. */
export async function groups(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { schema } = db;
  const { index } = tablesOf(db, engine);
  await schema
    .createTable('groups')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_key', 'text', (c) => c.notNull().unique())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('external_id', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await index('groups', 'external_id');

  await schema
    .createTable('group_members')
    .addColumn('group_id', 'text', partOf('groups.id'))
    .addColumn('user_id', 'text', partOf('users.id'))
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('group_members_pkey', ['group_id', 'user_id', 'source'])
    .execute();
  await index('group_members', 'user_id', 'group_id');

  await schema
    .createTable('group_roles')
    .addColumn('group_id', 'text', partOf('groups.id'))
    .addColumn('project_id', 'text', partOf('projects.id'))
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('group_roles_pkey', ['group_id', 'project_id'])
    .execute();
  await index('group_roles', 'project_id');

  // Every way in which a user has a role in a project, a row each. Whoever asks for roles asks this view.
  await sql`CREATE VIEW role_grants AS
    SELECT project_id, user_id, role, created_at, NULL AS group_id FROM members
    UNION ALL
    SELECT group_roles.project_id, group_members.user_id, group_roles.role,
      CASE WHEN group_roles.created_at > group_members.created_at
        THEN group_roles.created_at ELSE group_members.created_at END,
      group_roles.group_id
    FROM group_roles JOIN group_members ON group_members.group_id = group_roles.group_id`.execute(
    db,
  );

  await schema
    .createTable('scim_users')
    .addColumn('user_id', 'text', keyOf('users.id'))
    .addColumn('user_name', 'text', (c) => c.notNull())
    .addColumn('user_name_key', 'text', (c) => c.notNull().unique())
    .addColumn('external_id', 'text')
    .addColumn('attributes', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await index('scim_users', 'external_id');

  await schema
    .createTable('scim_tokens')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('created_by_email', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute();
}
