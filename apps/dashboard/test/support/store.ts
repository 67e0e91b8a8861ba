import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { IN_MEMORY, sqlitePath } from '@petstore/service/database-url.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { engineOf } from '@petstore/test-support/engines.ts';
import type { Prepared } from '@petstore/test-support/postgres.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { sql } from 'kysely';
import { putArtifact, putBlob } from '../../server/src/store/artifacts.ts';
import { type DeployRow, insertDeploy } from '../../server/src/store/deploys.ts';
import {
  migrateWith,
  type OpenDatabase,
  openDatabase,
  openWith,
} from '../../server/src/store/open-database.ts';
import { insertProject } from '../../server/src/store/projects.ts';
import type { Plan } from '../../server/src/store/schema/projects.ts';
import type { Db, NewRow } from '../../server/src/store/schema.ts';
import { dialectOverMemory } from '../../server/src/store/sqlite.ts';
import type { BuiltArtifact } from './build-site.ts';

/** A database with all tables, empty. */
export const UP_TO_DATE: Prepared = {
  name: 'dashboard_up_to_date',
  prepare: async (url) => (await openDatabase(url, 1)).close(),
};

/** As `openDatabase`, for a database in memory that may have tables; it is closed with what this returns. */
function openMemory(
  database: DatabaseSync,
  observer?: Parameters<typeof openDatabase>[2],
): Promise<OpenDatabase> {
  const toLatest = (db: Db) => migrateWith(db, 'sqlite');
  return openWith(dialectOverMemory(database), 'sqlite', toLatest, observer);
}

/** SQLite with all tables, empty, as bytes. Made once: to make the tables takes longer than most tests. */
let upToDate: Promise<Uint8Array> | undefined;

async function makeUpToDate(): Promise<Uint8Array> {
  const database = new DatabaseSync(':memory:');
  const { close } = await openMemory(database);
  const bytes = database.serialize();
  await close();
  return bytes;
}

/** As `openDatabase`; what is in memory is a copy of one that has its tables. */
export const openPrepared: typeof openDatabase = async (url, poolSize, observer) => {
  if (sqlitePath(url) !== IN_MEMORY) return openDatabase(url, poolSize, observer);
  upToDate ??= makeUpToDate();
  const database = new DatabaseSync(':memory:');
  database.deserialize(await upToDate);
  return openMemory(database, observer);
};

/** A database on the test's engine, without a service. */
export async function openTestDatabase(t: TestContext): Promise<OpenDatabase> {
  const database = await openPrepared(await engineOf(t).createDatabase(t, UP_TO_DATE), 4);
  cleanUp(t, database.close);
  return database;
}

/** Waits until so many statements of a database on PostgreSQL wait for locks, or sleep (`Timeout`). */
export async function lockWaits(
  db: Db,
  count = 1,
  type: 'Lock' | 'Timeout' = 'Lock',
): Promise<void> {
  const waiting = sql`
    SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = ${type}`;
  await timeUntil(async () => (await waiting.execute(db)).rows.length >= count);
}

/** A project whose id is its slug. */
export async function putProject(db: Db, slug: string, plan: Plan = 'free'): Promise<void> {
  const project = { id: slug, slug, name: slug, plan, created_at: 0, live_deploy_id: null };
  await db
    .transaction()
    .execute((trx) => insertProject(trx, { ...project, last_deploy_number: 0 }));
}

/** A deploy that succeeded, unless `row` has it otherwise; its id has the number in it. */
export async function putDeploy(
  db: Db,
  project: string,
  number: number,
  row: Partial<DeployRow> = {},
): Promise<string> {
  const id = `${project}${number}`;
  const deploy: NewRow<'deploys'> = {
    id,
    project_id: project,
    number,
    state: 'succeeded',
    source_kind: 'document',
    source_name: 'openapi.json',
    source_size: 1,
    artifact_hash: null,
    activate: 1,
    errors: '[]',
    created_by: null,
    created_by_email: 'ann@example.com',
    token_id: null,
    created_at: number,
    started_at: number,
    finished_at: number,
    activated_at: number,
    pruned_at: null,
    attempts: 1,
    leased_by: null,
    leased_until: null,
    ...row,
  };
  await db.transaction().execute((trx) => insertDeploy(trx, deploy));
  return id;
}

/** An artifact with these blobs, each of which holds its own name. */
export async function storeArtifact(
  db: Db,
  hash: string,
  blobs: readonly string[],
  at: number,
): Promise<void> {
  for (const blob of blobs) await putBlob(db, blob, Buffer.from(blob), at);
  const artifact: BuiltArtifact = {
    hash,
    manifest: { version: 1, title: hash, files: {}, contentSecurityPolicy: '' },
    blobs: new Map(blobs.map((blob) => [blob, Buffer.from(blob)])),
  };
  await db.transaction().execute((trx) => putArtifact(trx, artifact, at));
}
