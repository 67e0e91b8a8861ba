import { backup, DatabaseSync } from 'node:sqlite';
import { UserError } from '../user-error.ts';
import { type DatabaseKind, openToRead } from './database-kind.ts';
import { SQLITE, sqliteCode } from './result-codes.ts';

/** Pages that are copied at once, 4 MB: enough for full speed, and small enough to show progress. */
const PAGES = 1_024;

interface CopyOptions {
  /** Called with the size of the copy in bytes, before anything is written. May reject. */
  readonly onStart: (total: number) => Promise<void>;
  /** Called after each step with the bytes copied so far. */
  readonly onProgress: (done: number) => void;
  /** Stops the copying with its reason; the part that was copied stays. */
  readonly signal: AbortSignal;
}

/**
 * Copies a database, as it is at one instant, into an empty file, while others write to it. The copy is one file that
 * needs no log. Rejects with UserError where the disk or the original fails.
 */
export async function copyDatabase(
  kind: DatabaseKind<object>,
  path: string,
  target: string,
  options: CopyOptions,
): Promise<void> {
  const db = openToRead(path, kind);
  try {
    await copyAtOneInstant(db, target, options);
    leaveNoLog(target);
  } catch (error) {
    throw explain(error, path, target);
  } finally {
    db.close();
  }
}

async function copyAtOneInstant(
  db: DatabaseSync,
  target: string,
  { onStart, onProgress, signal }: CopyOptions,
): Promise<void> {
  // Inside a read transaction: without it, SQLite begins anew whenever another process commits, and never ends under
  // load. Meanwhile the log grows by what is written.
  db.exec('BEGIN');
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
  const pageSize = Number(db.prepare('PRAGMA page_size').get()?.page_size);
  await onStart(Number(db.prepare('PRAGMA page_count').get()?.page_count) * pageSize);
  await backup(db, target, {
    rate: PAGES,
    progress({ totalPages, remainingPages }) {
      signal.throwIfAborted();
      onProgress((totalPages - remainingPages) * pageSize);
    },
  });
}

/** The copy's header says WAL, as the original's does, so a reader would create a log beside it. */
export function leaveNoLog(path: string): void {
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA journal_mode = DELETE');
  } finally {
    db.close();
  }
}

function explain(error: unknown, path: string, target: string): unknown {
  const code = sqliteCode(error);
  if (code !== SQLITE.FULL && code !== SQLITE.IOERR) return error;
  return new UserError(
    `${target} cannot be written, or ${path} cannot be read (${(error as Error).message}). See whether a disk is full or fails, and try again.`,
    { cause: error },
  );
}
