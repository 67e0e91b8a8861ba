import { existsSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { IN_MEMORY, readSqlitePath, sqlitePath } from '@petstore/service/database-url.ts';
import { isPostgresUrl, postgresAddress } from '@petstore/service/postgres-address.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { readConfig } from '../config.ts';
import { DATABASE_VARIABLE } from '../store/open-store.ts';
import type { DatabaseFacts } from '../store/sqlite/check.ts';
import { identity } from '../store/sqlite/file-watch.ts';
import { type PostgresTask, postgresToolsHint } from './postgres-tools.ts';

export const JSON_OPTION = ['--json', 'print JSON, for scripts'] as const;

export const SHA256_OPTION = [
  '--sha256 <hex>',
  'refuse a file that has not this SHA-256, as `petstore backup` printed it',
] as const;

/** Throws UserError where the store is on PostgreSQL, with the command line that does it there. */
export function refusePostgres(task: PostgresTask, file: string): void {
  const { databaseUrl } = readConfig(process.env);
  if (!isPostgresUrl(databaseUrl)) return;
  throw postgresToolsHint(task, file, postgresAddress(DATABASE_VARIABLE, databaseUrl));
}

/**
 * The path of the configured database, where it is a file. Throws UserError for a store in memory, and
 * as refusePostgres does.
 */
export function configuredFile(task: PostgresTask, file: string): string {
  refusePostgres(task, file);
  const { databaseUrl } = readConfig(process.env);
  if (sqlitePath(databaseUrl) === IN_MEMORY) {
    throw new UserError(
      'A store in memory belongs to the process that serves it; set PETSTORE_DATABASE_URL to a file.',
    );
  }
  const path = readSqlitePath(DATABASE_VARIABLE, databaseUrl, 'petstore');
  // The target of a link: SQLite names the log after the target, and a restore replaces the target.
  return existsSync(path) ? realpathSync(path) : path;
}

/** Throws UserError where one of the names leads to the database itself, or to one of its files beside it. */
export function refuseDatabaseItself(names: readonly string[], database: string): void {
  const own = ['', '-wal', '-shm', '-journal', '.partial'].map((suffix) => `${database}${suffix}`);
  for (const name of names) {
    const is = identity(name);
    if (!own.some((path) => path === resolve(name) || (is && is === identity(path)))) continue;
    throw new UserError(`${name} belongs to the database itself. Name another file.`);
  }
}

/** The size of a file that is to be read, in bytes. Throws UserError where there is none. */
export function sizeOfFile(file: string): number {
  const stats = file === '' ? undefined : statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile()) return stats.size;
  const what = stats ? 'is not a regular file' : 'does not exist';
  throw new UserError(`${file || 'FILE'} ${what}. Name a file that \`petstore backup\` made.`);
}

/** Throws UserError where a file's SHA-256 is not the expected one, or where the expected one is not a SHA-256. */
export function compareSha256(file: string, sha256: string, expected: string | undefined): void {
  if (expected === undefined || expected.toLowerCase() === sha256) return;
  // A script that did not find the digest may pass anything.
  if (!/^[0-9a-f]{64}$/i.test(expected)) {
    throw new UserError(`--sha256 must be 64 hexadecimal digits; got ${JSON.stringify(expected)}.`);
  }
  throw new UserError(
    `${file} has changed since it was made: its SHA-256 is ${sha256}, not ${expected}.`,
  );
}

/** What a backup is, as one object for scripts. */
export interface BackupFacts extends DatabaseFacts {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The same in words, without the name of the file. */
export function describeBackup({
  animals,
  categories,
  orders,
  keys,
  ...rest
}: BackupFacts): string {
  const counts = [
    `${animals} ${animals === 1 ? 'animal' : 'animals'}`,
    `${categories} ${categories === 1 ? 'category' : 'categories'}`,
    `${orders} ${orders === 1 ? 'order' : 'orders'}`,
    `${keys} ${keys === 1 ? 'key' : 'keys'}`,
  ];
  return `${counts.join(', ')}; schema ${rest.schema}, ${rest.bytes} bytes, SHA-256 ${rest.sha256}`;
}
