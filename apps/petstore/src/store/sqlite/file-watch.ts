import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/** What SQLite keeps in WAL mode: https://sqlite.org/walformat.html, section 1. */
const FILES = ['', '-wal', '-shm'];

/** What happened to the files of a database, to be said of them. */
export type FileDamage = 'moved, deleted or replaced' | 'cut short';

/**
 * Makes a function that tells what happened to the files of a database; undefined while they are those that
 * they were. One whose file was deleted goes on working on the nameless rest, and all that it takes is
 * lost when the process ends; one whose file was cut short still has its first page in memory, by which
 * it cannot tell. So it is asked before each commit. `db`: a connection to the database.
 */
export function fileWatch(path: string, db: DatabaseSync): () => FileDamage | undefined {
  const files = FILES.map((suffix) => `${path}${suffix}`);
  const opened = files.map(identity);
  const isCutShort = sizeWatch(path, db);
  return () => {
    const isInPlace = files.every((file, at) => {
      const now = identity(file);
      // The index and the log may come only with the first access.
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
    // Asked twice, should it be packed at this moment.
    if (size < sizeBytes && isTooShort() && isTooShort()) return true;
    sizeBytes = size;
    return false;
  };
}

/** How long the file of a database is at least: its last pages may still be in the log. */
function leastBytes(db: DatabaseSync): number {
  const ask = (pragma: string) =>
    Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {}).map(Number);
  const [pages = 0] = ask('page_count');
  const [, logged = 0, copied = 0] = ask('wal_checkpoint(NOOP)');
  const [pageBytes = 0] = ask('page_size');
  return (pages - (logged - copied)) * pageBytes;
}

/** Tells a file from any other that has or had its name; undefined where there is none. */
export function identity(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.dev} ${stat.ino}`;
}
