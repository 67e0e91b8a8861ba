import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { SCHEMA } from '../contenders/schema.ts';
import { BenchError } from './failure.ts';
import { BENCH, ROOT } from './paths.ts';
import type { Command } from './processes.ts';

/** statfs(2): the type of a file system that is memory. */
const TMPFS = 0x01021994;

export const PETSTORE = `${ROOT}apps/petstore/bin/petstore.js`;

/** How many pets the files of the comparison hold at first. */
export const SEEDED = 10_000;

/**
 * An empty folder for the files of a run, on the disk that holds the repository unless one is named.
 * It goes with this process.
 * Throws BenchError where that is memory: an fsync would cost nothing.
 */
export function emptyFolder(name: string, parent = `${BENCH}data`): string {
  const folder = `${parent}/${name}`;
  const remove = () => rmSync(folder, { recursive: true, force: true });
  remove();
  process.once('exit', remove);
  mkdirSync(folder, { recursive: true });
  if (statfsSync(folder).type === TMPFS) {
    throw new BenchError(
      `${folder} is in memory (tmpfs), where a durable write costs nothing. Name a folder on a disk with --data.`,
    );
  }
  return folder;
}

/**
 * What is measured beside the defaults, which have metrics, the log of failed and slow requests, and
 * all timeouts and bounds on: a quota that counts every request and that no load uses up.
 */
const LIMITED = { PETSTORE_RATE_LIMIT: '1000000', PETSTORE_RATE_LIMIT_WINDOW_SECONDS: '60' };

/** How the service is started on a file, with settings besides its own, and options. */
export function petstoreCommand(
  path: string,
  settings: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): (port: number) => Command {
  return (port) => ({
    args: [PETSTORE, 'serve', ...options],
    env: { ...petstoreEnv(path), ...LIMITED, ...settings, PETSTORE_PORT: String(port) },
  });
}

function petstoreEnv(path: string): Record<string, string> {
  return { PETSTORE_DATABASE_URL: `sqlite:${path}` };
}

/** A database of the service, with a key to it. */
export interface Database {
  readonly path: string;
  readonly key: string;
}

/** Makes a database of the service, or of another version's program, with a key and so many pets. */
export function seedPetstore(path: string, pets: number, program = PETSTORE): Database {
  const { PATH = '', HOME = '' } = process.env;
  const out = execFileSync(
    process.execPath,
    [program, 'keys', 'create', '--name', 'bench', '--json'],
    { env: { PATH, HOME, ...petstoreEnv(path) }, encoding: 'utf8' },
  );
  seedPets(path, pets);
  return { path, key: JSON.parse(out).key };
}

/** Makes a database as the other contenders have it, and gives its pets. */
export function seedPeer(path: string, pets: number): Record<string, unknown>[] {
  using db = new DatabaseSync(path);
  db.exec(SCHEMA);
  seedPets(path, pets);
  return db
    .prepare('SELECT id, name, category_id AS categoryId, status FROM pets ORDER BY id')
    .all();
}

/**
 * Fills the table of pets in one statement: 70 % available, 0.01 % pending, the others sold. One of
 * the first thousand is pending, so that every size has one to find. What is in the file afterwards
 * is on disk.
 */
function seedPets(path: string, pets: number): void {
  using db = new DatabaseSync(path);
  // Nothing else has the file open, and one that is cut off is made anew.
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000');
  db.exec(
    `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${pets})
     INSERT INTO pets (id, name, category_id, status)
     SELECT n, printf('Pet %08d', n), n % 50,
            CASE WHEN n % 10000 = 500 THEN 'pending' WHEN n % 10 < 7 THEN 'available' ELSE 'sold' END
     FROM numbers WHERE n > 0`,
  );
  db.exec('PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL');
}

/** Size of a database, its log included, in MiB. */
export function fileMiB(path: string): number {
  const bytes = [path, `${path}-wal`].map(
    (name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0,
  );
  return bytes.reduce((total, size) => total + size, 0) / 2 ** 20;
}

/** How many pets a file holds, while its server runs. */
export function countPets(path: string): number {
  using db = new DatabaseSync(path, { readOnly: true });
  return Number(db.prepare('SELECT count(*) AS count FROM pets').get()?.count);
}
