import { chmodSync, chownSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { print } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { checkDatabase, refuseLeftoverLog } from '../store/sqlite/check.ts';
import { createFolder } from '../store/sqlite/open.ts';
import { type ReservedPath, reservePath } from '../store/sqlite/replace.ts';
import {
  type BackupFacts,
  compareSha256,
  configuredFile,
  describeBackup,
  refuseDatabaseItself,
  SHA256_OPTION,
  sha256Of,
  sizeOfFile,
} from './database-file.ts';
import { interruption, throwIfInterrupted } from './interruption.ts';
import { NewDatabaseFile } from './new-database-file.ts';
import { byteProgress } from './progress.ts';
import { JSON_OPTION, subcommand } from './subcommand.ts';

interface Options {
  readonly discardFormer?: boolean;
  readonly sha256?: string;
  readonly json?: boolean;
}

/** What was put back, as one object for scripts. */
interface Restored extends BackupFacts {
  readonly database: string;
  /** Where the former database is now; null where there was none, or it was not kept. */
  readonly former: string | null;
}

export function restoreCommand(): Command {
  return subcommand('restore')
    .description('Put a backup in the place of the database. The service must be stopped.')
    .argument('<file>', 'file that `petstore backup` made')
    .option('--discard-former', 'do not keep the former database')
    .option(...SHA256_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `
The file is copied, checked as \`petstore verify\` does, and given the database's
name in one step; FILE stays. The former database is kept beside it, and its
name is printed. What happened after the backup is undone: animals that were
added are gone, and keys that were revoked work again.

Examples:
  petstore restore /var/backups/petstore.db
  petstore restore --sha256 "$(jq -r .sha256 petstore.db.json)" petstore.db`,
    )
    .action(async (file: string, options: Options) => {
      const database = configuredFile('restore', file);
      const restored = await restore(file, database, options);
      if (restored) await print(options.json ? JSON.stringify(restored) : sentence(restored));
    });
}

/** undefined when a signal stopped it. */
async function restore(
  file: string,
  database: string,
  { sha256: expected, discardFormer = false }: Options,
): Promise<Restored | undefined> {
  const bytes = sizeOfFile(file);
  refuseDatabaseItself([file], database);
  refuseLeftoverLog(file);
  createFolder(dirname(database));
  const stop = interruption();
  const copy = new NewDatabaseFile(database);
  const progress = byteProgress('copied');
  let place: ReservedPath | undefined;
  try {
    // Locked from the start, so that no supervisor starts the service meanwhile.
    place = reservePath(database);
    copy.needRoom(bytes);
    await progress.start(bytes);
    // The copy is checked, not the file, which may change meanwhile.
    const onProgress = progress.update;
    const sha256 = await sha256Of(file, { onProgress, signal: stop, copyTo: copy.path });
    compareSha256(file, sha256, expected);
    progress.phase('Checking the copy.');
    const facts = checkDatabase(copy.path, file);
    await throwIfInterrupted(stop);
    giveTo(copy.path, database, place.hasFormer);
    const former = place.hasFormer && !discardFormer ? nameAside(database, new Date()) : undefined;
    place.put(copy.path, former);
    return { file, database, former: former ?? null, bytes, sha256, ...facts };
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

function sentence({ database, former, ...facts }: Restored): string {
  const kept = former === null ? '' : ` The former database is kept as ${former}.`;
  return `Put ${facts.file} back as ${database}: ${describeBackup(facts)}.${kept}`;
}
