import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import {
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';

/** How long is waited for another process that writes, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** How often its lock is asked for meanwhile, in milliseconds. */
const BUSY_POLL_MS = 5;

/**
 * Statements run in this thread and are over before anything else is: for no longer than this many
 * milliseconds in a row, and then whatever else waits has its turn.
 */
const TURN_MS = 10;

const SQLITE_BUSY = 5;

/** Kysely's SQLite, on the database that Node brings along. `path` may be `:memory:`. */
export function sqliteDialect(path: string): Dialect {
  const database = openFile(path);
  const dialect = new SqliteDialect({ database: asKyselyExpects(database) });
  return {
    createDriver: () => new PatientDriver(database),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createAdapter: () => new Adapter(),
  };
}

/**
 * Has a migration run in a transaction, which Kysely leaves out for SQLite: of two processes that start at
 * once the second waits and finds the work done, and one that is killed leaves nothing half made.
 */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Kysely's driver, but one that holds up nobody else in this process while it works or waits. */
class PatientDriver extends SqliteDriver {
  readonly #database: DatabaseSync;
  #turnBegan = performance.now();

  constructor(database: DatabaseSync) {
    super({ database: asKyselyExpects(database) });
    this.#database = database;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    return {
      executeQuery: (query) => this.#execute(() => connection.executeQuery(query)),
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    };
  }

  /** SQLite itself takes back what a full disk interrupts; to do so again would hide why. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection);
  }

  async #execute<T>(work: () => Promise<T>): Promise<T> {
    if (performance.now() - this.#turnBegan > TURN_MS) {
      await nextTurn();
      this.#turnBegan = performance.now();
    }
    const deadline = performance.now() + BUSY_TIMEOUT_MS;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        // Whoever is in a transaction has the lock.
        const isBusy = (error as { errcode?: number }).errcode === SQLITE_BUSY;
        if (!isBusy || this.#database.isTransaction || performance.now() > deadline) throw error;
        await sleep(BUSY_POLL_MS);
      }
    }
  }
}

function openFile(path: string): DatabaseSync {
  // Passwords' hashes are in it: nobody else on the machine may read it.
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // The folder may have been there, for all to read. SQLite gives its other files the mode of this one.
    try {
      closeSync(openSync(path, 'a', 0o600));
    } catch {
      // SQLite is about to say what is wrong with it.
    }
  }
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  // Before anything is written: only an empty file takes it. Lets pruning give space back without
  // a rewrite of the whole file.
  database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  // Readers and the writer of other processes (an edge, a command) do not wait for each other.
  whileBusy(() => database.exec('PRAGMA journal_mode = WAL'));
  // A committed transaction survives a power cut.
  database.exec('PRAGMA synchronous = FULL');
  database.exec('PRAGMA foreign_keys = ON');
  // From here on PatientDriver waits for locks: SQLite would wait in this thread.
  database.exec('PRAGMA busy_timeout = 0');
  return database;
}

/** Two processes may race to set the mode of a new file, and SQLite does not wait in this case. */
function whileBusy(work: () => void): void {
  const deadline = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      const { errcode } = error as { errcode?: number };
      if (errcode !== SQLITE_BUSY || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_POLL_MS);
    }
  }
}

/** Statements that are kept ready; to make one takes longer than to run most. */
const MAX_STATEMENTS = 500;

function asKyselyExpects(database: DatabaseSync) {
  const statements = new Map<string, ReturnType<typeof makeStatement>>();
  return {
    close: () => database.close(),
    prepare: (sql: string) => {
      // What a kept statement says of its columns is that of the tables as they were.
      if (CHANGES_TABLES.test(sql)) statements.clear();
      const statement = statements.get(sql) ?? makeStatement(database, sql);
      // The least recently used is in front.
      statements.delete(sql);
      statements.set(sql, statement);
      const [oldest = ''] = statements.keys();
      if (statements.size > MAX_STATEMENTS) statements.delete(oldest);
      return statement;
    },
  };
}

const CHANGES_TABLES = /^\s*(?:create|alter|drop)\b/i;

function makeStatement(database: DatabaseSync, sql: string) {
  // A transaction that begins with reading and goes on with writing fails at once, whatever the
  // timeout, when another process wrote in between: so it asks for the lock when it begins.
  const statement = database.prepare(sql === 'begin' ? 'begin immediate' : sql);
  type Parameters = readonly unknown[];
  return {
    // Gives a page back for each step, and says that it has no columns.
    reader: statement.columns().length > 0 || sql.startsWith('PRAGMA incremental_vacuum'),
    all: (parameters: Parameters) => statement.all(...(parameters as SQLInputValue[])),
    run: (parameters: Parameters) => statement.run(...(parameters as SQLInputValue[])),
    // For whoever goes through rows one by one, while others may ask the same.
    iterate: (parameters: Parameters) =>
      database
        .prepare(sql)
        .iterate(...(parameters as SQLInputValue[])) as IterableIterator<unknown>,
  };
}
