import { openSync, readSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/** The first copy of the WAL index's header: https://sqlite.org/walformat.html, section 2.1. */
const HEADER_BYTES = 48;

/**
 * Tells whether a database was written to, by whichever thread or process.
 *
 * In WAL mode every commit rewrites the header at the start of the `-shm` file: that is how SQLite's own readers learn
 * of it. To read those bytes costs a third of `PRAGMA data_version`, which matters sixty thousand times a second. Where
 * the file can't be read, the pragma is used.
 *
 * The file is never closed: to close any descriptor of a file gives up all locks that the process holds on it (POSIX,
 * fcntl), SQLite's own among them.
 */
export class ChangeDetector {
  readonly #last = Buffer.alloc(HEADER_BYTES);
  readonly #now = Buffer.alloc(HEADER_BYTES);
  readonly #hasChanged: () => boolean;

  /** `path` is the database file, open in WAL mode on `db`, which must stay open. */
  constructor(db: DatabaseSync, path: string) {
    const file = openIndex(path);
    this.#hasChanged =
      file === undefined ? compareDataVersion(db) : () => this.#compareHeader(file);
  }

  /**
   * Whether anything was committed since the last call. A commit that was acknowledged to anyone before the call is
   * never missed. Call it before you read what you mean to keep.
   */
  hasChanged(): boolean {
    return this.#hasChanged();
  }

  #compareHeader(file: number): boolean {
    readSync(file, this.#now, 0, HEADER_BYTES, 0);
    if (this.#now.equals(this.#last)) return false;
    this.#now.copy(this.#last);
    return true;
  }
}

function openIndex(path: string): number | undefined {
  try {
    return openSync(`${path}-shm`, 'r');
  } catch {
    return undefined;
  }
}

/** It does not see commits of its own connection. */
function compareDataVersion(db: DatabaseSync): () => boolean {
  const pragma = db.prepare('PRAGMA data_version');
  let last: unknown;
  return () => {
    const now = pragma.get()?.data_version;
    const hasChanged = now !== last;
    last = now;
    return hasChanged;
  };
}
