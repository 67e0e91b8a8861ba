import { isUnavailable, SQLITE, sqliteCode } from '@petstore/service/sqlite/result-codes.ts';
import type { Problem } from '../store.ts';
import { StoreUnavailableError, type UnavailableKind } from '../store-errors.ts';

/**
 * Runs a piece of work on the database. Turns an error of SQLite that means the database cannot work now into a
 * StoreUnavailableError; other errors pass.
 */
export function translateErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asUnavailable(error);
  }
}

/** The same for an error that was caught. */
export function asUnavailable(error: unknown): unknown {
  if (!isUnavailable(error)) return error;
  return new StoreUnavailableError('SQLite cannot work now', { cause: error, kind: kindOf(error) });
}

/** Why the database cannot work, and a public message that says what is wrong, by SQLite's code. */
const STATES: Readonly<Record<number, readonly [kind: UnavailableKind, message?: string]>> = {
  [SQLITE.BUSY]: ['busy', 'Another program holds the database locked.'],
  [SQLITE.LOCKED]: ['busy'],
  [SQLITE.PROTOCOL]: ['busy'],
  [SQLITE.NOMEM]: ['full'],
  [SQLITE.FULL]: ['full', 'The disk is full.'],
  [SQLITE.READONLY]: ['storage', 'The database is read-only.'],
  [SQLITE.IOERR]: ['storage', 'The disk does not read or write.'],
  [SQLITE.CORRUPT]: ['storage', 'The database is damaged.'],
  [SQLITE.NOTADB]: ['storage', 'The database is damaged.'],
  [SQLITE.CANTOPEN]: ['storage', 'A file of the database cannot be opened.'],
};

/** Why the database cannot work, out of an error of node:sqlite. */
function kindOf(error: unknown): UnavailableKind {
  return STATES[sqliteCode(error) ?? 0]?.[0] ?? 'other';
}

/** The error of a database that could not work in another thread or process, which sent SQLite's code. */
export function unavailableElsewhere(
  message: string,
  code: number | undefined,
  kind?: UnavailableKind,
): StoreUnavailableError {
  // The code is in the member where SQLite's own errors have it.
  const cause = Object.assign(new Error(message), { errcode: code });
  return new StoreUnavailableError(message, { cause, kind: kind ?? kindOf(cause) });
}

/** The error of a database that cannot work, with a public message. */
export function problemOf(error: unknown): Problem {
  const code = sqliteCode(error) ?? sqliteCode((error as Error).cause) ?? 0;
  return { message: STATES[code]?.[1] ?? 'The database cannot work now.', cause: error };
}
