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
import { UserError } from '@petstore/service/user-error.ts';
import { SQLITE, sqliteCode } from './errors.ts';
import { explainOpenError, refuseOtherApplication, retryWhileLockedSync } from './open.ts';

/** A database's place, kept from everyone else: no process has it open, and none gets it open. */
export interface ReservedPath {
  /** Whether a database, or what is left of one, is there. */
  readonly hasFormer: boolean;
  /**
   * Puts a finished file there, on disk when it returns. The former is kept under the name `aside`, or
   * not at all. Killed at any moment, either is there, and no log of the one beside the other.
   */
  put(file: string, aside: string | undefined): void;
  /** Lets others in. */
  release(): void;
}

/**
 * Takes hold of the place of a database, whose folder is there. Throws UserError where a process has it
 * open, or where it is another program's. A damaged one is taken as well as SQLite can.
 */
export function reservePath(path: string): ReservedPath {
  const hasFormer = existsSync(path) && statSync(path).size > 0;
  // Makes an empty file where there is none: a service that starts now finds it locked.
  const { db, isDamaged } = lockWhole(path);
  let isPut = false;
  return {
    hasFormer,
    put(file, aside) {
      // A second name first, so that the place is never empty.
      if (aside !== undefined) linkAside(path, aside);
      // SQLite has written the log of a whole database into it. What else there is belongs to the
      // former, and would be taken for the new one's.
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

/**
 * Locks a database against all others until the connection is closed, and makes one file of it and
 * its log.
 */
function lockWhole(path: string): { db: DatabaseSync; isDamaged: boolean } {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: 0 });
    const connection = db;
    // In this mode a lock is kept beyond its transaction. Every connection that has read holds a
    // shared one for as long as it lives, so this one is refused beside any.
    connection.exec('PRAGMA locking_mode = EXCLUSIVE');
    retryWhileLockedSync(() => connection.exec('BEGIN EXCLUSIVE; COMMIT'));
    refuseOtherApplication(connection, path);
    connection.exec('PRAGMA journal_mode = DELETE');
    return { db, isDamaged: false };
  } catch (error) {
    const code = sqliteCode(error);
    if (db && (code === SQLITE.CORRUPT || code === SQLITE.NOTADB)) return { db, isDamaged: true };
    db?.close();
    if (code !== SQLITE.BUSY) throw explainOpenError(error, path);
    throw new UserError(
      `${path} is open in another process, such as petstore serve. Stop it: a restore replaces the whole store.`,
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

/** A name is on disk when its folder is. */
export function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
