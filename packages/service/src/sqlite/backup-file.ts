import { createHash } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { IN_MEMORY, readSqlitePath, sqlitePath } from '../database-url.ts';
import { identity } from '../file-identity.ts';
import { UserError } from '../user-error.ts';
import { adviseBackupFile, type DatabaseKind } from './database-kind.ts';

/** An option of the commands that read a backup. */
export function sha256Option(program: string): readonly [flags: string, description: string] {
  return [
    '--sha256 <hex>',
    `refuse a file that has not this SHA-256, as \`${program} backup\` printed it`,
  ];
}

/** What a backup is, as one object for scripts. */
export interface BackupFile {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * The path of the configured database, where it is a file: of the target of a link, since SQLite names the log after
 * that, and a restore replaces it. Throws UserError for any other address, and for a store in memory.
 */
export function databaseFile(
  { program, variable }: Pick<DatabaseKind<object>, 'program' | 'variable'>,
  url: string,
): string {
  if (sqlitePath(url) === IN_MEMORY) {
    throw new UserError(
      `A store in memory belongs to the process that serves it; set ${variable} to a file.`,
    );
  }
  const path = readSqlitePath(variable, url, program);
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
export function sizeOfFile(kind: Pick<DatabaseKind<object>, 'program'>, file: string): number {
  const stats = file === '' ? undefined : statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile()) return stats.size;
  const what = stats ? 'is not a regular file' : 'does not exist';
  throw new UserError(`${file || 'FILE'} ${what}. ${adviseBackupFile(kind)}`);
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
