import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { IN_MEMORY } from '@petstore/service/database-url.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { StoreOptions } from '../store.ts';
import { SQLITE, sqliteCode } from './errors.ts';
import { identity } from './file-watch.ts';
import { MIGRATIONS } from './migrations.ts';

/** Written into the file's header, so that a petstore's database can be told from another program's. */
export const APPLICATION_ID = 0x50657473; // "Pets"

/** Only for their owner, since they have hashes of keys. Existing files and folders stay as they are. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** How long a statement waits for another process's lock, in milliseconds. */
const BUSY_TIMEOUT_MS = 2_000;

/** How often retryWhileLockedSync tries, in milliseconds. */
const BUSY_POLL_MS = 1;

/**
 * Opens a petstore database, creates it where there is none, and brings its schema up to date. Safe when several
 * processes do so at once. Throws UserError for problems that the user can fix: a folder or file that can't be written,
 * a file that is not a database, another program's, or a newer version's.
 */
export function openDatabase(
  path: string,
  { mustExist = false }: Pick<StoreOptions, 'mustExist'> = {},
): DatabaseSync {
  if (path !== IN_MEMORY) {
    if (mustExist) refuseMissing(path);
    createFolder(dirname(path));
    createFile(path);
  }
  let db: DatabaseSync | undefined;
  try {
    const before = identity(path);
    db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    const opened = before ?? identity(path);
    refuseOtherApplication(db, path);
    configure(db, () => refuseReplaced(path, opened));
    migrate(db, path);
    return db;
  } catch (error) {
    db?.close();
    throw explainOpenError(error, path);
  }
}

/**
 * Opens a petstore database to read it as it is: nothing is written, not even a newer schema. Throws UserError as
 * openDatabase does, and where the file does not exist.
 */
export function openToRead(path: string): DatabaseSync {
  refuseMissing(path);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    refuseOtherApplication(db, path);
    refuseNewer(schemaVersion(db), path);
    return db;
  } catch (error) {
    db?.close();
    throw explainOpenError(error, path);
  }
}

function refuseMissing(path: string): void {
  if (existsSync(path)) return;
  throw new UserError(
    `There is no database at ${path}. Run this in the folder where the service runs, or set PETSTORE_DATABASE_URL as it has it.`,
  );
}

/**
 * Opens one more connection to a database that openDatabase has opened before: the one that writes.
 * It waits for no lock; whoever begins a transaction does (`retryWhileLockedSync`).
 */
export function connectToWrite(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  configure(db);
  db.exec('PRAGMA busy_timeout = 0');
  return db;
}

function configure(db: DatabaseSync, refuse = () => {}): void {
  // The busy timeout was set when the connection was opened, since the next line already needs a lock. WAL lets readers
  // go on beside a writer. The mode stays in the file; where two processes set it at once, SQLite does not wait, so it
  // is retried.
  retryWhileLockedSync(() => {
    refuse();
    db.exec('PRAGMA journal_mode = WAL');
  });
  // From here on the connection holds a lock that a restore would need.
  refuse();
  // A commit returns when the log is on disk: what was acknowledged survives a power cut. WAL's
  // usual NORMAL would lose the last commits.
  db.exec('PRAGMA synchronous = FULL');
  db.exec('PRAGMA foreign_keys = ON');
}

/**
 * Retries each millisecond while another process holds the lock, up to the busy timeout, and blocks the thread
 * meanwhile. SQLite's own waiting sleeps longer each time, up to 100 ms, and so misses the short pauses between the
 * transactions of a process that writes without end, such as an import.
 */
export function retryWhileLockedSync(work: () => void): void {
  const deadline = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (sqliteCode(error) !== SQLITE.BUSY || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_POLL_MS);
    }
  }
}

/** The same for a thread that must not block: other work goes on between the attempts. */
export async function retryWhileLocked<T>(work: () => T): Promise<T> {
  const deadline = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (sqliteCode(error) !== SQLITE.BUSY || Date.now() > deadline) throw error;
      await sleep(BUSY_POLL_MS);
    }
  }
}

function migrate(db: DatabaseSync, path: string): void {
  // Usually there is nothing to do. Then there is no lock to wait for beside a busy writer.
  if (schemaVersion(db) === MIGRATIONS.length) return;
  // IMMEDIATE takes the write lock before the version is read: of two processes that start at once,
  // the second waits here and then finds the work done.
  db.exec('BEGIN IMMEDIATE');
  try {
    const version = schemaVersion(db);
    refuseNewer(version, path);
    for (const { script } of MIGRATIONS.slice(version)) db.exec(script);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

export function refuseNewer(version: number, path: string): void {
  if (version <= MIGRATIONS.length) return;
  throw new UserError(
    `${path} was written by a newer petstore (schema ${version}; this one knows up to ${MIGRATIONS.length}). Upgrade petstore, or set PETSTORE_DATABASE_URL to another file.`,
  );
}

/**
 * A restore may replace the file. A process that opened the former one just before would go on with it, and with the
 * log of the new one, since the log goes by the name.
 */
function refuseReplaced(path: string, opened: string | undefined): void {
  if (identity(path) === opened) return;
  throw new UserError(`${path} was replaced while it was being opened. Try again.`);
}

/** Checks a file before anything is written to it. `remedy` is what the user can do. */
export function refuseOtherApplication(
  db: DatabaseSync,
  path: string,
  remedy = 'Set PETSTORE_DATABASE_URL to another file.',
): void {
  const applicationId = pragma(db, 'application_id');
  if (applicationId === APPLICATION_ID) return;
  const isEmpty = db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (applicationId !== 0 || !isEmpty) {
    throw new UserError(`${path} is another program's SQLite database. ${remedy}`);
  }
}

/** How many migrations the database has had. */
export function schemaVersion(db: DatabaseSync): number {
  return pragma(db, 'user_version');
}

function pragma(db: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}

/**
 * Creates a folder and its parents, one by one: mkdir's own `recursive` never returns where a file system returns
 * ENOENT below an existing folder, as /proc does.
 */
export function createFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  createFolder(dirname(folder));
  try {
    mkdirSync(folder, FOLDER_MODE);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isThereNow = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
    if (code === 'EEXIST' && isThereNow) return; // Another process was faster.
    throw new UserError(
      `The database's folder ${folder} cannot be created (${code}). Create it, or set PETSTORE_DATABASE_URL to a place that can be written.`,
      { cause: error },
    );
  }
}

/**
 * Creates a database file that only its owner can read; SQLite gives its log the same mode. If something is in the way,
 * SQLite reports it.
 */
function createFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', FILE_MODE));
  } catch {}
}

/** The message for an error of opening a database; any other error comes back as it is. */
export function explainOpenError(error: unknown, path: string): unknown {
  const sentence = sentenceOf(sqliteCode(error), path);
  return sentence === undefined ? error : new UserError(sentence, { cause: error });
}

function sentenceOf(code: number | undefined, path: string): string | undefined {
  switch (code) {
    case SQLITE.NOTADB:
    case SQLITE.CORRUPT:
      return `${path} is not a SQLite database, or is damaged. Move it away, or set PETSTORE_DATABASE_URL to another file.`;
    case SQLITE.CANTOPEN:
    case SQLITE.READONLY:
    case SQLITE.IOERR:
      return `The database ${path} cannot be opened for writing. Check that it is a file, that it and its folder belong to this user, and that the disk is not read-only.`;
    case SQLITE.FULL:
      return `The disk that holds ${path} is full. Make room and start again.`;
    case SQLITE.BUSY:
      return `The database ${path} is locked by another program. Close that program and try again.`;
    default:
      return undefined;
  }
}
