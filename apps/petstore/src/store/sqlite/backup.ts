import { backup, DatabaseSync } from 'node:sqlite';
import { UserError } from '@petstore/service/user-error.ts';
import { SQLITE, sqliteCode } from './errors.ts';
import { openToRead } from './open.ts';

/** Pages that are copied at once, 4 MB: enough for full speed, and progress that moves. */
const PAGES = 1_024;

interface CopyOptions {
  /** Called with the bytes that the copy will have, before anything is written. May reject. */
  readonly onStart: (total: number) => Promise<void>;
  /** Called after each step with the bytes that are copied. */
  readonly onProgress: (done: number) => void;
  /** Ends the copying with its reason; what was copied stays behind. */
  readonly signal: AbortSignal;
}

/**
 * Copies a database, as it is at one instant, into an empty file, beside whoever writes to it. The
 * copy is one file that needs no log. Rejects with UserError where the disk or the original fails.
 */
export async function copyDatabase(
  path: string,
  target: string,
  options: CopyOptions,
): Promise<void> {
  const db = openToRead(path);
  try {
    await copyAtOneInstant(db, target, options);
    useNoLog(target);
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
  // A read transaction around it: without, SQLite begins anew whenever another process commits, and
  // under load never ends. The log grows meanwhile by what is written.
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

/** The copy's header says WAL, as the original's does, and a reader would make a log beside it. */
function useNoLog(path: string): void {
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
