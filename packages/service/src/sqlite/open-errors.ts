import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../user-error.ts';
import { SQLITE, sqliteCode } from './result-codes.ts';

/** Only for its owner: the databases have hashes of keys and passwords. */
const FOLDER_MODE = 0o700;

/**
 * Creates a database's folder and its parents, one by one: mkdir's own `recursive` never returns where a file system
 * returns ENOENT below an existing folder, as /proc does. Throws UserError, which names the `variable` that says where
 * the database is.
 */
export function createFolder(folder: string, variable: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  createFolder(dirname(folder), variable);
  try {
    mkdirSync(folder, FOLDER_MODE);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isThereNow = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
    if (code === 'EEXIST' && isThereNow) return; // Another process was faster.
    throw new UserError(
      `The database's folder ${folder} cannot be created (${code}). Create it, or set ${variable} to a place that can be written.`,
      { cause: error },
    );
  }
}

/** Throws UserError where there is no database. `variable`: see createFolder. */
export function refuseMissing(path: string, variable: string): void {
  if (existsSync(path)) return;
  throw new UserError(
    `There is no database at ${path}. Run this in the folder where the service runs, or set ${variable} as it has it.`,
  );
}

/** The message for an error of opening a database; any other error comes back as it is. `variable`: see createFolder. */
export function explainOpenError(error: unknown, path: string, variable: string): unknown {
  const sentence = sentenceOf(sqliteCode(error), path, variable);
  return sentence === undefined ? error : new UserError(sentence, { cause: error });
}

function sentenceOf(code: number | undefined, path: string, variable: string): string | undefined {
  switch (code) {
    case SQLITE.NOTADB:
    case SQLITE.CORRUPT:
      return `${path} is not a SQLite database, or is damaged. Move it away, or set ${variable} to another file.`;
    case SQLITE.CANTOPEN:
    case SQLITE.READONLY:
    case SQLITE.IOERR:
      return `The database ${path} cannot be opened for writing. Check that it is a file, that it and its folder belong to this user, and that the disk is not read-only.`;
    case SQLITE.FULL:
      return `The disk that holds ${path} is full. Make room and start again.`;
    case SQLITE.BUSY:
      return `The database ${path} is locked by another program. Close that program and try again.`;
    default:
      return undefined;
  }
}
