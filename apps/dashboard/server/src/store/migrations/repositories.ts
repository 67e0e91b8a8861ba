import type { Kysely } from 'kysely';
import type { Engine } from '../schema.ts';
import { partOf, tablesOf } from './tables.ts';

/** The repositories that projects are deployed from. */
export async function repositories(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { schema } = db;
  const { index } = tablesOf(db, engine);
  await schema
    .createTable('repositories')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', (c) => partOf('projects.id')(c).unique())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('provider', 'text', (c) => c.notNull())
    .addColumn('branch', 'text')
    .addColumn('folder', 'text', (c) => c.notNull())
    .addColumn('previews', 'integer', (c) => c.notNull())
    .addColumn('statuses', 'integer', (c) => c.notNull())
    .addColumn('access', 'text', (c) => c.notNull())
    .addColumn('username', 'text')
    .addColumn('sealed_secret', 'text')
    .addColumn('public_key', 'text')
    .addColumn('host_keys', 'text', (c) => c.notNull())
    .addColumn('sealed_webhook_secret', 'text')
    .addColumn('webhook_delivered_at', 'bigint')
    .addColumn('webhook_problem', 'text')
    .addColumn('status_problem', 'text')
    .addColumn('preview_problem', 'text')
    .addColumn('problem', 'text')
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('asked_at', 'bigint')
    .addColumn('checked_at', 'bigint')
    .addColumn('next_check_at', 'bigint', (c) => c.notNull())
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('listed_at', 'bigint')
    .addColumn('fetched_at', 'bigint')
    .addColumn('leased_by', 'text')
    .addColumn('leased_until', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('created_by_email', 'text', (c) => c.notNull())
    .execute();
  await index('repositories', 'next_check_at');
  await schema
    .createTable('repository_branches')
    .addColumn('repository_id', 'text', partOf('repositories.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('head', 'text', (c) => c.notNull())
    .addColumn('tried', 'text')
    .addColumn('deploy_id', 'text')
    .addColumn('problem', 'text')
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('next_attempt_at', 'bigint')
    .addColumn('leased_by', 'text')
    .addColumn('leased_until', 'bigint')
    .addColumn('changed_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('repository_branches_pkey', ['repository_id', 'name'])
    .execute();
  await index('repository_branches', 'next_attempt_at');
  await schema
    .createTable('repository_deliveries')
    .addColumn('repository_id', 'text', partOf('repositories.id'))
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('repository_deliveries_pkey', ['repository_id', 'digest'])
    .execute();
  await index('repository_deliveries', 'at');
  await schema
    .createTable('commit_statuses')
    .addColumn('repository_id', 'text', partOf('repositories.id'))
    .addColumn('commit_hash', 'text', (c) => c.notNull())
    .addColumn('branch', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('next_attempt_at', 'bigint', (c) => c.notNull())
    .addColumn('leased_until', 'bigint')
    .addPrimaryKeyConstraint('commit_statuses_pkey', ['repository_id', 'commit_hash'])
    .execute();
  await index('commit_statuses', 'next_attempt_at');
  await schema.alterTable('deploys').addColumn('repository_id', 'text').execute();
}
