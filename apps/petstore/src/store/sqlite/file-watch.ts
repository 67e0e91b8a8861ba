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
 * Says whether the file has been cut short; once true, true for good: what is written afterwards hides the gap, since a
 * checkpoint fills it with zeros. Asks the database how long it has to be, since to open and close the file here would
 * end SQLite's locks on it: https://sqlite.org/howtocorrupt.html, section 2.2.
 */
function sizeWatch(path: string, db: DatabaseSync): () => boolean {
  const sizeOf = () => statSync(path).size;
  const isTooShort = () => leastBytes(db) > sizeOf();
  let isCutShort = false;
  let sizeBytes: number | undefined;
  return () => {
    const size = sizeOf();
    // Any change counts: the file may have grown, and then been cut, since the last call.
    if (isCutShort || size === sizeBytes) return isCutShort;
    // Checked twice, in case a VACUUM is running at this moment.
    isCutShort = isTooShort() && isTooShort();
    sizeBytes = size;
    return isCutShort;
  };
}

/** The least size of the file of a database: its last pages may still be in the WAL. 0 while that cannot be told. */
function leastBytes(db: DatabaseSync): number {
  const ask = (pragma: string) =>
    Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {}).map(Number);
  const [pages = 0] = ask('page_count');
  const [isBusy = 1, logged = 0, copied = 0] = ask('wal_checkpoint(NOOP)');
  const [pageBytes = 0] = ask('page_size');
  // The two are not read at one moment: behind a checkpoint of newer pages, more seem to be copied than logged.
  return isBusy ? 0 : (pages - Math.max(logged - copied, 0)) * pageBytes;
}
