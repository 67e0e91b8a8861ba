import { openSync, readSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/** The first copy of the WAL index's header: https://sqlite.org/walformat.html, section 2.1. */
const HEADER_BYTES = 48;

/** Where the header has the number of commits, in the byte order of the machine. */
const COMMITS_AT = 8;

/** How often the quiet commits are counted again when another commit came in between. */
const MAX_TRIES = 3;

/** After this many counts in a row without a new quiet commit, sandboxes are probably not in use. */
const CALM_COUNTS = 8;

/** Then this many changes of the header are reported without counting, which saves reads of the database. */
const UNCOUNTED = 64;

/**
 * Tells whether the service's own data was written to, by whichever thread, process or program.
 *
 * In WAL mode every commit rewrites the header at the start of the `-shm` file: that is how SQLite's own readers learn
 * of it. To read those bytes costs a third of `PRAGMA data_version`, which matters sixty thousand times a second. Where
 * the file can't be read, the pragma is used.
 *
 * The header also counts the commits, and the database counts those that concern nobody here (see quietCommits). So
 * where the header differs, the difference of the two numbers tells whether there was any other commit. To count costs a
 * read of the database. Where nobody uses sandboxes it is done seldom: an unneeded `true` only makes somebody read again.
 *
 * The file is never closed: to close any descriptor of a file gives up all locks that the process holds on it (POSIX,
 * fcntl), SQLite's own among them.
 */
export class ChangeDetector {
  readonly #last = Buffer.alloc(HEADER_BYTES);
  readonly #now = Buffer.alloc(HEADER_BYTES);
  readonly #hasChanged: () => boolean;
  /** Reads how many quiet commits there were; undefined where the database cannot say. */
  readonly #countQuiet: () => number | undefined;
  /** The commits that were not quiet, when the header was as `#last` has it; undefined where that is not known. */
  #loud: number | undefined;
  #quiet: number | undefined;
  /** Counts in a row that found no new quiet commit. */
  #calmCounts = 0;
  #uncounted = 0;

  /** `path` is the database file, open in WAL mode on `db`, which must stay open. */
  constructor(db: DatabaseSync, path: string) {
    const file = openIndex(path);
    this.#countQuiet = quietCounter(db);
    this.#hasChanged =
      file === undefined ? compareDataVersion(db) : () => this.#compareHeader(file);
  }

  /**
   * Whether anything was committed since the last call, but for quiet commits. A commit that was acknowledged to anyone
   * before the call is never missed. Call it before you read what you mean to keep, and outside of transactions: within
   * one the database shows what was.
   */
  hasChanged(): boolean {
    try {
      return this.#hasChanged();
    } catch {
      // Whoever reads next meets the problem, and reports it.
      return true;
    }
  }

  #compareHeader(file: number): boolean {
    readSync(file, this.#now, 0, HEADER_BYTES, 0);
    if (this.#now.equals(this.#last)) return false;
    if (this.#uncounted > 0) {
      this.#uncounted--;
      this.#loud = undefined;
      this.#now.copy(this.#last);
      return true;
    }
    const quiet = this.#quiet;
    const loud = this.#loud;
    this.#loud = this.#countLoud(file);
    this.#calmCounts = this.#quiet === quiet ? this.#calmCounts + 1 : 0;
    if (this.#calmCounts >= CALM_COUNTS) this.#uncounted = UNCOUNTED;
    return this.#loud === undefined || this.#loud !== loud;
  }

  /** Leaves the header that the number belongs to in `#last`. */
  #countLoud(file: number): number | undefined {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      this.#now.copy(this.#last);
      const quiet = this.#countQuiet();
      this.#quiet = quiet;
      if (quiet === undefined) return undefined;
      readSync(file, this.#now, 0, HEADER_BYTES, 0);
      // The number was read at that header only if no commit came between.
      if (this.#now.equals(this.#last)) return commitsIn(this.#last) - quiet;
    }
    return undefined;
  }
}

function commitsIn(header: Buffer): number {
  return new Uint32Array(header.buffer, header.byteOffset + COMMITS_AT, 1)[0] ?? 0;
}

function quietCounter(db: DatabaseSync): () => number | undefined {
  const select = db.prepare('SELECT number FROM quiet_commits');
  select.setReturnArrays(true);
  return () => {
    try {
      return Number((select.get() as [number] | undefined)?.[0] ?? 0);
    } catch {
      // The file is locked or damaged: whoever reads next meets that, and reports it.
      return undefined;
    }
  };
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
