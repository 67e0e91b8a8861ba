import type { Connection } from '@petstore/postgres/connection.ts';
import type { PostgresServer } from '@petstore/postgres/server.ts';
import type { Log } from '@petstore/service/log.ts';
import sql from 'sql-template-tag';
import { CLOSING, LOCK_CLASS } from './migrations.ts';
import { retryLocks } from './retry-locks.ts';

/** Held while a partition is added; negative, so that it differs from every animal's id. */
const PARTITION_LOCK = -4;

/**
 * The last partition gets an end when it has this size, in bytes, without its indexes: some 40 million animals. Few
 * partitions are better than many, since each costs a list some microseconds.
 */
const FULL_BYTES = 3_000_000_000;

/**
 * The new partition begins at a multiple of this, and at least as many ids after the last one given. So it exists long
 * before it is needed, and no insert under way has an id beyond the new end.
 */
const IDS_AHEAD = 10_000_000n;

const MAX_ID = 2n ** 63n - 1n;

const CHECK_INTERVAL_MS = 60_000;

/**
 * How long inserts and reads may wait behind the one that waits for the lock, in milliseconds. Then it is retried
 * later.
 */
const LOCK_TIMEOUT_MS = 200;
const LOCK_TRIES = 10;

interface Last {
  readonly name: string;
  /** Its first id; null for the first partition of all. */
  readonly from: bigint | null;
  readonly bytes: bigint;
}

/**
 * Gives the last partition of the animals an end when it is large, and adds an empty one behind it. Returns the first
 * id of the new one, or undefined where there was nothing to do. Others wait for milliseconds only: that no animal is
 * beyond the end is checked before, while they go on, and then guaranteed by a constraint.
 */
export async function addPartition(
  server: PostgresServer,
  fullBytes = FULL_BYTES,
): Promise<bigint | undefined> {
  const db = await server.connect();
  try {
    await db.script('SET statement_timeout = 0');
    const lock = await db.row<{ isMine: boolean }>(
      sql`SELECT pg_try_advisory_lock(${LOCK_CLASS}::int, ${PARTITION_LOCK}::int) AS "isMine"`,
    );
    const last = lock?.isMine ? await lastPartition(db) : undefined;
    if (!last || last.bytes < fullBytes) return undefined;
    return await divide(db, last);
  } finally {
    await db.end();
  }
}

/** The partition without an end; undefined where the animals are in one table. */
async function lastPartition(db: Connection): Promise<Last | undefined> {
  return db.row<Last>(sql`
    SELECT relname AS name, pg_relation_size(pg_class.oid) AS bytes,
           substring(pg_get_expr(relpartbound, pg_class.oid) FROM $$FROM \\('(-?\\d+)'\\)$$)::bigint AS from
    FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = to_regclass('pets')
          AND pg_get_expr(relpartbound, pg_class.oid) LIKE '%TO (MAXVALUE)'`);
}

async function divide(db: Connection, { name, from }: Last): Promise<bigint | undefined> {
  const used = await db.row<{ id: bigint }>(sql`
    SELECT greatest(last_value, (SELECT max(id) FROM pets)) AS id FROM pets_id_seq`);
  const end = ((used?.id ?? 0n) / IDS_AHEAD + 2n) * IDS_AHEAD;
  if (end > MAX_ID) return undefined;
  const next = `pets_${Number(/\d+$/.exec(name)?.[0]) + 1}`;
  const bounds = from === null ? `id < ${end}` : `id >= ${from} AND id < ${end}`;
  const limits = `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`;
  // A process that was killed may have left one.
  await withLock(
    db,
    `BEGIN; ${limits};
    ALTER TABLE ${name} DROP CONSTRAINT IF EXISTS ${CLOSING},
      ADD CONSTRAINT ${CLOSING} CHECK (${bounds}) NOT VALID;
    COMMIT`,
  );
  try {
    // Reads every row, while all others go on.
    await db.script(`ALTER TABLE ${name} VALIDATE CONSTRAINT ${CLOSING}`);
    // With the constraint, nothing is read when it is attached again.
    await withLock(
      db,
      `BEGIN; ${limits};
      ALTER TABLE pets DETACH PARTITION ${name};
      ALTER TABLE pets ATTACH PARTITION ${name} FOR VALUES FROM (${from ?? 'MINVALUE'}) TO (${end});
      ALTER TABLE ${name} DROP CONSTRAINT ${CLOSING};
      CREATE TABLE ${next} PARTITION OF pets FOR VALUES FROM (${end}) TO (MAXVALUE);
      COMMIT`,
    );
  } catch (error) {
    const undo = `ALTER TABLE ${name} DROP CONSTRAINT IF EXISTS ${CLOSING}`;
    if (!db.isLost) await db.script(undo).catch(() => {});
    throw error;
  }
  return end;
}

/** Does a transaction, and retries it where a lock was not available in time, and after a deadlock. */
function withLock(db: Connection, script: string): Promise<void> {
  const transaction = async () => {
    try {
      await db.script(script);
    } catch (error) {
      if (!db.isLost) await db.script('ROLLBACK');
      throw error;
    }
  };
  return retryLocks(transaction, { tries: LOCK_TRIES, pauseMs: LOCK_TIMEOUT_MS });
}

/** Checks each minute whether the animals need another partition. Every process does so, and one of them adds it. */
export class PartitionKeeper {
  readonly #server: PostgresServer;
  readonly #log: Log | undefined;
  readonly #timer: NodeJS.Timeout;
  #working: Promise<void> | undefined;
  #hasFailed = false;

  constructor(server: PostgresServer, log: Log | undefined) {
    this.#server = server;
    this.#log = log;
    this.#timer = setInterval(() => {
      this.#working ??= this.#look().finally(() => {
        this.#working = undefined;
      });
    }, CHECK_INTERVAL_MS).unref();
  }

  /** Stops the checks; resolves when the one under way has ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
  }

  async #look(): Promise<void> {
    try {
      const from = await addPartition(this.#server);
      this.#hasFailed = false;
      if (from !== undefined) this.#log?.info({ from: `${from}` }, 'added a partition of pets');
    } catch (err) {
      // Nothing needs the partition soon. If the database is away, others report that.
      if (!this.#hasFailed) this.#log?.warn({ err }, 'no partition of pets can be added');
      this.#hasFailed = true;
    }
  }
}
