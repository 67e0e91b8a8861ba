import type { Connection } from '@petstore/postgres/connection.ts';
import { Pool } from '@petstore/postgres/pool.ts';
import { PostgresServer } from '@petstore/postgres/server.ts';
import type { PostgresAddress } from '@petstore/service/postgres-address.ts';
import type { Sql } from 'sql-template-tag';
import { translated } from './errors.ts';

/** How long the server works on one statement. Each takes milliseconds; this one waits for a lock. */
const STATEMENT_TIMEOUT_MS = 5_000;

/**
 * How long work may take seen from here. Longer than the server's own limit, which says what was wrong; a COMMIT that
 * waits for a standby has no other, and a cut cable sends no goodbye.
 */
const LIMIT_MS = STATEMENT_TIMEOUT_MS + 2_000;

/** Work that may wait for a connection. Beyond it is refused at once. */
const MAX_WAITING = 2_048;

/** The server of an address, with the service's sessions. */
export function serverOf(address: PostgresAddress): PostgresServer {
  return new PostgresServer(address, {
    name: 'petstore',
    int8: BigInt,
    settings: {
      // That nothing is missed by who follows links counts on each statement seeing what was committed before it.
      default_transaction_isolation: 'read committed',
      statement_timeout: `${STATEMENT_TIMEOUT_MS}`,
      // Each statement is planned once. Left to itself the server plans those on partitions anew each time, which takes
      // several times as long as carrying them out.
      plan_cache_mode: 'force_generic_plan',
      // A transaction whose process stopped in the middle must not hold its locks for ever.
      idle_in_transaction_session_timeout: `${STATEMENT_TIMEOUT_MS}`,
    },
  });
}

/** Where single rows and pages are read. */
export interface RowReader {
  /** The first row that a statement gives. Rejects as `run` of PostgresClient. */
  row<Row>(statement: Sql): Promise<Row | undefined>;
}

/** Work on a pool of connections, whose failures are what the store's contract says. */
export class PostgresClient implements RowReader {
  readonly #pool: Pool;

  /** `onReadOnly`: called when the server turned out to be one that takes no writes. */
  constructor(server: PostgresServer, size: number, onReadOnly: () => void = () => {}) {
    this.#pool = new Pool(server, { size, maxWaiting: MAX_WAITING, limitMs: LIMIT_MS, onReadOnly });
  }

  /**
   * Does a piece of work. Work that a concurrent transaction undid is done again, so it must be fit for that. Rejects
   * with StoreUnavailableError when the database cannot work now.
   */
  async run<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    try {
      return await this.#pool.run(work);
    } catch (error) {
      throw translated(error);
    }
  }

  row<Row>(statement: Sql): Promise<Row | undefined> {
    return this.run((db) => db.row<Row>(statement));
  }

  /** As `run`, in one transaction, which is undone when `work` rejects. */
  async transaction<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    try {
      return await this.#pool.transaction(work);
    } catch (error) {
      throw translated(error);
    }
  }

  /** How many pieces of work have a connection, and how many wait for one. */
  get load(): Pool['load'] {
    return this.#pool.load;
  }

  /** Gives up every connection as soon as nobody works on it: another server may be the one to ask. */
  renew(): void {
    this.#pool.renew();
  }

  /** Gives up connections at once: their server has fallen silent. */
  discardAll(isMeant: (connection: Connection) => boolean): void {
    this.#pool.discardAll(isMeant);
  }

  /** Lets what is under way finish, for as long as it may take. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** Reads and writes apart, so that reads go on while every write waits, for a standby or a lock. */
export interface Clients {
  readonly reads: PostgresClient;
  readonly writes: PostgresClient;
}

/** What the resources are read and written with. */
export interface ResourceClients {
  readonly pages: RowReader;
  readonly writes: PostgresClient;
}

/** Clients with `size` connections together; a single one has to do for both. */
export function openClients(server: PostgresServer, size: number): Clients {
  if (size === 1) {
    const client = new PostgresClient(server, 1);
    return { reads: client, writes: client };
  }
  const ofWrites = Math.max(1, Math.floor(size * 0.4));
  const reads = new PostgresClient(server, size - ofWrites);
  // What it shows may be old.
  const writes = new PostgresClient(server, ofWrites, () => reads.renew());
  return { reads, writes };
}
