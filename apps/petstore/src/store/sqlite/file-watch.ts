import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { identity } from '@petstore/service/file-identity.ts';

/** What SQLite keeps in WAL mode: https://sqlite.org/walformat.html, section 1. */
const FILES = ['', '-wal', '-shm'];

/** What can happen to the files of a database, as messages. */
export type FileDamage = 'moved, deleted or replaced' | 'cut short';

/**
 * Makes a function that says what has happened to the files of a database; undefined while nothing has. When the file
 * is deleted, the process goes on working on the nameless file, and everything written there is lost when it ends. When
 * the file is truncated, SQLite does not notice, since it has the first page in memory. So the function is called
 * before each commit. `db`: a connection to the database.
 */
export function fileWatch(path: string, db: DatabaseSync): () => FileDamage | undefined {
  const files = FILES.map((suffix) => `${path}${suffix}`);
  const opened = files.map(identity);
  const isCutShort = sizeWatch(path, db);
  return () => {
    const isInPlace = files.every((file, at) => {
      const now = identity(file);
      // SQLite may create the index and the WAL only at the first access.
      opened[at] ??= now;
      return now === opened[at];
    });
    if (!isInPlace) return 'moved, deleted or replaced';
    return isCutShort() ? 'cut short' : undefined;
  };
}

/**
 * A database gets smaller only when it is packed (VACUUM). Asks the database how long it has to be, since to
 * open and close the file here would end SQLite's locks on it: https://sqlite.org/howtocorrupt.html, section 2.2.
 */
function sizeWatch(path: string, db: DatabaseSync): () => boolean {
  const sizeOf = () => statSync(path).size;
  let sizeBytes = sizeOf();
  return () => {
    const size = sizeOf();
    const isTooShort = () => leastBytes(db) > sizeOf();
    // Checked twice, in case a VACUUM is running at this moment.
    if (size < sizeBytes && isTooShort() && isTooShort()) return true;
    sizeBytes = size;
    return false;
  };
}

/** The least size of the file of a database: its last pages may still be in the WAL. */
function leastBytes(db: DatabaseSync): number {
  const ask = (pragma: string) =>
    Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {}).map(Number);
  const [pages = 0] = ask('page_count');
  const [, logged = 0, copied = 0] = ask('wal_checkpoint(NOOP)');
  const [pageBytes = 0] = ask('page_size');
  return (pages - (logged - copied)) * pageBytes;
}
