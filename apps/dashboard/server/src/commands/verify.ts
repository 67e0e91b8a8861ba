import { print } from '@petstore/service/commands.ts';
import { sha256Option } from '@petstore/service/sqlite/backup-file.ts';
import { verifyBackup } from '@petstore/service/sqlite/verify-backup.ts';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { DASHBOARD_DATABASE, refuseForeignStatements } from '../store/backup/dashboard-database.ts';
import { describeBackup, refusePostgres } from './backup/configured-database.ts';
import { findKey, KEY_FILE, openSecrets } from './backup/secret-key.ts';
import { subcommand } from './subcommand.ts';

interface Options {
  readonly keyFile?: string;
  readonly sha256?: string;
  readonly json?: boolean;
}

export function verifyCommand(): Command {
  return subcommand('verify')
    .description('Read a backup through, and tell what it holds. Changes nothing.')
    .argument('<file>', 'file that `dashboard backup` made')
    .option(KEY_FILE, 'copy of the secret key that opens it (that of this installation)')
    .option(...sha256Option('dashboard'))
    .option('--json', 'print JSON, for scripts')
    .addHelpText(
      'after',
      `
Looks whether every page, index and row is sound, whether each site and each of
its contents has its hash, whether each site has its contents, whether what
projects hold is counted right, and whether the secret key opens what is sealed.
Exit code 0 when all is well, 1 when not.

Examples:
  dashboard verify /var/backups/dashboard.db
  dashboard verify --key-file /media/safe/secret.key /var/backups/dashboard.db`,
    )
    .action(async (file: string, { keyFile, sha256, json }: Options) => {
      const config = readConfig(process.env);
      refusePostgres(config, 'verify', file);
      const backup = await verifyBackup(DASHBOARD_DATABASE, file, sha256);
      await refuseForeignStatements(backup, file);
      const key = findKey(config, keyFile);
      const secretsOpened = key ? openSecrets(backup, file, key) : null;
      if (json) return print(JSON.stringify({ ...backup, secretsOpened }));
      const secrets =
        backup.secretKey === null
          ? 'Nothing in it is sealed.'
          : key
            ? `The key of ${key.source} opens its secrets.`
            : `Its ${backup.secrets} secrets need the key ${backup.secretKey}, which was not tried: name it with --key-file.`;
      const { miscounted } = backup;
      const counts =
        miscounted.length === 0
          ? ''
          : ` What these projects hold is counted wrong: ${miscounted.join(', ')}. Where it runs, dashboard quotas recount counts them anew.`;
      await print(`${file} is sound: ${describeBackup(backup)}. ${secrets}${counts}`);
    });
}
