import { print } from '@petstore/service/commands.ts';
import { type BackupFile, sha256Option } from '@petstore/service/sqlite/backup-file.ts';
import { type RestoredFile, restoreBackup } from '@petstore/service/sqlite/restore-backup.ts';
import type { Command } from 'commander';
import { type DatabaseFacts, PETSTORE_DATABASE } from '../store/sqlite/petstore-database.ts';
import { settleEvents } from '../store/sqlite/restored-events.ts';
import { configuredFile, describeBackup } from './database-file.ts';
import { JSON_OPTION, subcommand } from './subcommand.ts';

interface Options {
  readonly discardFormer?: boolean;
  readonly sha256?: string;
  readonly json?: boolean;
}

type Restored = BackupFile & DatabaseFacts & RestoredFile;

export function restoreCommand(): Command {
  return subcommand('restore')
    .description('Put a backup in the place of the database. The service must be stopped.')
    .argument('<file>', 'file that `petstore backup` made')
    .option('--discard-former', 'do not keep the former database')
    .option(...sha256Option('petstore'))
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `
The file is copied, checked as \`petstore verify\` does, and given the database's
name in one step; FILE stays. The former database is kept beside it, and its
name is printed. What happened after the backup is undone: animals that were
added are gone, and keys that were revoked work again. Webhooks are those of
the backup, and events go on with ids that none has had.

Examples:
  petstore restore /var/backups/petstore.db
  petstore restore --sha256 "$(jq -r .sha256 petstore.db.json)" petstore.db`,
    )
    .action(async (file: string, options: Options) => {
      const database = configuredFile('restore', file);
      const { sha256, discardFormer = false } = options;
      const restored = await restoreBackup(PETSTORE_DATABASE, file, database, {
        ...{ sha256, discardFormer },
        prepare: async (copy) => settleEvents(copy, Date.now()),
      });
      if (restored) await print(options.json ? JSON.stringify(restored) : sentence(restored));
    });
}

function sentence({ database, former, ...facts }: Restored): string {
  const kept = former === null ? '' : ` The former database is kept as ${former}.`;
  return `Put ${facts.file} back as ${database}: ${describeBackup(facts)}.${kept}`;
}
