import { print } from '@petstore/service/commands.ts';
import { backUp } from '@petstore/service/sqlite/back-up.ts';
import type { Command } from 'commander';
import { PETSTORE_DATABASE } from '../store/sqlite/petstore-database.ts';
import { configuredFile, describeBackup } from './database-file.ts';
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
      const start = performance.now();
      const facts = await backUp(PETSTORE_DATABASE, database, file, {
        force: options.force ?? false,
      });
      if (!facts) return;
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      await print(
        options.json
          ? JSON.stringify(facts)
          : `Backed up ${database} to ${file} in ${seconds} s: ${describeBackup(facts)}.`,
      );
    });
}
