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
import { retrying } from './retrying.ts';
import type { PostgresServer } from './server.ts';
import { sleepInTurns } from './turns.ts';

/** Waits before the next connection is opened, in milliseconds, by how many failed in a row. */
const RECONNECT_DELAYS_MS = [0, 50, 100, 200];

/** The lifetime of a connection, in milliseconds, so that what a server keeps for each does not grow for ever. */
const LIFETIME_MS = 45 * 60_000;

/** How long cancelled statements may take to end, in milliseconds. */
const CANCELLED_MS = 2_000;

/** The wait until they are cancelled again: a request cancels the current statement, and not one that follows. */
const CANCEL_INTERVAL_MS = 100;

export interface PoolOptions {
  /** The most connections. */
  readonly size: number;
  /** How many pieces of work may wait for one. */
  readonly maxWaiting: number;
  /** The time limit of a piece of work, in milliseconds, the wait for a connection and the retries included. */
  readonly limitMs: number;
  /** Called when the server turns out to accept no writes. */
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
 * when the server cannot be reached, all waiting work is rejected at once. Work that takes too long is cancelled on the
 * server, and its connection counts until it has ended there, so that there are never more than `size`.
 */
export class Pool {
  readonly #server: PostgresServer;
  readonly #options: PoolOptions;
  /** When each reaches the end of its lifetime, by performance.now(). */
  readonly #connections = new Map<Connection, number>();
  /** Connections that have worked once. */
  readonly #proven = new WeakSet<Connection>();
  /** Connections whose work took too long. They are never used again, and are not returned by those who had them. */
  readonly #abandoned = new WeakSet<Connection>();
  /** Idle connections; the one used last is used next. */
  #idle: Connection[] = [];
  #active = 0;
  /** The ends of connections that the server has not closed yet: their sessions may still be there. */
  readonly #ending = new Set<Promise<void>>();
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
   * Does a piece of work. It does work again that others undid, whose tables they changed, or whose connection took no
   * writes, so the work must allow that. Rejects with PoolFullError, TimeLimitError, an error that `isConnectionLoss`
   * knows, or the error of the work.
   */
  async run<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#options.limitMs;
    return retrying(() => this.#attempt(work, deadline), isRetryable);
  }

  /** As `run`, in one transaction, which is rolled back when `work` rejects. */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.run((connection) => inTransaction(connection, work));
  }

  /**
   * Lends a connection to a caller that runs single statements and releases it. Each statement has the pool's time
   * limit; one that is late ends the connection.
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

  /** Discards every connection as soon as it is idle, so that new ones may lead to another server. */
  renew(): void {
    for (const connection of this.#idle.splice(0)) this.#discard(connection);
    for (const connection of this.#connections.keys()) this.#connections.set(connection, 0);
  }

  /** Discards connections at once, as when the server has fallen silent. New work opens new ones. */
  discardAll(isMeant: (connection: Connection) => boolean = () => true): void {
    for (const connection of this.#connections.keys()) {
      if (isMeant(connection)) {
        this.#forget(connection);
        connection.destroy();
      }
    }
  }

  /** Waits for the work under way, within its time limit. */
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

  /** The result of work on a connection, unless it takes too long. */
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
        // A statement that one connection has prepared will be prepared on all.
        this.renew();
      }
      throw error;
    }
  }

  /** Its place is free when the server is done with the statement, or nothing more is heard of the server. */
  async #abandon(connection: Connection): Promise<void> {
    const ended = connection.retire();
    let isOver = false;
    void sleepInTurns(CANCELLED_MS).then(() => {
      isOver = true;
    });
    while (connection.isBusy && !isOver) {
      const requestedAt = performance.now();
      const isCancelled = await Promise.race([ended, connection.cancel()]);
      // If not even the request to cancel arrives, the server is gone, and so are all its other connections but newer
      // ones.
      if (isCancelled === false && connection.isBusy) {
        this.discardAll(({ madeAt }) => madeAt < requestedAt);
      }
      await Promise.race([ended, sleep(CANCEL_INTERVAL_MS, undefined, { ref: false })]);
    }
    if (connection.isBusy) connection.destroy();
    this.#discard(connection);
    this.#leave();
  }

  /** Waits for a place for a piece of work. */
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

  /** A connection for work that has a place. */
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
      // The place is not free before the outcome of the connection is known.
      if (error instanceof TimeLimitError) making.then((made) => this.#give(made), fail);
      else fail(error);
      throw error;
    }
  }

  async #connect(): Promise<Connection> {
    const delayMs = RECONNECT_DELAYS_MS[this.#failures] ?? RECONNECT_DELAYS_MS.at(-1) ?? 0;
    const waitMs = this.#failedAt + delayMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const { size } = this.#options;
    while (this.#ending.size > 0 && this.#active + this.#idle.length + this.#ending.size > size) {
      await Promise.race(this.#ending);
    }
    const begunAt = performance.now();
    try {
      const connection = await this.#server.connect();
      if (this.#isClosed) {
        connection.destroy();
        throw closed();
      }
      // With a random part, so that not all expire at the same moment.
      this.#connections.set(connection, begunAt + LIFETIME_MS * (0.75 + Math.random() / 2));
      return connection;
    } catch (error) {
      this.#countFailure(begunAt);
      throw error;
    }
  }

  /** Of connections that fail together, one counts. */
  #countFailure(begunAt: number): void {
    if (begunAt < this.#failedAt) return;
    this.#failedAt = performance.now();
    this.#failures++;
  }

  /** Takes a connection back, and lets the next waiting work begin. */
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

  /** Closes a connection in order. */
  #discard(connection: Connection): void {
    if (!this.#forget(connection)) return;
    const end = connection.end().finally(() => this.#ending.delete(end));
    this.#ending.add(end);
  }

  /** Returns whether it was known. */
  #forget(connection: Connection): boolean {
    this.#idle = this.#idle.filter((idle) => idle !== connection);
    return this.#connections.delete(connection);
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
    // The first statements are sent without waiting for it. If it fails, those after them must not be carried out.
    const begun = connection.script('BEGIN').catch((error) => {
      connection.destroy(error);
      throw error;
    });
    [, result] = await Promise.all([begun, work(connection)]);
  } catch (error) {
    // The server ends a transaction with its connection: both where the connection is lost and where a rollback fails.
    if (!connection.isLost) await connection.script('ROLLBACK').catch(() => connection.destroy());
    throw error;
  }
  // The server responds to COMMIT with ROLLBACK where an earlier statement failed.
  const [ended] = await connection.script('COMMIT');
  if (ended?.command !== 'COMMIT') {
    throw new Error('a statement failed, so its transaction was rolled back');
  }
  return result;
}

/** The result of a promise. Rejects with TimeLimitError when it takes longer than allowed. */
async function within<T>(limitMs: number, something: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  // If this process stood still itself, it first reads what arrived meanwhile.
  const timer = setTimeout(() => setImmediate(() => late.reject(tooLate())), Math.max(0, limitMs));
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
