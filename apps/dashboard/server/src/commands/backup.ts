import { lstatSync } from 'node:fs';
import { print } from '@petstore/service/commands.ts';
import { backUp, refuseExisting } from '@petstore/service/sqlite/back-up.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { writeKey } from '../certificates/secret-key.ts';
import { readConfig } from '../config.ts';
import { DASHBOARD_DATABASE } from '../store/backup/dashboard-database.ts';
import { type Backup, configuredFile, describeBackup } from './backup/configured-database.ts';
import { findKey, KEY_FILE, type SecretKey } from './backup/secret-key.ts';
import { subcommand } from './subcommand.ts';

interface Options {
  readonly force?: boolean;
  readonly keyFile?: string;
  readonly json?: boolean;
}

export function backupCommand(): Command {
  return subcommand('backup')
    .description(
      'Copy the whole database, as it is at one instant, into a file. Works beside the service.',
    )
    .argument('<file>', 'file to make')
    .option('--force', 'replace the file if it is there')
    .option(KEY_FILE, 'also copy the secret key, into a file of its own, which must be new')
    .option('--json', 'print JSON, for scripts')
    .addHelpText(
      'after',
      `
The file has everything, contents of sites included. It is written as
FILE.partial, checked as \`dashboard verify\` does, and renamed. It is for its
owner alone (mode 0600).

Private keys of certificates and secrets of webhooks are in it, sealed. The
secret key that opens them is not: keep a copy of that elsewhere. Who has both
has everything.

Examples:
  dashboard backup /var/backups/dashboard.db
  dashboard backup --key-file /media/safe/secret.key /var/backups/dashboard.db`,
    )
    .action(async (file: string, { force = false, keyFile, json }: Options) => {
      const config = readConfig(process.env);
      const database = configuredFile(config, 'backup', file);
      const key = findKey(config);
      if (keyFile !== undefined) refuseKeyFile(keyFile, key);
      const start = performance.now();
      const backup = await backUp(DASHBOARD_DATABASE, database, file, { force });
      if (!backup) return;
      refuseOtherKey(backup, key, file);
      // Last: a key without a backup beside it would look like half of one.
      if (key && keyFile !== undefined) keepKey(file, keyFile, key);
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      await print(
        json
          ? JSON.stringify(backup)
          : `Backed up ${database} to ${file} in ${seconds} s: ${describeBackup(backup)}.${keySentence(backup, key, keyFile)}`,
      );
    });
}

function refuseKeyFile(keyFile: string, key: SecretKey | undefined): void {
  if (!key) {
    throw new UserError(
      'There is no secret key to copy: neither DASHBOARD_SECRET_KEY nor secret.key in the data folder. Run this as the service runs, or leave --key-file out.',
    );
  }
  if (lstatSync(keyFile, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new UserError(`${keyFile} is a symbolic link. Name a new file for the key.`);
  refuseExisting(keyFile, false);
}

/** A file that came meanwhile stays as it is: then the key is not in it. */
function keepKey(file: string, keyFile: string, key: SecretKey): void {
  writeKey(keyFile, key.key);
  if (findKey({ secretKey: undefined, dataDir: '' }, keyFile)?.id === key.id) return;
  throw new UserError(
    `${file} is made, but ${keyFile} has another key by now, and not a copy of the secret key. Name a new file.`,
  );
}

/** The backup is whole, but the key that is here would not open it. */
function refuseOtherKey({ secretKey }: Backup, key: SecretKey | undefined, file: string): void {
  if (!key || secretKey === null || key.id === secretKey) return;
  throw new UserError(
    `${file} is made, but its secrets are sealed with the key ${secretKey}, and that of ${key.source} is ${key.id}. Keep the right key: without it the backup brings no certificates back.`,
  );
}

function keySentence(
  { secrets, secretKey }: Backup,
  key: SecretKey | undefined,
  keyFile: string | undefined,
): string {
  if (keyFile !== undefined) return ` The secret key is in ${keyFile}: keep it elsewhere.`;
  if (secretKey === null) return '';
  const where = key ? `, that of ${key.source}` : '';
  return ` Its ${secrets} sealed secrets need the key ${secretKey}${where}, which is not in it.`;
}
