import { DatabaseSync } from 'node:sqlite';
import type { UserError } from '../user-error.ts';
import { BUSY_TIMEOUT_MS } from './locks.ts';
import { explainOpenError, refuseMissing } from './open-errors.ts';

/** What the commands that back a database up have to know of the program that it belongs to. */
export interface DatabaseKind<Facts extends object> {
  /** The program's command, such as `petstore`. */
  readonly program: string;
  /** The variable that says where the database is. */
  readonly variable: string;
  /** Throws UserError where a database is another program's. It may be empty. `remedy`: what to do. */
  refuseOther(db: DatabaseSync, shown: string, remedy: string): void;
  /** Throws UserError where a newer version of the program wrote it. */
  refuseNewer(db: DatabaseSync, shown: string): void;
  /**
   * Counts what is in a database whose pages are sound. Throws or rejects with UserError where it lacks something;
   * `damaged` makes the error of what is not as it must be.
   */
  readFacts(
    db: DatabaseSync,
    shown: string,
    damaged: (problem: string) => UserError,
  ): Facts | Promise<Facts>;
  /** The same facts, for people. */
  describe(facts: Facts): string;
}

/** What to do with a file that is no backup of this program. */
export function adviseBackupFile({ program }: Pick<DatabaseKind<object>, 'program'>): string {
  return `Name a file that \`${program} backup\` made.`;
}

/** What to do where the database is another program's. */
export function adviseOtherFile({ variable }: Pick<DatabaseKind<object>, 'variable'>): string {
  return `Set ${variable} to another file.`;
}

/**
 * Opens a database to read it as it is: nothing is written, not even a newer schema. Throws UserError where there is
 * none, or where it is another program's or a newer version's.
 */
export function openToRead(path: string, kind: DatabaseKind<object>): DatabaseSync {
  const { variable } = kind;
  refuseMissing(path, variable);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    kind.refuseOther(db, path, adviseOtherFile(kind));
    kind.refuseNewer(db, path);
    return db;
  } catch (error) {
    db?.close();
    throw explainOpenError(error, path, variable);
  }
}
