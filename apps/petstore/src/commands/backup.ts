import { renameSync, statSync } from 'node:fs';
import { print } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { copyDatabase } from '../store/sqlite/backup.ts';
import { checkDatabase } from '../store/sqlite/check.ts';
import { syncFolder } from '../store/sqlite/replace.ts';
import {
  type BackupFacts,
  configuredFile,
  describeBackup,
  refuseDatabaseItself,
  sha256Of,
} from './database-file.ts';
import { interruption } from './interruption.ts';
import { NewDatabaseFile, partialPath } from './new-database-file.ts';
import { byteProgress } from './progress.ts';
import { JSON_OPTION, subcommand } from './subcommand.ts';

export function backupCommand(): Command {
  return subcommand('backup')
    .description(
      'Copy the whole store, as it is at one instant, into a file. Works beside the service.',
    )
    .argument('<file>', 'file to make')
    .option('--force', 'replace the file if it is there')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `
The file is written as FILE.partial, checked as \`petstore verify\` does, and
renamed. It is for its owner alone (mode 0600): it holds everything, the hashes
of keys included.

Examples:
  petstore backup /var/backups/petstore.db
  petstore backup --json "/var/backups/petstore-$(date +%F).db"`,
    )
    .action(async (file: string, options: { force?: boolean; json?: boolean }) => {
      const database = configuredFile('backup', file);
      refuseDatabaseItself([file, partialPath(file)], database);
      const start = performance.now();
      const facts = await backUp(database, file, options.force ?? false);
      if (!facts) return;
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      await print(
        options.json
          ? JSON.stringify(facts)
          : `Backed up ${database} to ${file} in ${seconds} s: ${describeBackup(facts)}.`,
      );
    });
}

/** undefined when a signal stopped it. */
async function backUp(
  database: string,
  file: string,
  force: boolean,
): Promise<BackupFacts | undefined> {
  refuseExisting(file, force);
  const stop = interruption();
  const made = new NewDatabaseFile(file);
  const progress = byteProgress('copied');
  try {
    await copyDatabase(database, made.path, {
      async onStart(bytes) {
        made.needRoom(bytes);
        await progress.start(bytes);
      },
      onProgress: progress.update,
      signal: stop,
    });
    progress.phase('Checking the copy.');
    // Named after the original: what is damaged here is damaged there.
    const facts = checkDatabase(made.path, database);
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

function refuseExisting(file: string, force: boolean): void {
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
