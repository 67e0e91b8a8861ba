import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresAddress } from '@petstore/service/postgres-address.ts';
import postgres from 'postgres';
import { StoreOverloadedError, StoreUnavailableError } from '../store.ts';
import { isConnectionLoss, isRetryable, translated } from './errors.ts';

type Types = { bigint: bigint };
export type Sql = postgres.Sql<Types>;
/** What is asked of it belongs to one transaction. */
export type Transaction = Sql;

/** How long the server works on one statement. Each takes milliseconds; this one waits for a lock. */
const STATEMENT_TIMEOUT_MS = 5_000;

/**
 * How long a statement may take seen from here. Longer than the server's own limit, so it is reached
 * only when the server does not answer at all: a cut cable sends no goodbye.
 */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 2_000;

/** How long a connection may take to be made: some round trips, and a process on the server. */
const CONNECT_TIMEOUT_MS = 3_000;

/** Statements that may wait for a connection. Beyond it they are refused at once. */
const MAX_WAITING = 2_048;

/** Waits before the next connection is made, in milliseconds, by how many failed in a row. */
const RECONNECT_DELAYS_MS = [0, 50, 100, 200];

/** Of a connection, in milliseconds, so that what a server keeps for each does not grow for ever. */
const LIFETIME_MS = 45 * 60_000;

/** Waits before a transaction that lost against others is tried again, in milliseconds. */
const RETRY_DELAYS_MS = [5, 20, 100, 300];

/**
 * Makes a driver for one connection, which is opened with the first statement and never a second time. When it
 * is lost, `onLoss` is called, and whatever is asked of the driver from then on is refused.
 *
 * The driver's own way (3.4.9) is to open it again, with what it still remembers of the lost one. Statements that
 * were left of a transaction would be carried out outside of it; the next connection would wait for what was
 * to be written to the last one; and its `begin` ends a lost transaction on a socket that is not there, an error
 * that ends the process (porsager/postgres, issue 1208).
 */
export function connect(
  { url }: PostgresAddress,
  onLoss: () => void,
  options: postgres.Options<{ bigint: postgres.PostgresType<bigint> }> = {},
): Sql {
  const sql: Sql = postgres(url, {
    max: 1,
    connect_timeout: CONNECT_TIMEOUT_MS / 1_000,
    max_lifetime: null,
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
    // Its types do not name it.
    ...{ socket: socketOpener() },
    onclose: () => {
      void sql.end({ timeout: 0 });
      onLoss();
    },
  });
  return sql;
}

/** What of the driver's options says where the server is. */
interface Place {
  /** The one host of an address, or several, of which any will do. */
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** Of a Unix socket. */
  readonly path: string | false;
}

/**
 * Makes the function that opens the way to the server, to the next host each time. Here a FIN is an error: the
 * driver takes it for none while a connection is being made, and would try again at once, without end.
 */
function socketOpener(): (place: Place) => Promise<Socket> {
  let tries = 0;
  return async ({ host: hosts, port: ports, path }) => {
    for (let left = hosts.length; ; left--) {
      const at = tries++ % hosts.length;
      const host = hosts[at] ?? '';
      try {
        const socket = path ? createConnection(path) : createConnection(ports[at] ?? 0, host);
        await connected(socket);
        socket.once('end', () => socket.destroy(lost('CONNECTION_CLOSED')));
        // By its name the driver checks the server's certificate.
        return Object.assign(socket, { host });
      } catch (error) {
        if (left <= 1) throw error;
      }
    }
  };
}

async function connected(socket: Socket): Promise<void> {
  const timer = setTimeout(() => socket.destroy(lost('CONNECT_TIMEOUT')), CONNECT_TIMEOUT_MS);
  try {
    await once(socket, 'connect');
  } finally {
    clearTimeout(timer);
  }
}

function lost(code: 'CONNECTION_CLOSED' | 'CONNECT_TIMEOUT'): Error {
  return Object.assign(new Error('PostgreSQL closed the connection, or made none'), { code });
}

interface Connection {
  readonly sql: Sql;
  /** When it was begun, and when it is not used again; by performance.now(). */
  readonly begunAt: number;
  readonly endsAt: number;
  /** Whether it has been of any use so far. */
  hasWorked: boolean;
  /** Tells whoever is at work on it that it is lost. */
  onLoss: (error: Error) => void;
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
  readonly #connections = new Set<Connection>();
  /** Those that nobody works on; the last one that was used is used next. */
  #idle: Connection[] = [];
  #failures = 0;
  #failedAt = 0;
  #active = 0;
  #waiting: Waiting[] = [];
  #isClosed = false;
  #onIdle = () => {};

  constructor(address: PostgresAddress, size: number) {
    this.#address = address;
    this.#size = size;
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

  /** As `run`, in one transaction, which is undone when `work` rejects. */
  transaction<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
    return this.run(async (sql) => {
      await sql.unsafe('BEGIN');
      let result: T;
      try {
        result = await work(sql);
      } catch (error) {
        // With a connection that is lost, the server ends its transaction; so it does with one that cannot even
        // undo it.
        if (!isConnectionLoss(error)) {
          await sql.unsafe('ROLLBACK').catch(() => sql.end({ timeout: 0 }));
        }
        throw error;
      }
      // The server answers COMMIT with ROLLBACK where a statement failed before.
      const { command } = await sql.unsafe('COMMIT');
      if (command !== 'COMMIT')
        throw new Error('a statement failed, so its transaction was undone');
      return result;
    });
  }

  /** How many pieces of work have a connection, and how many wait for one. */
  get load(): { readonly active: number; readonly waiting: number } {
    return { active: this.#active, waiting: this.#waiting.length };
  }

  /** Lets what is under way finish, for as long as a statement may take. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#rejectWaiting(undefined);
    const deadline = performance.now() + STATEMENT_TIMEOUT_MS;
    if (this.#active > 0) {
      const idle = new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
      await Promise.race([idle, sleep(STATEMENT_TIMEOUT_MS, undefined, { ref: false })]);
    }
    const timeout = Math.max(0, deadline - performance.now()) / 1_000;
    await Promise.all(Array.from(this.#connections, ({ sql }) => sql.end({ timeout })));
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
    const connection = await this.#take();
    let timer: NodeJS.Timeout | undefined;
    const failure = new Promise<never>((_resolve, reject) => {
      connection.onLoss = reject;
      timer = setTimeout(() => {
        // Connections that do not answer would stay in the pool until the system gives them up.
        for (const silent of this.#connections) this.#discard(silent);
        const kind = 'timeout';
        reject(new StoreUnavailableError('PostgreSQL did not answer in time', { kind }));
      }, ANSWER_TIMEOUT_MS);
    });
    try {
      const result = await Promise.race([work(connection.sql), failure]);
      connection.hasWorked = true;
      this.#failures = 0;
      return result;
    } catch (error) {
      if (isConnectionLoss(error)) this.#discard(connection);
      throw error;
    } finally {
      clearTimeout(timer);
      connection.onLoss = () => {};
      this.#give(connection);
    }
  }

  /** A connection for whoever has entered. */
  async #take(): Promise<Connection> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    const delayMs = RECONNECT_DELAYS_MS[this.#failures] ?? RECONNECT_DELAYS_MS.at(-1) ?? 0;
    const waitMs = this.#failedAt + delayMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const begunAt = performance.now();
    const connection: Connection = {
      sql: connect(this.#address, () => {
        this.#discard(connection);
        connection.onLoss(lost('CONNECTION_CLOSED'));
      }),
      begunAt,
      // Not all at the same moment.
      endsAt: begunAt + LIFETIME_MS * (0.75 + Math.random() / 2),
      hasWorked: false,
      onLoss: () => {},
    };
    this.#connections.add(connection);
    return connection;
  }

  #give(connection: Connection): void {
    if (!this.#connections.has(connection)) return;
    if (performance.now() < connection.endsAt) this.#idle.push(connection);
    else this.#discard(connection);
  }

  /** Ends a connection for good; also one that is lost. */
  #discard(connection: Connection): void {
    if (!this.#connections.delete(connection)) return;
    this.#idle = this.#idle.filter((idle) => idle !== connection);
    void connection.sql.end({ timeout: 0 });
    // Of those that fail together, one counts.
    if (connection.hasWorked || connection.begunAt < this.#failedAt) return;
    this.#failedAt = performance.now();
    this.#failures++;
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
    else if (--this.#active === 0) this.#onIdle();
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
