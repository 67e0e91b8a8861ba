import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryResult } from 'pg';
import type { Connection } from './connection.ts';
import {
  ConnectionLostError,
  codeOf,
  isConnectionLoss,
  isRetryable,
  isStalePlan,
  PoolFullError,
  SQLSTATE,
  TimeLimitError,
} from './errors.ts';
import type { PostgresServer } from './server.ts';

/** Waits before the next connection is made, in milliseconds, by how many failed in a row. */
const RECONNECT_DELAYS_MS = [0, 50, 100, 200];

/** Of a connection, in milliseconds, so that what a server keeps for each does not grow for ever. */
const LIFETIME_MS = 45 * 60_000;

/** Waits before a transaction that lost against others is tried again, in milliseconds. */
const RETRY_DELAYS_MS = [5, 20, 100, 300];

/** How long statements that were cancelled may take to end, in milliseconds. */
const CANCELLED_MS = 2_000;

/** How long until they are cancelled again: a request ends one statement, and none that it has overtaken. */
const CANCEL_INTERVAL_MS = 100;

export interface PoolOptions {
  /** Connections at most. */
  readonly size: number;
  /** Work that may wait for one of them. */
  readonly maxWaiting: number;
  /** What a piece of work may take, in milliseconds, the wait for a connection and the retries included. */
  readonly limitMs: number;
  /** Called when the server turned out to be one that takes no writes. */
  readonly onReadOnly?: () => void;
}

/** A connection on loan. */
export interface Lease {
  query(text: string, values?: readonly unknown[]): Promise<QueryResult>;
  release(): void;
}

interface Waiting {
  readonly start: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Connections to a server, each for one piece of work at a time. Work waits in a bounded line, each for a bounded time;
 * when the way to the server breaks, the whole line is told at once. What takes too long is cancelled on the server,
 * and keeps its connection's place until it has ended there: there are never more than `size`.
 */
export class Pool {
  readonly #server: PostgresServer;
  readonly #options: PoolOptions;
  /** When each is used no more, by performance.now(). */
  readonly #connections = new Map<Connection, number>();
  /** Those that have been of use. */
  readonly #proven = new WeakSet<Connection>();
  /** Those whose work took too long. They are never used again, and who had them does not give them back. */
  readonly #abandoned = new WeakSet<Connection>();
  /** Those that nobody works on; the last one that was used is used next. */
  #idle: Connection[] = [];
  #active = 0;
  #waiting: Waiting[] = [];
  #failures = 0;
  #failedAt = 0;
  #isClosed = false;
  #onIdle = () => {};

  constructor(server: PostgresServer, options: PoolOptions) {
    this.#server = server;
    this.#options = options;
  }

  /** How many pieces of work have a connection, and how many wait for one. */
  get load(): { readonly active: number; readonly waiting: number } {
    return { active: this.#active, waiting: this.#waiting.length };
  }

  /**
   * Does a piece of work. Work that others undid, or changed the tables of, is done again, so it must be fit for that. Rejects
   * with PoolFullError, TimeLimitError, what `isConnectionLoss` knows, or what the work rejects with.
   */
  async run<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#options.limitMs;
    for (const delay of RETRY_DELAYS_MS) {
      try {
        return await this.#attempt(work, deadline);
      } catch (error) {
        if (!isRetryable(error)) throw error;
        // Not all at the same moment, or they undo each other again.
        await sleep(delay * (0.5 + Math.random()));
      }
    }
    return this.#attempt(work, deadline);
  }

  /** As `run`, in one transaction, which is undone when `work` rejects. */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.run((connection) => inTransaction(connection, work));
  }

  /**
   * A connection for whoever has statements one by one, to be released. Each statement has the pool's limit for itself;
   * one that is late takes the connection with it.
   */
  async lease(): Promise<Lease> {
    const deadline = performance.now() + this.#options.limitMs;
    await this.#enter(deadline);
    const connection = await this.#takeOrLeave(deadline);
    return {
      query: (text, values = []) =>
        this.#limited(connection, connection.query(text, values), this.#options.limitMs),
      release: () => {
        if (!this.#abandoned.has(connection)) this.#give(connection);
      },
    };
  }

  /** Gives up every connection as soon as nobody works on it, so that new ones may lead to another server. */
  renew(): void {
    for (const connection of this.#idle.splice(0)) this.#discard(connection);
    for (const connection of this.#connections.keys()) this.#connections.set(connection, 0);
  }

  /** Gives up connections at once, as where the server has fallen silent. New work makes new ones. */
  discardAll(isMeant: (connection: Connection) => boolean = () => true): void {
    for (const connection of this.#connections.keys()) {
      if (isMeant(connection)) this.#discard(connection);
    }
  }

  /** Lets what is under way finish, within its time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#rejectWaiting(undefined);
    if (this.#active > 0) {
      const idle = new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
      await Promise.race([idle, sleep(this.#options.limitMs, undefined, { ref: false })]);
    }
    await Promise.all(this.#idle.map((connection) => connection.end()));
    this.discardAll();
  }

  async #attempt<T>(work: (connection: Connection) => Promise<T>, deadline: number): Promise<T> {
    await this.#enter(deadline);
    const connection = await this.#takeOrLeave(deadline);
    try {
      return await this.#limited(connection, work(connection), deadline - performance.now());
    } finally {
      if (!this.#abandoned.has(connection)) this.#give(connection);
    }
  }

  /** What work on a connection comes to, unless it takes too long. */
  async #limited<T>(connection: Connection, working: Promise<T>, limitMs: number): Promise<T> {
    const begunAt = performance.now();
    try {
      const result = await within(limitMs, working);
      this.#failures = 0;
      this.#proven.add(connection);
      return result;
    } catch (error) {
      if (this.#abandoned.has(connection)) throw error;
      if (error instanceof TimeLimitError) {
        this.#abandoned.add(connection);
        void this.#abandon(connection);
      } else if (isConnectionLoss(error)) {
        if (!this.#proven.has(connection)) this.#countFailure(begunAt);
        if (codeOf(error) === SQLSTATE.READ_ONLY) {
          this.renew();
          this.#options.onReadOnly?.();
        }
        this.#discard(connection);
        this.#rejectWaiting(error);
      } else if (isStalePlan(error)) {
        // What one connection has prepared, all have.
        this.renew();
      }
      throw error;
    }
  }

  /** Its place is free when the server has ended what it does, or nothing more is heard of it. */
  async #abandon(connection: Connection): Promise<void> {
    const ended = connection.retire();
    const deadline = performance.now() + CANCELLED_MS;
    while (connection.isBusy && performance.now() < deadline) {
      const requestedAt = performance.now();
      const isCancelled = await Promise.race([ended, connection.cancel()]);
      // Who cannot even be asked to cancel is gone, and so are the other connections, but for new ones.
      if (isCancelled === false && connection.isBusy) {
        this.discardAll(({ madeAt }) => madeAt < requestedAt);
      }
      await Promise.race([ended, sleep(CANCEL_INTERVAL_MS, undefined, { ref: false })]);
    }
    this.#discard(connection);
    this.#give(connection);
  }

  /** A place for a piece of work. */
  async #enter(deadline: number): Promise<void> {
    if (this.#isClosed) throw closed();
    if (this.#active < this.#options.size) {
      this.#active++;
      return;
    }
    if (this.#waiting.length >= this.#options.maxWaiting) {
      throw new PoolFullError('too much work waits for a connection');
    }
    const { promise, resolve: start, reject } = Promise.withResolvers<void>();
    const waiting = { start, reject };
    this.#waiting.push(waiting);
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      reject(tooLate());
    }, deadline - performance.now());
    await promise.finally(() => clearTimeout(timer));
  }

  /** A connection for whoever has entered. */
  async #takeOrLeave(deadline: number): Promise<Connection> {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (!idle.isLost) return idle;
      this.#connections.delete(idle);
    }
    const making = this.#connect();
    const fail = (error: unknown) => {
      this.#leave();
      this.#rejectWaiting(error);
    };
    try {
      return await within(deadline - performance.now(), making);
    } catch (error) {
      // The place is not free before it is known what becomes of the connection.
      if (error instanceof TimeLimitError) making.then((made) => this.#give(made), fail);
      else fail(error);
      throw error;
    }
  }

  async #connect(): Promise<Connection> {
    const delayMs = RECONNECT_DELAYS_MS[this.#failures] ?? RECONNECT_DELAYS_MS.at(-1) ?? 0;
    const waitMs = this.#failedAt + delayMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const begunAt = performance.now();
    try {
      const connection = await this.#server.connect();
      if (this.#isClosed) {
        connection.destroy();
        throw closed();
      }
      // Not all at the same moment.
      this.#connections.set(connection, begunAt + LIFETIME_MS * (0.75 + Math.random() / 2));
      return connection;
    } catch (error) {
      this.#countFailure(begunAt);
      throw error;
    }
  }

  /** Of those that fail together, one counts. */
  #countFailure(begunAt: number): void {
    if (begunAt < this.#failedAt) return;
    this.#failedAt = performance.now();
    this.#failures++;
  }

  /** Takes a connection back, and lets the next one in line begin. */
  #give(connection: Connection): void {
    const endsAt = this.#connections.get(connection);
    if (endsAt !== undefined) {
      if (connection.isLost || this.#isClosed || performance.now() > endsAt) {
        this.#discard(connection);
      } else {
        this.#idle.push(connection);
      }
    }
    this.#leave();
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next.start();
    else if (--this.#active === 0) this.#onIdle();
  }

  #discard(connection: Connection): void {
    if (!this.#connections.delete(connection)) return;
    this.#idle = this.#idle.filter((idle) => idle !== connection);
    connection.destroy();
  }

  #rejectWaiting(cause: unknown): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reject } of waiting) reject(closed(cause));
  }
}

async function inTransaction<T>(
  connection: Connection,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  let result: T;
  try {
    // The first statements do not wait for it; where it failed, those behind them must not be carried out.
    const begun = connection.script('BEGIN').catch((error) => {
      connection.destroy(error);
      throw error;
    });
    [, result] = await Promise.all([begun, work(connection)]);
  } catch (error) {
    // With a connection that is lost the server ends its transaction, and so it does with one that cannot undo it.
    if (!connection.isLost) await connection.script('ROLLBACK').catch(() => connection.destroy());
    throw error;
  }
  // The server answers COMMIT with ROLLBACK where a statement failed before.
  const [ended] = await connection.script('COMMIT');
  if (ended?.command !== 'COMMIT') {
    throw new Error('a statement failed, so its transaction was rolled back');
  }
  return result;
}

/** What comes of something. Rejects with TimeLimitError when that takes longer than it may. */
async function within<T>(limitMs: number, something: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(tooLate()), Math.max(0, limitMs));
  try {
    return await Promise.race([something, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function tooLate(): TimeLimitError {
  return new TimeLimitError('PostgreSQL did not respond in time');
}

function closed(cause?: unknown): ConnectionLostError {
  return new ConnectionLostError('CONNECTION_CLOSED', 'the connection to PostgreSQL was lost', {
    cause,
  });
}
