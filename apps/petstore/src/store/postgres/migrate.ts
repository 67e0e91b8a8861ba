import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@petstore/postgres/connection.ts';
import type { PostgresServer } from '@petstore/postgres/server.ts';
import { UserError } from '@petstore/service/user-error.ts';
import sql from 'sql-template-tag';
import type { MigrationReport, MigrationState, OnMigration } from '../migration.ts';
import { type Index, LOCK_CLASS, MIGRATIONS } from './migrations.ts';
import { isLockFailure, retryLocks } from './retry-locks.ts';
import { type Step, stepsFrom } from './steps.ts';

/** How often a waiting process checks whether the migration is done, in milliseconds. */
const POLL_MS = 100;

/** How often progress is reported. */
const TELL_MS = 1_000;

/** How long a change of tables waits for those that use them, in milliseconds. Others wait behind it meanwhile. */
export const LOCK_TIMEOUT_MS = 2_000;
const LOCK_TRIES = 15;

/** The pause between two tries, in milliseconds. */
const LOCK_PAUSE_MS = 1_000;

/** The version of the schema; undefined where there is no petstore yet. */
export async function schemaVersion(db: Connection): Promise<number | undefined> {
  const table = await db.row(sql`SELECT to_regclass('petstore_schema') IS NOT NULL AS "isThere"`);
  return table?.isThere ? readVersion(db) : undefined;
}

/**
 * Brings the schema from `version` to the newest one, however long it takes; others read and write meanwhile. Of
 * several processes one migrates, and the others wait. Returns what this one did. Throws UserError for a schema of a
 * newer program.
 */
export async function migrate(
  server: PostgresServer,
  db: Connection,
  version: number,
  onMigration: OnMigration = () => {},
): Promise<MigrationReport> {
  const { place } = server.address;
  refuseNewer(version, place);
  const report = { from: version, to: MIGRATIONS.length, steps: [] };
  if (version === MIGRATIONS.length) return report;
  await db.script('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0');
  // Has the server end the work of a process that was killed, so that the next one need not wait for it. Some systems
  // cannot tell the server that a process is gone.
  await db.script(`SET client_connection_check_interval = ${TELL_MS}`).catch(() => {});
  await lock(db, version, onMigration);
  await db.script('CREATE TABLE IF NOT EXISTS petstore_schema (version integer NOT NULL)');
  const from = (await readVersion(db)) ?? 0;
  refuseNewer(from, place);
  return { ...report, from, steps: await doSteps(server, db, from, onMigration) };
}

export function refuseNewer(version: number, place: string): void {
  if (version <= MIGRATIONS.length) return;
  throw new UserError(
    `${place} was written by a newer petstore (schema ${version}; this one knows up to ${MIGRATIONS.length}). Upgrade petstore, or set PETSTORE_DATABASE_URL to another database.`,
  );
}

async function readVersion(db: Connection): Promise<number | undefined> {
  const [result] = await db.script('SELECT version FROM petstore_schema');
  return result?.rows[0]?.version;
}

/** Polls instead of waiting in the database: an index build waits for everybody with an older snapshot. */
async function lock(db: Connection, from: number, onMigration: OnMigration): Promise<void> {
  for (let toldAt = performance.now(); ; ) {
    const row = await db.row<{ isMine: boolean }>(
      sql`SELECT pg_try_advisory_lock(${LOCK_CLASS}::int, ${MIGRATION_LOCK}::int) AS "isMine"`,
    );
    if (row?.isMine) return;
    if (performance.now() - toldAt >= TELL_MS) {
      toldAt = performance.now();
      const state = await migrationState(db, from);
      if (state) onMigration(state);
    }
    await sleep(POLL_MS);
  }
}

async function doSteps(
  server: PostgresServer,
  db: Connection,
  from: number,
  onMigration: OnMigration,
): Promise<MigrationReport['steps']> {
  const done: MigrationReport['steps'][number][] = [];
  const since = new Date();
  for (const step of stepsFrom(from)) {
    const { version, does } = step;
    const begunAt = performance.now();
    const at = done.at(-1)?.version ?? from;
    const to = MIGRATIONS.length;
    // Nobody waits for a new database, so nothing is reported.
    if (at > 0) onMigration({ isOthers: false, since, from: at, to, doing: does, done: undefined });
    const blockedSeconds = await doStep(server, db, step, (state) => {
      onMigration({ ...state, isOthers: false, since });
    });
    done.push({ version, does, seconds: (performance.now() - begunAt) / 1_000, blockedSeconds });
  }
  return done;
}

/** For how many seconds others were blocked. */
async function doStep(
  server: PostgresServer,
  db: Connection,
  step: Step,
  onMigration: OnMigration,
): Promise<number> {
  if (step.kind === 'script') return withLocks(() => advance(db, step), server.address.place);
  // A connection that is busy cannot also report progress.
  const observer = await server.connect();
  const observing = setInterval(() => {
    migrationState(observer, step.version - 1)
      .then((state) => state && onMigration(state))
      .catch(() => {});
  }, TELL_MS);
  try {
    await buildIndex(db, step.index);
    return 0;
  } finally {
    clearInterval(observing);
    await observer.end();
  }
}

/** Builds an index while the table is written to. An index whose build was cut short is dropped first. */
async function buildIndex(db: Connection, { name, table, columns }: Index): Promise<void> {
  const left = await db.row(sql`
    SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(${name}) AND NOT indisvalid`);
  if (left) await db.script(`DROP INDEX CONCURRENTLY ${name}`);
  await db.script(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${table} (${columns})`);
}

/** Runs a script in one transaction. Returns for how many seconds others were blocked. */
async function advance(
  db: Connection,
  { version, locks, script }: Extract<Step, { kind: 'script' }>,
): Promise<number> {
  // The waits for several locks add up.
  const timeoutMs = Math.floor(LOCK_TIMEOUT_MS / Math.max(1, locks.length));
  const begunAt = performance.now();
  try {
    await db.script(
      `BEGIN; SET LOCAL lock_timeout = ${timeoutMs};
      ${locks.map((table) => `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE;`).join('\n')}`,
    );
    await db.script(`
      ${script}
      DELETE FROM petstore_schema;
      INSERT INTO petstore_schema (version) VALUES (${version});
      COMMIT`);
  } catch (error) {
    if (!db.isLost) await db.script('ROLLBACK');
    throw error;
  }
  return locks.length === 0 ? 0 : (performance.now() - begunAt) / 1_000;
}

/** Retries where a lock was not available in time, and after a deadlock. Throws UserError where that does not help. */
async function withLocks<T>(work: () => Promise<T>, place: string): Promise<T> {
  try {
    return await retryLocks(work, { tries: LOCK_TRIES, pauseMs: LOCK_PAUSE_MS });
  } catch (error) {
    if (!isLockFailure(error)) throw error;
    throw new UserError(
      `The tables in ${place} are in use without a pause, so the schema cannot be changed. End long transactions on them (pg_stat_activity shows them), and start petstore again.`,
      { cause: error },
    );
  }
}

/** Held while the schema is brought up to date; negative, so that it differs from every animal's id. */
const MIGRATION_LOCK = -1;

interface Row {
  readonly since: Date | null;
  readonly now: Date;
  readonly index: string | null;
  readonly phase: string | null;
  readonly done: number | null;
}

/**
 * The progress of another process that holds the migration's lock; undefined where none does. `from`: the version of
 * the schema. For an index build PostgreSQL reports the phase, and how much of it is done.
 */
async function migrationState(db: Connection, from: number): Promise<MigrationState | undefined> {
  const row = await db.row<Row>(sql`
    SELECT backend_start AS since, now() AS now, index_relid::regclass::text AS index, phase,
           CASE WHEN phase LIKE '%tuples%' THEN tuples_done::float8 / nullif(tuples_total, 0)
                ELSE blocks_done::float8 / nullif(blocks_total, 0) END AS done
    FROM pg_locks AS lock
         LEFT JOIN pg_stat_activity AS activity ON activity.pid = lock.pid
         LEFT JOIN pg_stat_progress_create_index AS progress ON progress.pid = lock.pid
    WHERE locktype = 'advisory' AND objsubid = 2 AND granted
          AND classid = ${LOCK_CLASS}::int::oid AND objid = (${MIGRATION_LOCK}::bigint & 4294967295)::oid
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
  if (!row) return undefined;
  const { since, now, index, phase, done } = row;
  return {
    isOthers: true,
    since: since ?? now,
    from,
    to: MIGRATIONS.length,
    doing: phase === null ? 'changes definitions' : `builds the index ${index} (${phase})`,
    done: done === null ? undefined : Math.min(1, done),
  };
}
