import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@petstore/postgres/connection.ts';
import { PoolFullError } from '@petstore/postgres/errors.ts';
import { Pool } from '@petstore/postgres/pool.ts';
import type { PostgresAddress } from '@petstore/service/postgres-address.ts';
import sql, { type Sql } from 'sql-template-tag';
import { serverOf } from '../client.ts';
import type { PrimaryPosition, PrimaryState } from './primary-position.ts';
import { Silence, SilentError } from './silence.ts';

/**
 * How long a read waits for a replica to reach the primary's position, and then for the primary to show what the
 * replica shows, in milliseconds. Each takes a flush of a disk and some round trips. After that the read goes to the
 * primary.
 */
const CATCH_UP_MS = 30;

/** How often it checks meanwhile. */
const LOOK_INTERVAL_MS = 2;

/** How long a replica may respond to nothing, in milliseconds. All reads that wait for it then go to the primary. */
const SILENCE_MS = 250;

/** The time limit of a read on a replica that responds to others, in milliseconds. */
const LIMIT_MS = 1_000;

/** How many reads may wait for a connection to a replica. */
const MAX_WAITING = 2_048;

/**
 * Why a replica could not be used. lag: it has not reached the primary's position; ahead: it shows what the primary
 * does not show yet; other_history: it is on another timeline, or of another database; not_standby: it is not a
 * standby; busy: too many reads wait for it; lost: it did not respond, or the query failed.
 */
export const REASONS = ['lag', 'ahead', 'other_history', 'not_standby', 'busy', 'lost'] as const;

export type Reason = (typeof REASONS)[number];

/** The error of a read that a replica could not do. */
export class ReplicaError extends Error {
  override name = 'ReplicaError';
  readonly reason: Reason;

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** How far a connection's server had replayed the WAL. It only advances while the connection lives. */
interface Reached {
  readonly isStandby: boolean;
  readonly replayLsn: bigint | null;
  readonly timelineMark: string | null;
}

interface Shown {
  /** An id above those of all transactions whose work the row can show. */
  readonly xmax: bigint;
  readonly isThere: true | null;
}

/** Reads of one replica. Each shows what the primary could have shown. */
export class Replica {
  /** `host:port`. */
  readonly name: string;
  /** How many reads are under way. */
  underWay = 0;
  /** How many bytes of the primary's WAL it lacked at the last check. */
  lag = 0;
  readonly #pool: Pool;
  readonly #primary: PrimaryPosition;
  readonly #silence = new Silence(SILENCE_MS);
  readonly #reached = new WeakMap<Connection, Reached>();

  constructor(address: PostgresAddress, size: number, primary: PrimaryPosition) {
    this.name = address.server;
    this.#pool = new Pool(serverOf(address), { size, maxWaiting: MAX_WAITING, limitMs: LIMIT_MS });
    this.#primary = primary;
  }

  /**
   * The first row of a statement. It shows everything that the primary had acknowledged at `state`, and nothing that
   * the primary does not show when this resolves. Rejects with ReplicaError.
   */
  async row<Row>(statement: Sql, state: PrimaryState): Promise<Row | undefined> {
    this.underWay++;
    try {
      const reading = this.#pool.run((db) => this.#read<Row>(db, statement, state));
      const row = await this.#silence.unlessSilent(reading);
      await this.#untilVisible(row.xmax, state);
      return row.isThere ? row : undefined;
    } catch (error) {
      throw this.#explained(error);
    } finally {
      this.underWay--;
    }
  }

  /** The id of the cluster that it belongs to. Rejects as `row`. */
  async systemId(): Promise<string> {
    try {
      return await this.#pool.run(systemId);
    } catch (error) {
      throw this.#explained(error);
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #read<Row>(db: Connection, statement: Sql, state: PrimaryState): Promise<Row & Shown> {
    if (this.#hasReached(this.#reached.get(db), state)) return show(db, statement);
    // Sent together. The row is only used if the position before it is far enough.
    const [reached, shown] = await Promise.all([this.#ask(db), show<Row>(db, statement)]);
    if (this.#hasReached(reached, state)) return shown;
    const deadline = performance.now() + CATCH_UP_MS;
    for (;;) {
      const isLate = performance.now() > deadline;
      const now = await this.#ask(db);
      if (this.#hasReached(now, state)) return show(db, statement);
      if (isLate) throw behind(now, state);
      await sleep(LOOK_INTERVAL_MS);
    }
  }

  async #ask(db: Connection): Promise<Reached> {
    const [reached] = await db.rows<Reached>(sql`
      SELECT pg_is_in_recovery() AS "isStandby",
             (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint AS "replayLsn",
             (SELECT mark FROM petstore_history) AS "timelineMark"`);
    this.#reached.set(db, reached as Reached);
    return reached as Reached;
  }

  #hasReached(reached: Reached | undefined, { flushLsn, timelineMark }: PrimaryState): boolean {
    if (!reached?.isStandby || reached.timelineMark !== timelineMark) return false;
    if (reached.replayLsn === null) return false;
    this.lag = Math.max(0, Number(flushLsn - reached.replayLsn));
    return this.lag === 0;
  }

  /**
   * A replica may show a commit before the primary does. Such a commit waits on the primary for another standby, and is
   * lost if that standby is promoted without it.
   */
  async #untilVisible(xmax: bigint, { timelineMark, xmin }: PrimaryState): Promise<void> {
    if (xmax <= xmin) return;
    const deadline = performance.now() + CATCH_UP_MS;
    for (;;) {
      const isLate = performance.now() > deadline;
      const now = await this.#primary.next();
      if (now?.timelineMark !== timelineMark) {
        throw new ReplicaError('other_history', 'the primary was replaced');
      }
      if (xmax <= now.xmin) return;
      if (isLate) {
        throw new ReplicaError('ahead', 'it shows transactions that have not ended on the primary');
      }
    }
  }

  #explained(error: unknown): ReplicaError {
    if (error instanceof ReplicaError) {
      // Another host of the address may be a standby now.
      if (error.reason === 'not_standby') this.#pool.renew();
      return error;
    }
    if (error instanceof PoolFullError) return new ReplicaError('busy', error.message);
    if (error instanceof SilentError) return new ReplicaError('lost', error.message);
    return new ReplicaError('lost', 'it did not respond, or the query failed', {
      cause: error,
    });
  }
}

/** The id of the cluster that a server belongs to. */
export async function systemId(db: Connection): Promise<string> {
  const row = await db.row<{ id: string }>(
    sql`SELECT system_identifier::text AS id FROM pg_control_system()`,
  );
  return row?.id ?? '';
}

/** A statement's first row, with the limits of its snapshot. */
async function show<Row>(db: Connection, statement: Sql): Promise<Row & Shown> {
  const [row] = await db.rows<Row & Shown>(sql`
    SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS xmax, shown.*
    FROM (VALUES (1)) AS one
    LEFT JOIN (SELECT true AS "isThere", statement.* FROM (${statement}) AS statement) AS shown ON true`);
  return row as Row & Shown;
}

function behind(reached: Reached, { timelineMark }: PrimaryState): ReplicaError {
  if (!reached.isStandby) return new ReplicaError('not_standby', 'it is not a standby any more');
  if (reached.timelineMark !== timelineMark) {
    return new ReplicaError('other_history', 'it does not follow the timeline of the primary');
  }
  return new ReplicaError('lag', 'it lacks writes that the primary has acknowledged');
}
