import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@petstore/postgres/connection.ts';
import { PoolFullError, TimeLimitError } from '@petstore/postgres/errors.ts';
import { Pool } from '@petstore/postgres/pool.ts';
import type { PostgresAddress } from '@petstore/service/postgres-address.ts';
import sql, { type Sql } from 'sql-template-tag';
import { serverOf } from '../client.ts';
import type { Position, PrimaryPosition } from './primary-position.ts';

/**
 * How long a read waits for a replica to get where the primary was, and then for the primary to show what the replica
 * shows, in milliseconds: each takes a flush of a disk and some round trips. Then the primary is asked instead.
 */
const CATCH_UP_MS = 30;

/** How often it looks meanwhile. */
const LOOK_INTERVAL_MS = 2;

/** How long a read may take on a replica altogether, in milliseconds; a cut cable sends no goodbye. */
const LIMIT_MS = 1_000;

/** Reads that may wait for a connection to a replica. */
const MAX_WAITING = 2_048;

/**
 * Why a replica could not be used. lag: it has not got where the primary was; ahead: it shows what the primary does not
 * show yet; other_history: it is on another timeline, or of another database; not_standby; busy: too many reads wait
 * for it; lost: it did not respond, or said that it could not.
 */
export const REASONS = ['lag', 'ahead', 'other_history', 'not_standby', 'busy', 'lost'] as const;

export type Reason = (typeof REASONS)[number];

/** A read that a replica did not do. */
export class ReplicaError extends Error {
  override name = 'ReplicaError';
  readonly reason: Reason;

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** How far a connection's server had come when it was asked. It only goes on, for as long as the connection lives. */
interface Reached {
  readonly isStandby: boolean;
  readonly replayed: bigint | null;
  readonly mark: string | null;
}

interface Shown {
  /** The id of a transaction above all whose work can be seen in the row. */
  readonly before: bigint;
  readonly isThere: true | null;
}

/** Reads of one replica, each of which shows what the primary could have shown. */
export class Replica {
  /** `host:port`. */
  readonly name: string;
  /** How many reads are under way. */
  underWay = 0;
  /** How many bytes of the primary's log it lacked when it was asked last. */
  lag = 0;
  readonly #pool: Pool;
  readonly #primary: PrimaryPosition;
  readonly #reached = new WeakMap<Connection, Reached>();

  constructor(address: PostgresAddress, size: number, primary: PrimaryPosition) {
    this.name = address.server;
    this.#pool = new Pool(serverOf(address), { size, maxWaiting: MAX_WAITING, limitMs: LIMIT_MS });
    this.#primary = primary;
  }

  /**
   * The first row that a statement gives, with everything in it that the primary had acknowledged at `position`, and
   * nothing that the primary does not show when this resolves. Rejects with ReplicaError.
   */
  async row<Row>(statement: Sql, position: Position): Promise<Row | undefined> {
    this.underWay++;
    try {
      const row = await this.#pool.run((db) => this.#read<Row>(db, statement, position));
      await this.#untilVisible(row.before, position);
      return row.isThere ? row : undefined;
    } catch (error) {
      throw this.#explained(error);
    } finally {
      this.underWay--;
    }
  }

  /** The number of the cluster that it is of. Rejects as `row`. */
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

  async #read<Row>(db: Connection, statement: Sql, position: Position): Promise<Row & Shown> {
    if (this.#hasReached(this.#reached.get(db), position)) return show(db, statement);
    // Sent together; the row is of use only where what is asked before it says so.
    const [reached, shown] = await Promise.all([this.#ask(db), show<Row>(db, statement)]);
    if (this.#hasReached(reached, position)) return shown;
    const deadline = performance.now() + CATCH_UP_MS;
    for (;;) {
      const isLate = performance.now() > deadline;
      const now = await this.#ask(db);
      if (this.#hasReached(now, position)) return show(db, statement);
      if (isLate) throw behind(now, position);
      await sleep(LOOK_INTERVAL_MS);
    }
  }

  async #ask(db: Connection): Promise<Reached> {
    const [reached] = await db.rows<Reached>(sql`
      SELECT pg_is_in_recovery() AS "isStandby",
             (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint AS replayed,
             (SELECT mark FROM petstore_history) AS mark`);
    this.#reached.set(db, reached as Reached);
    return reached as Reached;
  }

  #hasReached(reached: Reached | undefined, { acknowledged, mark }: Position): boolean {
    if (!reached?.isStandby || reached.mark !== mark || reached.replayed === null) return false;
    this.lag = Math.max(0, Number(acknowledged - reached.replayed));
    return this.lag === 0;
  }

  /**
   * A replica may have a commit before the primary shows it: one that waits there for another standby, and is gone when
   * that one is promoted before it has it.
   */
  async #untilVisible(before: bigint, { mark, visible }: Position): Promise<void> {
    if (before <= visible) return;
    const deadline = performance.now() + CATCH_UP_MS;
    for (;;) {
      const isLate = performance.now() > deadline;
      const now = await this.#primary.next();
      if (now?.mark !== mark) throw new ReplicaError('other_history', 'the primary was replaced');
      if (before <= now.visible) return;
      if (isLate) {
        throw new ReplicaError('ahead', 'it shows transactions that have not ended on the primary');
      }
    }
  }

  #explained(error: unknown): ReplicaError {
    if (error instanceof ReplicaError) {
      // Of several hosts of the address another one may be the one to ask.
      if (error.reason === 'not_standby') this.#pool.renew();
      return error;
    }
    if (error instanceof PoolFullError) return new ReplicaError('busy', error.message);
    // So silent are the other connections, too.
    if (error instanceof TimeLimitError) this.#pool.discardAll();
    return new ReplicaError('lost', 'it did not respond, or the query failed', {
      cause: error,
    });
  }
}

/** The number of the cluster that a server is of. */
export async function systemId(db: Connection): Promise<string> {
  const row = await db.row<{ id: string }>(
    sql`SELECT system_identifier::text AS id FROM pg_control_system()`,
  );
  return row?.id ?? '';
}

/** A statement's first row, in one snapshot with what the snapshot shows. */
async function show<Row>(db: Connection, statement: Sql): Promise<Row & Shown> {
  const [row] = await db.rows<Row & Shown>(sql`
    SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS before, shown.*
    FROM (VALUES (1)) AS one
    LEFT JOIN (SELECT true AS "isThere", statement.* FROM (${statement}) AS statement) AS shown ON true`);
  return row as Row & Shown;
}

function behind(reached: Reached, { mark }: Position): ReplicaError {
  if (!reached.isStandby) return new ReplicaError('not_standby', 'it is not a standby any more');
  if (reached.mark !== mark) {
    return new ReplicaError('other_history', 'it does not follow the timeline of the primary');
  }
  return new ReplicaError('lag', 'it lacks writes that the primary has acknowledged');
}
