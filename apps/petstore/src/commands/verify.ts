import { print } from '@petstore/service/commands.ts';
import { sha256Option } from '@petstore/service/sqlite/backup-file.ts';
import { verifyBackup } from '@petstore/service/sqlite/verify-backup.ts';
import type { Command } from 'commander';
import { PETSTORE_DATABASE } from '../store/sqlite/petstore-database.ts';
import { describeBackup, refusePostgres } from './database-file.ts';
import { JSON_OPTION, subcommand } from './subcommand.ts';

export function verifyCommand(): Command {
  return subcommand('verify')
    .description('Read a backup through, and tell what it holds. Changes nothing.')
    .argument('<file>', 'file that `petstore backup` made')
    .option(...sha256Option('petstore'))
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `
Looks whether every page, index and row is sound, and whether it is a
petstore's database of a version that this one can open. A letter that changed
within a name is seen by the SHA-256 alone. Exit code 0 when all is well, 1 when
not.

Examples:
  petstore verify /var/backups/petstore.db
  petstore verify --json /var/backups/petstore.db | jq .animals`,
    )
    .action(async (file: string, options: { sha256?: string; json?: boolean }) => {
      refusePostgres('verify', file);
      const facts = await verifyBackup(PETSTORE_DATABASE, file, options.sha256);
      await print(
        options.json ? JSON.stringify(facts) : `${file} is sound: ${describeBackup(facts)}.`,
      );
    });
}
