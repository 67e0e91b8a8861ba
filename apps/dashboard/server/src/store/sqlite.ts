import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { retryWhileLockedSync } from '@petstore/service/sqlite/locks.ts';
import { SQLITE, sqliteCode } from '@petstore/service/sqlite/result-codes.ts';
import {
  type DatabaseConnection,
  type Dialect,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  SqliteQueryCompiler,
} from 'kysely';

/** How long to wait for another process that writes, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** How often its lock is tried meanwhile, in milliseconds. */
const BUSY_POLL_MS = 5;

/**
 * Statements run in this thread, and nothing else does meanwhile. After so many milliseconds of statements in a row,
 * other waiting work gets its turn.
 */
const TURN_MS = 10;

/** Kysely's dialect for the SQLite in Node. `path` may be `:memory:`. */
export function sqliteDialect(path: string): Dialect {
  return dialectOver(openFile(path));
}

/** The same for a database in memory that is open and may have tables. */
export function dialectOverMemory(database: DatabaseSync): Dialect {
  configure(database);
  return dialectOver(database);
}

/** The same for an open database as it is set, which is closed with it. */
export function dialectOver(database: DatabaseSync): Dialect {
  const dialect = new SqliteDialect({ database: asKyselyExpects(database) });
  return {
    createDriver: () => new PatientDriver(database),
    createQueryCompiler: () => new Compiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createAdapter: () => new Adapter(),
  };
}

/** Leaves out locks of rows (`FOR NO KEY UPDATE`), which SQLite does not know: a transaction has all of the database. */
class Compiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!node.modifier?.startsWith('For')) super.visitSelectModifier(node);
  }
}

/**
 * Runs each migration in a transaction, which Kysely does not do for SQLite. Of two processes that start at once, the
 * second one waits and finds the work done; a killed process leaves nothing half done.
 */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Kysely's driver, which blocks nobody else in this process while it works or waits. */
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

  /**
   * SQLite itself rolls back a transaction that a full disk interrupts. Another ROLLBACK would fail and hide the cause.
   */
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
        // A transaction has the lock already.
        const isBusy = sqliteCode(error) === SQLITE.BUSY;
        if (!isBusy || this.#database.isTransaction || performance.now() > deadline) throw error;
        await sleep(BUSY_POLL_MS);
      }
    }
  }
}

function openFile(path: string): DatabaseSync {
  // The database has password hashes: nobody else on the machine may read it.
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // The folder may have existed, readable by all. SQLite's other files get the mode of this one.
    try {
      closeSync(openSync(path, 'a', 0o600));
    } catch {
      // SQLite will report the problem.
    }
  }
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  configure(database);
  return database;
}

function configure(database: DatabaseSync): void {
  // Before anything is written: SQLite accepts this only on an empty file, and writes to others all the same. It lets
  // pruning return space without rewriting the whole file.
  const { page_count } = database.prepare('PRAGMA page_count').get() as { page_count: number };
  if (page_count === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  // Readers and the writer of other processes (an edge, a command) do not wait for each other.
  // SQLite does not wait where two processes set the mode of a new file at once.
  retryWhileLockedSync(() => database.exec('PRAGMA journal_mode = WAL'), BUSY_TIMEOUT_MS);
  // A committed transaction survives a power cut.
  database.exec('PRAGMA synchronous = FULL');
  database.exec('PRAGMA foreign_keys = ON');
  // From here on PatientDriver waits for locks: SQLite would wait in this thread.
  database.exec('PRAGMA busy_timeout = 0');
}

/** How many prepared statements are kept; to prepare one takes longer than to run most. */
const MAX_STATEMENTS = 500;

function asKyselyExpects(database: DatabaseSync) {
  const statements = new Map<string, ReturnType<typeof makeStatement>>();
  return {
    close: () => database.close(),
    prepare: (sql: string) => {
      // A kept statement would report the columns of the tables as they were before a migration.
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
  // A transaction that begins with a read and goes on with a write fails at once, whatever the timeout, when another
  // process wrote in between. So it takes the lock when it begins.
  const statement = database.prepare(sql === 'begin' ? 'begin immediate' : sql);
  type Parameters = readonly unknown[];
  return {
    // It returns a page for each step, and reports no columns.
    reader: statement.columns().length > 0 || sql.startsWith('PRAGMA incremental_vacuum'),
    all: (parameters: Parameters) => statement.all(...(parameters as SQLInputValue[])),
    run: (parameters: Parameters) => statement.run(...(parameters as SQLInputValue[])),
    // Not a kept statement: the caller reads its rows one by one, while others may run the same.
    iterate: (parameters: Parameters) =>
      database
        .prepare(sql)
        .iterate(...(parameters as SQLInputValue[])) as IterableIterator<unknown>,
  };
}
