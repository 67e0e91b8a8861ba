import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UserError } from '../user-error.ts';
import { adviseOtherFile, type DatabaseKind } from './database-kind.ts';
import { retryWhileLockedSync } from './locks.ts';
import { explainOpenError } from './open-errors.ts';
import { SQLITE, sqliteCode } from './result-codes.ts';

/** The name of a database, locked: no process has it open, and none can open it. */
export interface ReservedPath {
  /** Whether there is a database, or what is left of one. */
  readonly hasFormer: boolean;
  /**
   * Puts a finished file there, on disk when it returns. The former database is kept under the name `aside`, or
   * deleted. A crash at any moment leaves one of the two, and never with the log of the other.
   */
  put(file: string, aside: string | undefined): void;
  /** Releases the lock. */
  release(): void;
}

/**
 * Locks the name of a database, whose folder exists. Throws UserError where a process has it open, or where it is
 * another program's. A damaged database is locked as far as SQLite can.
 */
export function reservePath(path: string, kind: DatabaseKind<object>): ReservedPath {
  const hasFormer = existsSync(path) && statSync(path).size > 0;
  // Creates an empty file where there is none, so that a service that starts now finds it locked.
  const { db, isDamaged } = lockWhole(path, kind);
  let isPut = false;
  return {
    hasFormer,
    put(file, aside) {
      // First a second name for the former file, so that the name is never without one.
      if (aside !== undefined) linkAside(path, aside);
      // SQLite has written the log of an intact database into it. Any other file left belongs to the former database,
      // and would be taken for one of the new database.
      for (const suffix of ['-wal', '-journal']) {
        if (!existsSync(`${path}${suffix}`)) continue;
        if (isDamaged && aside !== undefined) renameSync(`${path}${suffix}`, `${aside}${suffix}`);
        else rmSync(`${path}${suffix}`);
      }
      rmSync(`${path}-shm`, { force: true });
      renameSync(file, path);
      isPut = true;
      syncFolder(path);
    },
    release() {
      if (!hasFormer && !isPut) rmSync(path, { force: true });
      db.close();
    },
  };
}

/** Locks a database against all others until the connection is closed, and writes its log into its file. */
function lockWhole(
  path: string,
  kind: DatabaseKind<object>,
): { db: DatabaseSync; isDamaged: boolean } {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: 0 });
    const connection = db;
    // In this mode a lock outlives its transaction. Every connection that has read holds a shared lock for as long as
    // it lives, so this one is refused beside any.
    connection.exec('PRAGMA locking_mode = EXCLUSIVE');
    retryWhileLockedSync(() => connection.exec('BEGIN EXCLUSIVE; COMMIT'));
    kind.refuseOther(connection, path, adviseOtherFile(kind));
    connection.exec('PRAGMA journal_mode = DELETE');
    return { db, isDamaged: false };
  } catch (error) {
    const code = sqliteCode(error);
    if (db && (code === SQLITE.CORRUPT || code === SQLITE.NOTADB)) return { db, isDamaged: true };
    db?.close();
    if (code !== SQLITE.BUSY) throw explainOpenError(error, path, kind.variable);
    throw new UserError(
      `${path} is open in another process, such as ${kind.program} serve. Stop it: a restore replaces the whole store.`,
      { cause: error },
    );
  }
}

function linkAside(path: string, aside: string): void {
  try {
    linkSync(path, aside);
  } catch (error) {
    throw new UserError(
      `The former database cannot be kept as ${aside} (${(error as NodeJS.ErrnoException).code}). Make room for that name, or copy it and restore with --discard-former.`,
      { cause: error },
    );
  }
}

/** A new name is on disk when its folder is. */
export function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
