import { renameSync, statSync } from 'node:fs';
import { interruption } from '../interruption.ts';
import { byteProgress } from '../progress.ts';
import { UserError } from '../user-error.ts';
import { type BackupFile, refuseDatabaseItself, sha256Of } from './backup-file.ts';
import { checkDatabase } from './check-database.ts';
import { copyDatabase } from './copy-database.ts';
import type { DatabaseKind } from './database-kind.ts';
import { NewDatabaseFile, partialPath } from './new-database-file.ts';
import { syncFolder } from './replace-database.ts';

/**
 * Copies a database, as it is at one instant and while others write to it, into a file that gets its name when it was
 * checked. undefined when a signal stopped it. Rejects with UserError where the database is damaged, or the file is
 * there (unless `force`) or cannot be made.
 */
export async function backUp<Facts extends object>(
  kind: DatabaseKind<Facts>,
  database: string,
  file: string,
  { force }: { readonly force: boolean },
): Promise<(BackupFile & Facts) | undefined> {
  refuseDatabaseItself([file, partialPath(file)], database);
  refuseExisting(file, force);
  const stop = interruption();
  const made = new NewDatabaseFile(file);
  const progress = byteProgress('copied');
  try {
    await copyDatabase(kind, database, made.path, {
      async onStart(bytes) {
        made.needRoom(bytes);
        await progress.start(bytes);
      },
      onProgress: progress.update,
      signal: stop,
    });
    progress.phase('Checking the copy.');
    // Named after the original: what is damaged here is damaged there.
    const facts = await checkDatabase(kind, made.path, database);
    const sha256 = await sha256Of(made.path, { onProgress() {}, signal: stop });
    refuseExisting(file, force);
    renameSync(made.path, file);
    syncFolder(file);
    return { file, bytes: statSync(file).size, sha256, ...facts };
  } catch (error) {
    if (!stop.aborted) throw error;
    progress.stop();
    process.stderr.write(`Stopped by ${stop.reason}. There is no backup.\n`);
    return undefined;
  } finally {
    progress.stop();
    made.discard();
  }
}

/** Throws UserError where a file cannot be made under this name, or is there and must not be replaced. */
export function refuseExisting(file: string, force: boolean): void {
  if (file === '' || file === '-') {
    throw new UserError(
      'FILE must be the name of a file: a backup cannot be written to standard output.',
    );
  }
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) return;
  if (!stats.isFile()) throw new UserError(`${file} is not a regular file. Name a regular file.`);
  if (!force) throw new UserError(`${file} exists already. Replace it with --force.`);
}
