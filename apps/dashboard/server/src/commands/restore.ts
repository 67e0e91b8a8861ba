import { print } from '@petstore/service/commands.ts';
import { databasePlace } from '@petstore/service/database-url.ts';
import { isPostgresUrl } from '@petstore/service/postgres-address.ts';
import { sha256Option } from '@petstore/service/sqlite/backup-file.ts';
import { leaveNoLog } from '@petstore/service/sqlite/copy-database.ts';
import { type RestoredFile, restoreBackup } from '@petstore/service/sqlite/restore-backup.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { OPERATOR } from '../audit/actor.ts';
import { openSealer } from '../certificates/sealing.ts';
import { keyPath, writeKey } from '../certificates/secret-key.ts';
import { type Config, readConfig } from '../config.ts';
import { DASHBOARD_DATABASE, refuseForeignStatements } from '../store/backup/dashboard-database.ts';
import { type Settled, settleRestored } from '../store/backup/settle-restored.ts';
import { openDatabase } from '../store/open-database.ts';
import { sampleSealed } from '../store/sealed.ts';
import { type Backup, configuredFile, describeBackup } from './backup/configured-database.ts';
import { findKey, KEY_FILE, openSecrets, type SecretKey } from './backup/secret-key.ts';
import { subcommand } from './subcommand.ts';
import { withDatabase } from './with-database.ts';

interface Options {
  readonly force?: boolean;
  readonly keyFile?: string;
  readonly withoutKey?: boolean;
  readonly discardFormer?: boolean;
  readonly afterPgRestore?: boolean;
  readonly sha256?: string;
  readonly json?: boolean;
}

type Restored = Backup & RestoredFile & Settled;

export function restoreCommand(): Command {
  return subcommand('restore')
    .description('Put a backup in the place of the database. The service must be stopped.')
    .argument('[file]', 'file that `dashboard backup` made')
    .option('--force', 'replace the database if there is one')
    .option('--discard-former', 'do not keep the former database')
    .option(KEY_FILE, 'copy of the secret key, to be put into the data folder as well')
    .option('--without-key', 'put it back although nothing here opens its secrets')
    .option('--after-pg-restore', 'finish what pg_restore has put back on PostgreSQL')
    .option(...sha256Option('dashboard'))
    .option('--json', 'print JSON, for scripts')
    .addHelpText(
      'after',
      `
The file is copied, checked as \`dashboard verify\` does, brought up to this
version's schema, and given the database's name in one step; FILE stays. The
former database is kept beside it, and its name is printed.

What happened after the backup is undone. So that nothing happens twice, all
sessions end, notices that waited are held back, and certificates that failed
wait for an hour. Tokens and memberships that were removed since work again.

Examples:
  dashboard restore --force /var/backups/dashboard.db
  dashboard restore --key-file /media/safe/secret.key /var/backups/dashboard.db`,
    )
    .action(async (file: string | undefined, options: Options) => {
      const config = readConfig(process.env);
      if (options.afterPgRestore) return print(await afterPgRestore(config, file, options));
      if (file === undefined) throw new UserError('Name the FILE to put back.');
      const restored = await restore(config, file, options);
      if (restored) await print(options.json ? JSON.stringify(restored) : sentence(restored));
    });
}

/** undefined when a signal stopped it. */
async function restore(
  config: Config,
  file: string,
  { force, keyFile, withoutKey, discardFormer = false, sha256 }: Options,
): Promise<Restored | undefined> {
  const database = configuredFile(config, 'restore', file);
  const key = findKey(config, keyFile);
  if (keyFile !== undefined && key) refuseOtherKey(config, key);
  let settled: Settled | undefined;
  const restored = await restoreBackup(DASHBOARD_DATABASE, file, database, {
    ...{ sha256, discardFormer },
    begin(hasFormer) {
      if (!hasFormer || force) return;
      throw new UserError(`${database} exists already. Replace it with --force; it is kept aside.`);
    },
    async prepare(copy, backup) {
      await refuseForeignStatements(backup, copy);
      if (key) openSecrets(backup, copy, key);
      else if (backup.secretKey !== null && !withoutKey) throw keyIsMissing(config, backup);
      settled = await settle(copy, backup);
      // Before the database: a key without one is used by the next, and a database without its key does not start.
      if (key && keyFile !== undefined && !config.secretKey) {
        writeKey(keyPath(config.dataDir), key.key);
      }
    },
  });
  return restored && settled && { ...restored, ...settled };
}

/** Brings a copy up to date, and makes it one to go on with. */
async function settle(copy: string, backup: Backup): Promise<Settled> {
  const { db, close } = await openDatabase(`sqlite:${copy}`, 1);
  try {
    return await settleRestored(db, {
      ...{ now: Date.now(), actor: OPERATOR, target: backup.file },
      details: { sha256: backup.sha256 },
    });
  } finally {
    await close();
    leaveNoLog(copy);
  }
}

/** What the service has to do after PostgreSQL's own tools have put its database back. */
async function afterPgRestore(
  config: Config,
  file: string | undefined,
  { json }: Options,
): Promise<string> {
  if (file !== undefined || !isPostgresUrl(config.databaseUrl)) {
    throw new UserError(
      '--after-pg-restore takes no FILE, and needs a DASHBOARD_DATABASE_URL of PostgreSQL. For a SQLite file: dashboard restore FILE',
    );
  }
  const place = databasePlace(DASHBOARD_DATABASE.variable, config.databaseUrl);
  return withDatabase({ mustExist: true }, async (db) => {
    openSealer(config, await sampleSealed(db));
    const settled = await settleRestored(db, {
      ...{ now: Date.now(), actor: OPERATOR, target: place, details: {} },
    });
    return json ? JSON.stringify(settled) : `${place} can go on. ${settledSentence(settled)}`;
  });
}

/** A key that is here stays: it may be the only copy. */
function refuseOtherKey(config: Config, given: SecretKey): void {
  const here = findKey(config);
  if (!here || here.id === given.id) return;
  throw new UserError(
    `${here.source} has another key (${here.id}) than ${given.source} (${given.id}). Move it away, and keep it: it may open what the former database has sealed.`,
  );
}

function keyIsMissing({ dataDir }: Config, { file, secrets, secretKey }: Backup): UserError {
  return new UserError(
    `${file} has ${secrets} secrets that are sealed with the key ${secretKey}, and there is none here. Name a copy of it with --key-file, put it back as ${keyPath(dataDir)}, or set DASHBOARD_SECRET_KEY. If it is lost, use --without-key, and see docs/domains-for-operators.md#keys.`,
  );
}

function sentence({ database, former, ...restored }: Restored): string {
  const kept = former === null ? '' : ` The former database is kept as ${former}.`;
  return `Put ${restored.file} back as ${database}: ${describeBackup(restored)}. ${settledSentence(restored)}${kept}`;
}

function settledSentence({ sessionsEnded, noticesHeld, certificatesDelayed }: Settled): string {
  return `${count(sessionsEnded, 'session')} ended, ${count(noticesHeld, 'notice')} held back, ${count(certificatesDelayed, 'failed certificate')} delayed for an hour.`;
}

function count(number: number, one: string): string {
  return `${number} ${number === 1 ? one : `${one}s`}`;
}
