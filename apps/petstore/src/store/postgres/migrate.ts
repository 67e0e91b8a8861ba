import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@petstore/postgres/connection.ts';
import { codeOf } from '@petstore/postgres/errors.ts';
import type { PostgresAddress } from '@petstore/service/postgres-address.ts';
import { UserError } from '@petstore/service/user-error.ts';
import sql from 'sql-template-tag';
import { LOCK_CLASS, MIGRATIONS } from './migrations.ts';

/** Held while the schema is brought up to date; negative, so it is no id of an animal. */
const MIGRATION_LOCK = -1;

/** How often a process looks whether the one that migrates is done, in milliseconds. */
const POLL_MS = 100;

/** How long a change of a table waits for those that use it, who meanwhile wait behind it. */
const LOCK_TIMEOUT = '2s';
const LOCK_NOT_AVAILABLE = '55P03';
const LOCK_TRIES = 15;

/** The version of the schema; undefined where there is no petstore yet. */
export async function schemaVersion(db: Connection): Promise<number | undefined> {
  const table = await db.row(sql`SELECT to_regclass('petstore_schema') IS NOT NULL AS "isThere"`);
  return table?.isThere ? readVersion(db) : undefined;
}

/**
 * Brings the schema from `version` to the newest, however long it takes; others read and write meanwhile. Of several
 * processes one does it, and the others wait. Throws UserError for a schema of a newer program.
 */
export async function migrate(
  db: Connection,
  version: number,
  { place }: PostgresAddress,
): Promise<void> {
  refuseNewer(version, place);
  if (version === MIGRATIONS.length) return;
  await db.script('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0');
  await lock(db);
  await db.script('CREATE TABLE IF NOT EXISTS petstore_schema (version integer NOT NULL)');
  const begun = (await readVersion(db)) ?? 0;
  refuseNewer(begun, place);
  // A new database has no rows, and nobody in it.
  if (begun === 0) return advance(db, 0, MIGRATIONS.length);
  for (let at = begun; at < MIGRATIONS.length; at++) {
    for (const index of MIGRATIONS[at]?.indexes ?? []) await buildIndex(db, index);
    await withLocks(() => advance(db, at, at + 1), place);
  }
}

function refuseNewer(version: number, place: string): void {
  if (version <= MIGRATIONS.length) return;
  throw new UserError(
    `${place} was written by a newer petstore (schema ${version}; this one knows up to ${MIGRATIONS.length}). Upgrade petstore, or set PETSTORE_DATABASE_URL to another database.`,
  );
}

async function readVersion(db: Connection): Promise<number | undefined> {
  const [result] = await db.script('SELECT version FROM petstore_schema');
  return result?.rows[0]?.version;
}

/** Not by waiting in the database: an index is built when nobody waits in there with an older view of it. */
async function lock(db: Connection): Promise<void> {
  for (;;) {
    const row = await db.row<{ isMine: boolean }>(
      sql`SELECT pg_try_advisory_lock(${LOCK_CLASS}::int, ${MIGRATION_LOCK}::int) AS "isMine"`,
    );
    if (row?.isMine) return;
    await sleep(POLL_MS);
  }
}

/** Builds an index while the table is written to. What a build that was cut short has left is useless. */
async function buildIndex(db: Connection, { name, on }: { name: string; on: string }) {
  const left = await db.row(sql`
    SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(${name}) AND NOT indisvalid`);
  if (left) await db.script(`DROP INDEX CONCURRENTLY ${name}`);
  await db.script(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${on}`);
}

/** All at once or not at all. */
async function advance(db: Connection, from: number, to: number): Promise<void> {
  const scripts = MIGRATIONS.slice(from, to).map(({ script }) => script);
  await db
    .script(`
    BEGIN;
    SET LOCAL lock_timeout = '${LOCK_TIMEOUT}';
    ${scripts.join('\n')}
    DELETE FROM petstore_schema;
    INSERT INTO petstore_schema (version) VALUES (${to});
    COMMIT`)
    .catch(async (error) => {
      if (!db.isLost) await db.script('ROLLBACK');
      throw error;
    });
}

async function withLocks(work: () => Promise<void>, place: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      if (tries === LOCK_TRIES) {
        throw new UserError(
          `The tables in ${place} are in use without a pause, so the schema cannot be changed. End long transactions on them (pg_stat_activity shows them), and start petstore again.`,
          { cause: error },
        );
      }
      await sleep(1_000);
    }
  }
}
