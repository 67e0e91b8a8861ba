import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresAddress } from '@petstore/service/postgres-address.ts';
import postgres from 'postgres';
import { StoreOverloadedError, StoreUnavailableError } from '../store.ts';
import { isConnectionLoss, isRetryable, translated } from './errors.ts';

type Types = { bigint: bigint };
export type Sql = postgres.Sql<Types>;
export type Transaction = postgres.TransactionSql<Types>;

/** How long the server works on one statement. Each takes milliseconds; this one waits for a lock. */
const STATEMENT_TIMEOUT_MS = 5_000;

/**
 * How long a statement may take seen from here. Longer than the server's own limit, so it is reached
 * only when the server does not answer at all: a cut cable sends no goodbye.
 */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 2_000;

/** How long a connection may take to be made: some round trips, and a process on the server. */
const CONNECT_TIMEOUT_S = 3;

/** Statements that may wait for a connection. Beyond it they are refused at once. */
const MAX_WAITING = 2_048;

/** Waits before a connection is tried again, in seconds, by how often it failed in a row. */
const RECONNECT_DELAYS_S = [0, 0.05, 0.1, 0.2];

/** Waits before a transaction that lost against others is tried again, in milliseconds. */
const RETRY_DELAYS_MS = [5, 20, 100, 300];

/** Makes a driver for an address: at most `max` connections, each opened when it is first needed. */
export function connect(
  { url }: PostgresAddress,
  max: number,
  options: postgres.Options<{ bigint: postgres.PostgresType<bigint> }> = {},
): Sql {
  return postgres(url, {
    max,
    connect_timeout: CONNECT_TIMEOUT_S,
    backoff: (failures: number) => RECONNECT_DELAYS_S[failures] ?? RECONNECT_DELAYS_S.at(-1) ?? 0,
    // int64 as bigint, both ways, with every digit.
    types: { bigint: postgres.BigInt },
    // Types of columns are known here; asking for the catalogue would cost a round trip each time.
    fetch_types: false,
    onnotice: () => {},
    connection: {
      application_name: 'petstore',
      // The pages' horizon counts on each statement seeing what was committed before it.
      default_transaction_isolation: 'read committed',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      // A transaction whose process stopped in the middle must not hold its locks for ever.
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    },
    ...options,
  });
}

interface Waiting {
  readonly start: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Statements on a pool of connections, one at a time on each. What finds no connection free waits in
 * a bounded line; when the way to the server breaks, the whole line is told at once.
 */
export class PostgresClient {
  readonly #address: PostgresAddress;
  readonly #size: number;
  #sql: Sql;
  #active = 0;
  #waiting: Waiting[] = [];
  #isClosed = false;

  constructor(address: PostgresAddress, size: number) {
    this.#address = address;
    this.#size = size;
    this.#sql = connect(address, size);
  }

  /**
   * Does a piece of work. Work that a concurrent transaction undid is done again, so it must be fit
   * for that. Rejects with StoreUnavailableError when the database cannot work now.
   */
  async run<T>(work: (sql: Sql) => PromiseLike<T>): Promise<T> {
    await this.#enter();
    try {
      return await this.#retry(work);
    } catch (error) {
      if (isConnectionLoss(error)) this.#rejectWaiting(error);
      throw translated(error);
    } finally {
      this.#leave();
    }
  }

  /** As `run`, in one transaction. */
  transaction<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
    return this.run(async (sql) => (await sql.begin(work)) as T);
  }

  /** How many pieces of work have a connection, and how many wait for one. */
  get load(): { readonly active: number; readonly waiting: number } {
    return { active: this.#active, waiting: this.#waiting.length };
  }

  /** Lets what is under way finish, for as long as a statement may take. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#rejectWaiting(undefined);
    await this.#sql.end({ timeout: STATEMENT_TIMEOUT_MS / 1_000 });
  }

  async #retry<T>(work: (sql: Sql) => PromiseLike<T>): Promise<T> {
    for (const delay of RETRY_DELAYS_MS) {
      try {
        return await this.#withinTime(work);
      } catch (error) {
        if (!isRetryable(error)) throw error;
        // Not all at the same moment, or they undo each other again.
        await sleep(delay * (0.5 + Math.random()));
      }
    }
    return this.#withinTime(work);
  }

  async #withinTime<T>(work: (sql: Sql) => PromiseLike<T>): Promise<T> {
    const sql = this.#sql;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        this.#replace(sql);
        const kind = 'timeout';
        reject(new StoreUnavailableError('PostgreSQL did not answer in time', { kind }));
      }, ANSWER_TIMEOUT_MS);
    });
    try {
      return await Promise.race([work(sql), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Connections that do not answer would stay in the pool until the system gives them up. */
  #replace(silent: Sql): void {
    if (this.#sql !== silent || this.#isClosed) return;
    this.#sql = connect(this.#address, this.#size);
    void silent.end({ timeout: 0 });
  }

  async #enter(): Promise<void> {
    if (this.#isClosed) throw new StoreUnavailableError('the store is closed');
    if (this.#active < this.#size) {
      this.#active++;
      return;
    }
    if (this.#waiting.length >= MAX_WAITING) {
      throw new StoreOverloadedError('Too many requests wait for the database.');
    }
    await new Promise<void>((start, reject) => this.#waiting.push({ start, reject }));
  }

  /** The place of one that is done goes to the next in line. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next.start();
    else this.#active--;
  }

  #rejectWaiting(cause: unknown): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const kind = 'connection';
    for (const { reject } of waiting) {
      reject(new StoreUnavailableError('the connection to PostgreSQL was lost', { cause, kind }));
    }
  }
}
