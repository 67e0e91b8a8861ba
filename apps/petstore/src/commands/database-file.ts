import { createHash } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { IN_MEMORY, readSqlitePath, sqlitePath } from '@petstore/service/database-url.ts';
import {
  isPostgresUrl,
  type PostgresAddress,
  postgresAddress,
} from '@petstore/service/postgres-address.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { readConfig } from '../config.ts';
import { DATABASE_VARIABLE } from '../store/open-store.ts';
import type { DatabaseFacts } from '../store/sqlite/check.ts';
import { identity } from '../store/sqlite/file-watch.ts';

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

type PostgresTask = 'backup' | 'restore' | 'verify';

/**
 * The error of a command for SQLite files on a PostgreSQL database, with the command line that does the same there. It
 * leaves the password out: PostgreSQL's programs take it from PGPASSWORD or ~/.pgpass.
 */
function postgresToolsHint(task: PostgresTask, file: string, address: PostgresAddress): UserError {
  const name = quoted(file);
  const database = quoted(withoutPassword(address));
  const instead = {
    backup: `Back it up with its own tools: pg_dump --format=custom --file=${name} ${database}`,
    restore: `Stop every petstore serve on it, and restore it with its own tools: pg_restore --clean --if-exists --no-owner --single-transaction --dbname=${database} ${name}`,
    verify: `Read a dump of it through with its own tools: pg_restore --file=/dev/null ${name}`,
  };
  return new UserError(
    `\`petstore ${task}\` is for SQLite files, but PETSTORE_DATABASE_URL names PostgreSQL at ${address.place}. ${instead[task]} (They take the password from PGPASSWORD or ~/.pgpass. pg_basebackup copies a whole server, which can then be restored to any instant.)`,
  );
}

/** The address as libpq reads it, with the parameters that are needed and no secret. */
function withoutPassword(address: PostgresAddress): string {
  const { hosts, server, user, database, sslMode, channelBinding, target } = address;
  const name = `${encodeURIComponent(user)}@${server}/${encodeURIComponent(database)}`;
  const settings = [
    ...(sslMode === 'disable' ? [] : [`sslmode=${sslMode}`]),
    ...(channelBinding === 'prefer' ? [] : [`channel_binding=${channelBinding}`]),
    // A single host needs no attribute: it is meant, whatever it is.
    ...(hosts.length === 1 || target === 'any' ? [] : [`target_session_attrs=${target}`]),
  ];
  return `postgresql://${name}${settings.length > 0 ? `?${settings.join('&')}` : ''}`;
}

/** Quotes a word for a shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('-')
    ? text
    : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** How much is read at once, in bytes. */
const CHUNK_BYTES = 1024 * 1024;

interface ReadOptions {
  /** Called with the number of bytes read so far. */
  readonly onProgress: (done: number) => void;
  readonly signal: AbortSignal;
  /** An empty file that gets a copy of what is read, and is on disk in the end. */
  readonly copyTo?: string;
}

/** The SHA-256 of a file, in hexadecimal. Rejects with the signal's reason, or with the error of the disk. */
export async function sha256Of(
  path: string,
  { onProgress, signal, copyTo }: ReadOptions,
): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(CHUNK_BYTES);
  await using from = await open(path);
  await using to = copyTo === undefined ? undefined : await open(copyTo, 'r+');
  let done = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await from.read(buffer);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await to?.writeFile(chunk);
    done += bytesRead;
    onProgress(done);
  }
  await to?.sync();
  return hash.digest('hex');
}
