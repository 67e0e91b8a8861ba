import { type Kysely, sql } from 'kysely';
import type { Engine } from '../schema.ts';
import { keyOf, partOf, tablesOf } from './tables.ts';

/** Custom domains: claims, checks, certificates and notifications. */
export async function domains(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { schema } = db;
  const { serial, index } = tablesOf(db, engine);

  await schema
    .createTable('domains')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', partOf('projects.id'))
    .addColumn('hostname', 'text', (c) => c.notNull())
    .addColumn('target_label', 'text', (c) => c.notNull().unique())
    .addColumn('proof', 'text', (c) => c.notNull())
    .addColumn('link_secret', 'text', (c) => c.notNull().unique())
    .addColumn('verified_at', 'bigint')
    .addColumn('holds', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('created_by_email', 'text', (c) => c.notNull())
    .addColumn('removed_at', 'bigint')
    .addColumn('moved_away_at', 'bigint')
    .addColumn('hsts_max_age', 'integer')
    .addColumn('hsts_include_subdomains', 'integer', (c) => c.notNull())
    .addUniqueConstraint('domains_project_hostname', ['project_id', 'hostname'])
    .execute();
  // However many claims are verified at the same time, one of them holds the name. Edges look names up by this index.
  await sql`CREATE UNIQUE INDEX domains_holder ON domains (hostname) WHERE holds = 1`.execute(db);

  await schema.alterTable('projects').addColumn('primary_domain_id', 'text').execute();
  await schema
    .alterTable('projects')
    .addColumn('redirect_platform_host', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();

  await schema
    .createTable('domain_checks')
    .addColumn('domain_id', 'text', keyOf('domains.id'))
    .addColumn('verdict', 'text')
    .addColumn('points_here', 'integer', (c) => c.notNull())
    .addColumn('checked_at', 'bigint')
    .addColumn('began_at', 'bigint', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('next_check_at', 'bigint')
    .addColumn('leased_by', 'text')
    .addColumn('leased_until', 'bigint')
    .execute();
  await index('domain_checks', 'next_check_at');
  await sql`CREATE INDEX domain_checks_leased ON domain_checks (leased_until) WHERE leased_until IS NOT NULL`.execute(
    db,
  );

  await serial('domain_events')
    .addColumn('domain_id', 'text', partOf('domains.id'))
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('details', 'text', (c) => c.notNull())
    .execute();
  await index('domain_events', 'domain_id', 'id');

  await schema
    .createTable('certificates')
    .addColumn('domain_id', 'text', keyOf('domains.id'))
    .addColumn('hostname', 'text', (c) => c.notNull())
    .addColumn('chain', 'text', (c) => c.notNull())
    .addColumn('sealed_key', 'text', (c) => c.notNull())
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('serial', 'text', (c) => c.notNull())
    .addColumn('not_before', 'bigint', (c) => c.notNull())
    .addColumn('not_after', 'bigint', (c) => c.notNull())
    .addColumn('issued_at', 'bigint', (c) => c.notNull())
    .addColumn('renew_at', 'bigint', (c) => c.notNull())
    .addColumn('ari_id', 'text')
    .addColumn('ari_check_at', 'bigint')
    .execute();
  await index('certificates', 'renew_at');
  await index('certificates', 'ari_check_at');
  await index('certificates', 'issued_at');

  await schema
    .createTable('issuances')
    .addColumn('domain_id', 'text', keyOf('domains.id'))
    .addColumn('hostname', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('step', 'text', (c) => c.notNull())
    .addColumn('step_at', 'bigint', (c) => c.notNull())
    .addColumn('requested_at', 'bigint', (c) => c.notNull())
    .addColumn('directory_url', 'text', (c) => c.notNull())
    .addColumn('order_url', 'text')
    .addColumn('sealed_key', 'text')
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('next_attempt_at', 'bigint')
    .addColumn('last_problem', 'text')
    .addColumn('leased_by', 'text')
    .addColumn('leased_until', 'bigint')
    .execute();
  await index('issuances', 'next_attempt_at');

  // Refers to nothing: orders count even when their domain or project is deleted.
  await serial('acme_orders')
    .addColumn('directory_url', 'text', (c) => c.notNull())
    .addColumn('hostname', 'text', (c) => c.notNull())
    .addColumn('registered_domain', 'text', (c) => c.notNull())
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('domain_id', 'text', (c) => c.notNull())
    .addColumn('is_ari', 'integer', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('order_url', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .execute();
  await index('acme_orders', 'hostname', 'at');
  await index('acme_orders', 'registered_domain', 'at');
  await index('acme_orders', 'project_id', 'at');
  await index('acme_orders', 'directory_url', 'at');
  await index('acme_orders', 'at');
  await sql`CREATE INDEX acme_orders_open ON acme_orders (domain_id) WHERE state = 'open'`.execute(
    db,
  );

  await schema
    .createTable('acme_accounts')
    .addColumn('directory_url', 'text', (c) => c.primaryKey())
    .addColumn('account_url', 'text')
    .addColumn('sealed_key', 'text', (c) => c.notNull())
    .addColumn('directory', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();

  await schema
    .createTable('acme_challenges')
    .addColumn('hostname', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('token', 'text', (c) => c.notNull())
    .addColumn('domain_id', 'text', partOf('domains.id'))
    .addColumn('key_authorization', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('acme_challenges_pkey', ['hostname', 'type', 'token'])
    .execute();
  await index('acme_challenges', 'domain_id');

  await schema
    .createTable('webhooks')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', partOf('projects.id'))
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('sealed_secret', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('created_by_email', 'text', (c) => c.notNull())
    .addColumn('disabled_at', 'bigint')
    .addColumn('last_delivery', 'text')
    .execute();
  await index('webhooks', 'project_id');

  await schema
    .createTable('notices')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('project_id', 'text', partOf('projects.id'))
    .addColumn('webhook_id', 'text', (c) => c.references('webhooks.id').onDelete('cascade'))
    .addColumn('email', 'text')
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('next_attempt_at', 'bigint')
    .addColumn('delivered_at', 'bigint')
    .addColumn('last_error', 'text')
    .addColumn('leased_until', 'bigint')
    .execute();
  await index('notices', 'next_attempt_at');
  await index('notices', 'project_id');
}
