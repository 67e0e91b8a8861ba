import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { accountLife } from './migrations/account-life.ts';
import { authorities } from './migrations/authorities.ts';
import { changeExceptions } from './migrations/change-exceptions.ts';
import { domainConnect } from './migrations/domain-connect.ts';
import { domainMoves } from './migrations/domain-moves.ts';
import { domainNames } from './migrations/domain-names.ts';
import { domains } from './migrations/domains.ts';
import { factors } from './migrations/factors.ts';
import { groups } from './migrations/groups.ts';
import { identities } from './migrations/identities.ts';
import { ownZone } from './migrations/own-zone.ts';
import { pendingIdentities } from './migrations/pending-identities.ts';
import { platformCertificates } from './migrations/platform-certificates.ts';
import { platformOrders } from './migrations/platform-orders.ts';
import { preparedDomains } from './migrations/prepared-domains.ts';
import { quotas } from './migrations/quotas.ts';
import { readers } from './migrations/readers.ts';
import { rehearsals } from './migrations/rehearsals.ts';
import { repositories } from './migrations/repositories.ts';
import { siteAccess } from './migrations/site-access.ts';
import { storedBytes } from './migrations/stored-bytes.ts';
import { keyOf, partOf, tablesOf } from './migrations/tables.ts';
import { teamWork } from './migrations/team-work.ts';
import { transparency } from './migrations/transparency.ts';
import { webhookDeliveries } from './migrations/webhook-deliveries.ts';
import type { Engine } from './schema.ts';

/** The steps from nothing to the tables of schema.ts, by name and in this order. One that was released never changes. */
export function migrations(engine: Engine): Record<string, Migration> {
  return {
    '0001_first': { up: (db) => first(db, engine) },
    '0002_domains': { up: (db) => domains(db, engine) },
    '0003_renewal_orders': { up: renewalOrders },
    '0004_token_scopes': { up: tokenScopes },
    '0005_reserved_labels': { up: (db) => reservedLabels(db, engine) },
    '0006_deploy_sources': { up: (db) => deploySources(db, engine) },
    '0007_deploy_tokens': {
      up: (db) => db.schema.alterTable('deploys').addColumn('token_id', 'text').execute(),
    },
    '0008_builds': { up: (db) => builds(db, engine) },
    '0009_site_switches': { up: siteSwitches },
    '0010_request_proxy': { up: requestProxy },
    '0011_findings': { up: findings },
    '0012_deploy_documents': {
      up: (db) => db.schema.alterTable('deploys').addColumn('source_document', 'text').execute(),
    },
    '0014_build_keys': { up: (db) => buildKeys(db, engine) },
    '0015_branch_previews': { up: (db) => branchPreviews(db, engine) },
    '0016_site_versions': { up: siteVersions },
    '0018_webhook_deliveries': { up: (db) => webhookDeliveries(db, engine) },
    '0019_deploy_changes': { up: deployChanges },
    '0020_deploy_commits': {
      up: (db) => db.schema.alterTable('deploys').addColumn('source_commit', 'text').execute(),
    },
    '0022_change_exceptions': { up: (db) => changeExceptions(db, engine) },
    '0023_repositories': { up: (db) => repositories(db, engine) },
    '0024_own_zone': { up: ownZone },
    '0031_authorities': { up: authorities },
    '0032_platform_certificates': { up: platformCertificates },
    '0033_prepared_domains': { up: preparedDomains },
    '0034_domain_names': { up: domainNames },
    '0035_rehearsals': { up: rehearsals },
    '0036_domain_moves': { up: domainMoves },
    '0037_transparency': { up: (db) => transparency(db, engine) },
    '0038_domain_connect': { up: domainConnect },
    '0039_platform_orders': { up: platformOrders },
    '0042_account_life': { up: (db) => accountLife(db, engine) },
    '0043_identities': { up: (db) => identities(db, engine) },
    '0044_groups': { up: (db) => groups(db, engine) },
    '0045_factors': { up: (db) => factors(db, engine) },
    '0045_pending_identities': { up: pendingIdentities },
    '0046_site_access': { up: (db) => siteAccess(db, engine) },
    '0047_readers': { up: (db) => readers(db, engine) },
    '0048_team_work': { up: (db) => teamWork(db, engine) },
    '0049_quotas': { up: quotas },
    '0051_stored_bytes': { up: (db) => storedBytes(db, engine) },
    '0052_account_told': {
      up: (db) =>
        db.schema
          .alterTable('users')
          .addColumn('stored_told', 'bigint', (c) => c.notNull().defaultTo(0))
          .execute(),
    },
  };
}

async function first(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const bytes = engine === 'sqlite' ? 'blob' : 'bytea';
  const { serial, index } = tablesOf(db, engine);
  const { schema } = db;

  await schema
    .createTable('users')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  // However many sign up at the same time, one of them is the first.
  await sql`CREATE UNIQUE INDEX users_owner ON users (role) WHERE role = 'owner'`.execute(db);

  await schema
    .createTable('sessions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('user_id', 'text', partOf('users.id'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_seen_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('ip', 'text', (c) => c.notNull())
    .addColumn('user_agent', 'text', (c) => c.notNull())
    .execute();
  await index('sessions', 'user_id');

  await schema
    .createTable('sign_in_failures')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('count', 'integer', (c) => c.notNull())
    .addColumn('resets_at', 'bigint', (c) => c.notNull())
    .execute();

  await schema
    .createTable('projects')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('slug', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('plan', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('live_deploy_id', 'text')
    .addColumn('last_deploy_number', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();

  await schema
    .createTable('api_tokens')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('user_id', 'text', partOf('users.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('project_id', 'text', (c) => c.references('projects.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute();
  await index('api_tokens', 'user_id');
  await index('api_tokens', 'project_id');

  await schema
    .createTable('members')
    .addColumn('project_id', 'text', partOf('projects.id'))
    .addColumn('user_id', 'text', partOf('users.id'))
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('members_pkey', ['project_id', 'user_id'])
    .execute();
  await index('members', 'user_id');

  await schema
    .createTable('invitations')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('project_id', 'text', partOf('projects.id'))
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('invited_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('accepted_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute();
  await index('invitations', 'project_id');

  await schema
    .createTable('blobs')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('bytes', bytes, (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();

  await schema
    .createTable('artifacts')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('manifest', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();

  await schema
    .createTable('artifact_blobs')
    .addColumn('artifact_hash', 'text', partOf('artifacts.hash'))
    // No artifact without its contents: a blob that is in use cannot go.
    .addColumn('blob_hash', 'text', (c) => c.notNull().references('blobs.hash'))
    .addPrimaryKeyConstraint('artifact_blobs_pkey', ['artifact_hash', 'blob_hash'])
    .execute();
  await index('artifact_blobs', 'blob_hash');

  await schema
    .createTable('deploys')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', partOf('projects.id'))
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('source_kind', 'text', (c) => c.notNull())
    .addColumn('source_name', 'text', (c) => c.notNull())
    .addColumn('source_hash', 'text', (c) => c.references('blobs.hash'))
    .addColumn('source_size', 'integer', (c) => c.notNull())
    .addColumn('artifact_hash', 'text', (c) => c.references('artifacts.hash'))
    .addColumn('activate', 'integer', (c) => c.notNull())
    .addColumn('errors', 'text', (c) => c.notNull())
    .addColumn('created_by', 'text', (c) => c.references('users.id').onDelete('set null'))
    .addColumn('created_by_email', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('finished_at', 'bigint')
    .addColumn('activated_at', 'bigint')
    .addColumn('pruned_at', 'bigint')
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('leased_by', 'text')
    .addColumn('leased_until', 'bigint')
    .addUniqueConstraint('deploys_number', ['project_id', 'number'])
    .execute();
  await index('deploys', 'artifact_hash');
  await index('deploys', 'source_hash');
  await index('deploys', 'created_by_email', 'started_at');
  await sql`CREATE INDEX deploys_unfinished ON deploys (created_at) WHERE state IN ('queued', 'building')`.execute(
    db,
  );

  await schema
    .createTable('deploy_log')
    .addColumn('deploy_id', 'text', partOf('deploys.id'))
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('level', 'text', (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('deploy_log_pkey', ['deploy_id', 'seq'])
    .execute();

  await schema
    .createTable('site_clock')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('mark', 'text', (c) => c.notNull())
    .execute();
  await sql`INSERT INTO site_clock (id, seq, mark) VALUES (1, 0, '')`.execute(db);

  await schema
    .createTable('site_changes')
    .addColumn('seq', 'bigint', (c) => c.primaryKey())
    .addColumn('mark', 'text', (c) => c.notNull())
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .execute();

  await serial('audit_log')
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('via', 'text', (c) => c.notNull())
    .addColumn('ip', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('project_id', 'text')
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('details', 'text', (c) => c.notNull())
    .execute();
  await index('audit_log', 'project_id', 'id');
}

/**
 * Marks all renewals, so that they can be told from new certificates. In older rows only renewals with ARI are marked.
 */
async function renewalOrders(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('acme_orders').renameColumn('is_ari', 'is_renewal').execute();
}

/** Uploads are stored in pieces of their own, and no longer as blobs beside those of sites. */
async function deploySources(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('deploy_sources')
    .addColumn('deploy_id', 'text', (c) => c.notNull())
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addColumn('bytes', engine === 'sqlite' ? 'blob' : 'bytea', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('deploy_sources_pkey', ['deploy_id', 'seq'])
    .execute();
  // Queued deploys are built by this version.
  await sql`INSERT INTO deploy_sources (deploy_id, seq, bytes, created_at)
    SELECT deploys.id, 0, blobs.bytes, deploys.created_at
    FROM deploys JOIN blobs ON blobs.hash = deploys.source_hash`.execute(db);
  await db.schema.dropIndex('deploys_source_hash').execute();
  await db.schema.alterTable('deploys').dropColumn('source_hash').execute();
}

/** Labels that must not lead to a stranger: released slugs, and the targets of all claims so far. */
async function reservedLabels(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('reserved_labels')
    .addColumn('label', 'text', (c) => c.primaryKey())
    .addColumn('reserved_until', 'bigint')
    .addColumn('project_id', 'text')
    .addColumn('owner_ids', 'text', (c) => c.notNull())
    .execute();
  await tablesOf(db, engine).index('reserved_labels', 'reserved_until');
  // The targets of deleted claims are not known any more.
  await sql`INSERT INTO reserved_labels (label, owner_ids) SELECT target_label, '[]' FROM domains`.execute(
    db,
  );
}

interface Tables {
  api_tokens: { id: string; user_id: string; project_id: string | null; scopes: string };
  users: { id: string; role: string };
  audit_log: { action: string; via: string; details: string };
}

/**
 * Adds scopes to tokens, and the token to entries of the audit log and to invitations. Existing tokens may read and
 * deploy. Those that the operator created for all projects, by the audit log, keep the scopes that scripts use.
 */
async function tokenScopes(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable('api_tokens')
    .addColumn('scopes', 'text', (c) => c.notNull().defaultTo('read deploy'))
    .execute();
  await schema.alterTable('invitations').addColumn('token_id', 'text').execute();
  await schema.alterTable('audit_log').addColumn('token_id', 'text').execute();
  await schema.alterTable('audit_log').addColumn('token_name', 'text').execute();

  const tables = db as Kysely<Tables>;
  const made = await tables
    .selectFrom('audit_log')
    .select('details')
    .where('action', '=', 'token.create')
    .where('via', '=', 'command')
    .execute();
  const owners = tables.selectFrom('users').select('id').where('role', '=', 'owner');
  for (const { details } of made) {
    const { id } = JSON.parse(details) as { id: string };
    const token = tables
      .updateTable('api_tokens')
      .where('id', '=', id)
      .where('project_id', 'is', null);
    await token.set({ scopes: 'read deploy projects domains' }).execute();
    await token
      .set({ scopes: 'read deploy projects domains installation' })
      .where('user_id', 'in', owners)
      .execute();
  }
}

async function builds(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('builds')
    .addColumn('deploy_id', 'text', (c) => c.notNull())
    .addColumn('worker', 'text', (c) => c.notNull())
    .addColumn('account_email', 'text', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .execute();
  await tablesOf(db, engine).index('builds', 'account_email', 'started_at');
}

/** Existing sites have an MCP server from now on, as new ones do. */
async function siteSwitches(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('projects')
    .addColumn('mcp', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
}

async function requestProxy(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('projects')
    .addColumn('request_proxy', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}

async function buildKeys(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema.alterTable('artifacts').addColumn('build_key', 'text').execute();
  await db.schema
    .alterTable('artifacts')
    .addColumn('build_lines', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute();
  await tablesOf(db, engine).index('artifacts', 'build_key');
}

/** Earlier deploys have no findings apart from the lines of their logs. */
async function findings(db: Kysely<unknown>): Promise<void> {
  const isOff = (c: ColumnDefinitionBuilder) => c.notNull().defaultTo(0);
  await db.schema.alterTable('projects').addColumn('strict', 'integer', isOff).execute();
  await db.schema.alterTable('deploys').addColumn('strict', 'integer', isOff).execute();
  await db.schema
    .alterTable('deploys')
    .addColumn('findings', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute();
}

async function branchPreviews(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema.alterTable('deploys').addColumn('branch', 'text').execute();
  await db.schema
    .createTable('branch_previews')
    .addColumn('project_id', 'text', partOf('projects.id'))
    .addColumn('branch', 'text', (c) => c.notNull())
    .addColumn('label', 'text', (c) => c.notNull())
    .addColumn('deploy_id', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('deployed_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('branch_previews_pkey', ['project_id', 'branch'])
    .addUniqueConstraint('branch_previews_label', ['project_id', 'label'])
    .execute();
  await tablesOf(db, engine).index('branch_previews', 'deployed_at');
}

async function siteVersions(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('projects').addColumn('default_version', 'text').execute();
  await db.schema.alterTable('deploys').addColumn('version', 'text').execute();
  await db.schema
    .createTable('site_versions')
    .addColumn('project_id', 'text', partOf('projects.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('deploy_id', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('deployed_at', 'bigint', (c) => c.notNull())
    .addColumn('retired_at', 'bigint')
    .addPrimaryKeyConstraint('site_versions_pkey', ['project_id', 'name'])
    .execute();
}

async function deployChanges(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('projects')
    .addColumn('hold_breaking', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  for (const column of ['comparison', 'allow_breaking', 'held'])
    await db.schema.alterTable('deploys').addColumn(column, 'text').execute();
  await db.schema
    .createTable('deploy_changes')
    .addColumn('deploy_id', 'text', keyOf('deploys.id'))
    .addColumn('changes', 'text', (c) => c.notNull())
    .addColumn('left_out', 'integer', (c) => c.notNull())
    .execute();
}
