import type { Connection } from '@petstore/postgres/connection.ts';
import { Pool } from '@petstore/postgres/pool.ts';
import { PostgresServer } from '@petstore/postgres/server.ts';
import type { PostgresAddress } from '@petstore/service/postgres-address.ts';
import type { Sql } from 'sql-template-tag';
import { translated } from './errors.ts';

/** How long the server may work on one statement. Each takes milliseconds, unless it waits for a lock. */
const STATEMENT_TIMEOUT_MS = 5_000;

/**
 * How long a piece of work may take, measured here. It is longer than the server's own limit, whose error says what was
 * wrong. A COMMIT that waits for a standby, and a cut cable, have no other limit.
 */
const LIMIT_MS = STATEMENT_TIMEOUT_MS + 2_000;

/** Pieces of work that may wait for a connection. More are refused at once. */
const MAX_WAITING = 2_048;

/** The server of an address, with the service's sessions. */
export function serverOf(address: PostgresAddress): PostgresServer {
  return new PostgresServer(address, {
    name: 'petstore',
    int8: BigInt,
    timeoutMs: STATEMENT_TIMEOUT_MS,
    settings: {
      // Each statement is planned once. By default the server plans statements on partitions anew each time, which
      // takes several times as long as their execution.
      plan_cache_mode: 'force_generic_plan',
    },
  });
}

/** The source of single rows and pages. */
export interface RowReader {
  /** The first row of a statement. Rejects as `run` of PostgresClient. */
  row<Row>(statement: Sql): Promise<Row | undefined>;
}

/** Runs work on a pool of connections, and turns failures into those of the store's contract. */
export class PostgresClient implements RowReader {
  readonly #pool: Pool;

  /** `onReadOnly`: called when the server turns out to accept no writes. */
  constructor(server: PostgresServer, size: number, onReadOnly: () => void = () => {}) {
    this.#pool = new Pool(server, { size, maxWaiting: MAX_WAITING, limitMs: LIMIT_MS, onReadOnly });
  }

  /**
   * Does a piece of work. It does work again that a concurrent transaction undid, so the work must allow that. Rejects
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

  /** Discards every connection as soon as it is free: another server may have to be used. */
  renew(): void {
    this.#pool.renew();
  }

  /** Discards connections at once: their server has fallen silent. */
  discardAll(isMeant: (connection: Connection) => boolean): void {
    this.#pool.discardAll(isMeant);
  }

  /** Waits for the work under way, for as long as it may take. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** Reads and writes apart, so that reads go on while every write waits, for a standby or a lock. */
export interface Clients {
  readonly reads: PostgresClient;
  readonly writes: PostgresClient;
}

/** The clients that the resources read and write with. */
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
  // The connections for reads may lead to the same demoted server, which shows old data.
  const writes = new PostgresClient(server, ofWrites, () => reads.renew());
  return { reads, writes };
}
