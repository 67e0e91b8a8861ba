import { isPostgresUrl, postgresAddress } from '@petstore/service/postgres-address.ts';
import { type BackupFile, databaseFile } from '@petstore/service/sqlite/backup-file.ts';
import { type BackupTask, postgresToolsHint } from '@petstore/service/sqlite/postgres-tools.ts';
import { readConfig } from '../config.ts';
import { type DatabaseFacts, KEPT_PETSTORE } from '../store/sqlite/kept-petstore.ts';

/** Throws UserError where the store is on PostgreSQL, with the command line that does it there. */
export function refusePostgres(task: BackupTask, file: string): void {
  const { databaseUrl } = readConfig(process.env);
  if (!isPostgresUrl(databaseUrl)) return;
  const address = postgresAddress(KEPT_PETSTORE.variable, databaseUrl);
  throw postgresToolsHint(KEPT_PETSTORE, task, file, address, { stop: 'every petstore serve' });
}

/**
 * The path of the configured database, where it is a file. Throws UserError for a store in memory, and
 * as refusePostgres does.
 */
export function configuredFile(task: BackupTask, file: string): string {
  refusePostgres(task, file);
  return databaseFile(KEPT_PETSTORE, readConfig(process.env).databaseUrl);
}

/** A backup in words, without the name of the file. */
export function describeBackup(backup: BackupFile & DatabaseFacts): string {
  return `${KEPT_PETSTORE.describe(backup)}, ${backup.bytes} bytes, SHA-256 ${backup.sha256}`;
}
