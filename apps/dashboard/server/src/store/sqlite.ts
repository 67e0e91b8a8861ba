import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { type Dialect, SqliteAdapter, SqliteDialect } from 'kysely';

/** How long a statement waits for another process that writes, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** How often a lock is asked for that SQLite itself does not wait for, in milliseconds. */
const BUSY_POLL_MS = 5;

const SQLITE_BUSY = 5;

/** Kysely's SQLite, on the database that Node brings along. `path` may be `:memory:`. */
export function sqliteDialect(path: string): Dialect {
  const dialect = new SqliteDialect({ database: async () => asKyselyExpects(openFile(path)) });
  return {
    createDriver: () => dialect.createDriver(),
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

function openFile(path: string): DatabaseSync {
  // Passwords' hashes are in it: nobody else on the machine may read it.
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  // Before anything is written: only an empty file takes it. Lets pruning give space back without
  // a rewrite of the whole file.
  database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  // Readers and the writer of other processes (an edge, a command) do not wait for each other.
  whileBusy(() => database.exec('PRAGMA journal_mode = WAL'));
  // What was answered survives a power cut.
  database.exec('PRAGMA synchronous = FULL');
  database.exec('PRAGMA foreign_keys = ON');
  // Contents lie in the same file: this much of it may be read without a copy, in bytes.
  database.exec('PRAGMA mmap_size = 268435456');
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

function asKyselyExpects(database: DatabaseSync) {
  return {
    close: () => database.close(),
    prepare: (sql: string) => {
      // A transaction that begins with reading and goes on with writing fails at once, whatever the
      // timeout, when another process wrote in between: so it asks for the lock when it begins.
      const statement = database.prepare(sql === 'begin' ? 'begin immediate' : sql);
      type Parameters = readonly unknown[];
      return {
        reader: statement.columns().length > 0,
        all: (parameters: Parameters) => statement.all(...(parameters as SQLInputValue[])),
        run: (parameters: Parameters) => statement.run(...(parameters as SQLInputValue[])),
        iterate: (parameters: Parameters) =>
          statement.iterate(...(parameters as SQLInputValue[])) as IterableIterator<unknown>,
      };
    },
  };
}
