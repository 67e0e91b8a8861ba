import { isPostgresUrl, postgresAddress } from '@petstore/service/postgres-address.ts';
import { type BackupFile, databaseFile } from '@petstore/service/sqlite/backup-file.ts';
import { type BackupTask, postgresToolsHint } from '@petstore/service/sqlite/postgres-tools.ts';
import { readConfig } from '../config.ts';
import { type DatabaseFacts, PETSTORE_DATABASE } from '../store/sqlite/petstore-database.ts';

/** Throws UserError where the store is on PostgreSQL, with the command line that does it there. */
export function refusePostgres(task: BackupTask, file: string): void {
  const { databaseUrl } = readConfig(process.env);
  if (!isPostgresUrl(databaseUrl)) return;
  const address = postgresAddress(PETSTORE_DATABASE.variable, databaseUrl);
  throw postgresToolsHint(PETSTORE_DATABASE, task, file, address, { stop: 'every petstore serve' });
}

/**
 * The path of the configured database, where it is a file. Throws UserError for a store in memory, and
 * as refusePostgres does.
 */
export function configuredFile(task: BackupTask, file: string): string {
  refusePostgres(task, file);
  return databaseFile(PETSTORE_DATABASE, readConfig(process.env).databaseUrl);
}

/** A backup in words, without the name of the file. */
export function describeBackup(backup: BackupFile & DatabaseFacts): string {
  return `${PETSTORE_DATABASE.describe(backup)}, ${backup.bytes} bytes, SHA-256 ${backup.sha256}`;
}
