import { isPostgresUrl, postgresAddress } from '@petstore/service/postgres-address.ts';
import { type BackupFile, databaseFile } from '@petstore/service/sqlite/backup-file.ts';
import { type BackupTask, postgresToolsHint } from '@petstore/service/sqlite/postgres-tools.ts';
import type { Config } from '../../config.ts';
import { DASHBOARD_DATABASE, type DashboardFacts } from '../../store/backup/dashboard-database.ts';

/** A backup, as one object for scripts. */
export type Backup = BackupFile & DashboardFacts;

/** Throws UserError where the database is on PostgreSQL, with the command line that does it there. */
export function refusePostgres(
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
  task: BackupTask,
  file: string,
): void {
  if (!isPostgresUrl(databaseUrl)) return;
  const address = postgresAddress(DASHBOARD_DATABASE.variable, databaseUrl);
  throw postgresToolsHint(DASHBOARD_DATABASE, task, file, address, {
    stop: 'every dashboard serve and dashboard edge',
    afterwards: 'Then run: dashboard restore --after-pg-restore',
  });
}

/**
 * The path of the configured database, where it is a file. Throws UserError for a database in memory, and as
 * refusePostgres does.
 */
export function configuredFile(
  config: Pick<Config, 'databaseUrl'>,
  task: BackupTask,
  file: string,
): string {
  refusePostgres(config, task, file);
  return databaseFile(DASHBOARD_DATABASE, config.databaseUrl);
}

/** A backup in words, without the name of the file. */
export function describeBackup(backup: Backup): string {
  return `${DASHBOARD_DATABASE.describe(backup)}, ${backup.bytes} bytes, SHA-256 ${backup.sha256}`;
}
