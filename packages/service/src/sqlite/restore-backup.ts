import { chmodSync, chownSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { interruption, throwIfInterrupted } from '../interruption.ts';
import { byteProgress } from '../progress.ts';
import { UserError } from '../user-error.ts';
import {
  type BackupFile,
  compareSha256,
  refuseDatabaseItself,
  sha256Of,
  sizeOfFile,
} from './backup-file.ts';
import { checkDatabase, refuseLeftoverLog } from './check-database.ts';
import type { DatabaseKind } from './database-kind.ts';
import { NewDatabaseFile } from './new-database-file.ts';
import { createFolder } from './open-errors.ts';
import { type ReservedPath, reservePath } from './replace-database.ts';

/** Where a backup was put. */
export interface RestoredFile {
  readonly database: string;
  /** Where the former database is now; null where there was none, or it was not kept. */
  readonly former: string | null;
}

interface Options<Facts extends object> {
  /** The SHA-256 that the file must have. */
  readonly sha256: string | undefined;
  /** Whether a former database is deleted rather than kept under another name. */
  readonly discardFormer: boolean;
  /** Called under the lock, before anything is copied; may throw. `hasFormer`: whether there is a database already. */
  readonly begin?: (hasFormer: boolean) => void;
  /** Called with the checked copy, before it gets the database's name; may change it, and reject. */
  readonly prepare?: (copy: string, backup: BackupFile & Facts) => Promise<void>;
}

/**
 * Puts a checked copy of a backup in the place of the database, in one step. undefined when a signal stopped it.
 * Rejects with UserError where the backup is not sound, or a process has the database open.
 */
export async function restoreBackup<Facts extends object>(
  kind: DatabaseKind<Facts>,
  file: string,
  database: string,
  { sha256: expected, discardFormer, begin, prepare }: Options<Facts>,
): Promise<(BackupFile & Facts & RestoredFile) | undefined> {
  const bytes = sizeOfFile(kind, file);
  refuseDatabaseItself([file], database);
  refuseLeftoverLog(kind, file);
  createFolder(dirname(database), kind.variable);
  const stop = interruption();
  const copy = new NewDatabaseFile(database);
  const progress = byteProgress('copied');
  let place: ReservedPath | undefined;
  try {
    // Locked from the start, so that no supervisor starts the service meanwhile.
    place = reservePath(database, kind);
    begin?.(place.hasFormer);
    copy.needRoom(bytes);
    await progress.start(bytes);
    // The copy is checked, not the file, which may change meanwhile.
    const onProgress = progress.update;
    const sha256 = await sha256Of(file, { onProgress, signal: stop, copyTo: copy.path });
    compareSha256(file, sha256, expected);
    progress.phase('Checking the copy.');
    const backup = { file, bytes, sha256, ...(await checkDatabase(kind, copy.path, file)) };
    await throwIfInterrupted(stop);
    await prepare?.(copy.path, backup);
    await throwIfInterrupted(stop);
    giveTo(copy.path, database, place.hasFormer);
    const former = place.hasFormer && !discardFormer ? nameAside(database, new Date()) : undefined;
    place.put(copy.path, former);
    return { ...backup, database, former: former ?? null };
  } catch (error) {
    if (!stop.aborted) throw error;
    progress.stop();
    process.stderr.write(`Stopped by ${stop.reason}. The database is as it was.\n`);
    return undefined;
  } finally {
    progress.stop();
    place?.release();
    copy.discard();
  }
}

/** Such as `petstore.db.former-20261121T084000000Z`. */
function nameAside(database: string, at: Date): string {
  return `${database}.former-${at.toISOString().replace(/[-:.]/g, '')}`;
}

/**
 * Gives the new database the owner and the mode of the former one, so that a restore by root does not shut the service
 * out. Where there was no former database, it gets the owner of the folder.
 */
function giveTo(path: string, database: string, hasFormer: boolean): void {
  const { uid, gid, mode } = statSync(hasFormer ? database : dirname(database));
  const user = process.getuid?.();
  if (user === 0) {
    chownSync(path, uid, gid);
  } else if (hasFormer && user !== undefined && user !== uid) {
    throw new UserError(
      `${database} belongs to user ${uid}, who could not open a file of user ${user}. Run this as user ${uid}, or as root.`,
    );
  }
  if (hasFormer) chmodSync(path, mode & 0o777);
}
