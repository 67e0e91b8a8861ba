import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { IN_MEMORY } from '@petstore/service/database-url.ts';
import { identity } from '@petstore/service/file-identity.ts';
import { BUSY_TIMEOUT_MS, retryWhileLockedSync } from '@petstore/service/sqlite/locks.ts';
import {
  createFolder,
  explainOpenError,
  refuseMissing,
} from '@petstore/service/sqlite/open-errors.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { StoreOptions } from '../store-options.ts';
import { MIGRATIONS } from './migrations.ts';

/** The variable that names the store, for messages. */
export const DATABASE_VARIABLE = 'PETSTORE_DATABASE_URL';

/** Written into the file's header, so that a petstore's database can be told from another program's. */
export const APPLICATION_ID = 0x50657473; // "Pets"

/** Only for its owner, since it has hashes of keys. An existing file stays as it is. */
const FILE_MODE = 0o600;

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
    if (mustExist) refuseMissing(path, DATABASE_VARIABLE);
    createFolder(dirname(path), DATABASE_VARIABLE);
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
    throw explainOpenError(error, path, DATABASE_VARIABLE);
  }
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
  // A commit returns when the WAL is on disk: what was acknowledged survives a power cut. WAL's
  // usual NORMAL would lose the last commits, which only those of sandboxes may be: see needsNoDisk in command.ts.
  db.exec('PRAGMA synchronous = FULL');
  db.exec('PRAGMA foreign_keys = ON');
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
  // In this order: another process that makes the tables meanwhile sets the id in the same transaction.
  const isEmpty = db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  const applicationId = pragma(db, 'application_id');
  if (applicationId === APPLICATION_ID || (applicationId === 0 && isEmpty)) return;
  throw new UserError(`${path} is another program's SQLite database. ${remedy}`);
}

/** How many migrations the database has had. */
export function schemaVersion(db: DatabaseSync): number {
  return pragma(db, 'user_version');
}

function pragma(db: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
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
