import { closeSync, openSync, readSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { lockFile } from '../file-lock.ts';
import { UserError } from '../user-error.ts';

/** Files that SQLite may leave beside a database when a process is killed. */
const SUFFIXES = ['', '-journal', '-wal', '-shm'];

const SQLITE_HEADER = Buffer.from('SQLite format 3\0', 'latin1');

/**
 * A database that is being written under another name, `FILE.partial`, so that nobody takes it for a whole one. Only
 * the owner can read it, since it holds hashes of keys or passwords. It is deleted when it is discarded or the process exits, unless
 * it was renamed before.
 */
export class NewDatabaseFile {
  readonly path: string;
  readonly #unlock: () => void;
  readonly #removeFiles = () => removeFiles(this.path);

  /**
   * Creates it, empty, in place of what an earlier process left. Throws UserError where it cannot be created, another
   * process is writing it, or another kind of file is there.
   */
  constructor(finalPath: string) {
    this.path = partialPath(finalPath);
    refuseOther(this.path);
    try {
      this.#unlock = lockFile(this.path);
    } catch (error) {
      throw explain(error, this.path);
    }
    try {
      removeFiles(this.path);
      closeSync(openSync(this.path, 'wx', 0o600));
    } catch (error) {
      this.#unlock();
      throw explain(error, this.path);
    }
    process.once('exit', this.#removeFiles);
  }

  /** Throws UserError where the disk has no room for as many bytes. */
  needRoom(bytes: number): void {
    const { bavail, bsize } = statfsSync(dirname(this.path));
    if (bytes <= bavail * bsize) return;
    throw new UserError(
      `${this.path} needs ${megabytes(bytes)} MB, but its disk has ${megabytes(bavail * bsize)} MB left. Make room, or name a file on another disk.`,
    );
  }

  /** Closes it. If it was not renamed, it is deleted. */
  discard(): void {
    process.off('exit', this.#removeFiles);
    this.#removeFiles();
    this.#unlock();
  }
}

/** The name of a file while it is being written. */
export function partialPath(finalPath: string): string {
  return `${finalPath}.partial`;
}

/** For people: whole megabytes, at least one. */
function megabytes(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 1e6));
}

function removeFiles(path: string): void {
  for (const suffix of SUFFIXES) rmSync(`${path}${suffix}`, { force: true });
}

/** A file of this name may be an unfinished export, which must not be lost. */
function refuseOther(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats || (stats.isFile() && startsAsDatabase(path))) return;
  throw new UserError(
    `${path} exists and is not an unfinished database, so nothing can be written there. Move it away, or name another file.`,
  );
}

/** The header may be missing: SQLite may have written later pages first. */
function startsAsDatabase(path: string): boolean {
  const start = Buffer.alloc(SQLITE_HEADER.length);
  const file = openSync(path, 'r');
  try {
    readSync(file, start, 0, start.length, 0);
  } finally {
    closeSync(file);
  }
  return start.equals(SQLITE_HEADER) || start.every((byte) => byte === 0);
}

function explain(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof UserError || code === undefined) return error;
  return new UserError(
    `${path} cannot be written (${code}). Name a file in an existing folder of this user.`,
    { cause: error },
  );
}
