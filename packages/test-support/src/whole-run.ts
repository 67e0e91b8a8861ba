import { accessSync, chmodSync, constants, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cleanUp, type Ending } from './endings.ts';
import { memoryFileSystem } from './memory-file-system.ts';
import { PostgresServer, SHARED_PROGRAMS } from './postgres.ts';
import { ROOT } from './root.ts';

// What all files of a run of tests share: one PostgreSQL server, where a file that is run alone starts its own;
// what Node has compiled, which many processes need not do again; and what a test may take.

export const ALL_TESTS = ['start/*.test.ts', '{packages,apps}/*/test/**/*.test.ts'];

/** Folders with files that take long. */
const LONG =
  /\/test\/(browser|ci|commands|deploys|faults|http|security|store|telemetry|workers)\/|^start\//;

/** The share of a run in which those files begin: what ends last does not end alone then. */
const LONG_UNTIL = 0.85;

/**
 * An order in which every core has work all the time: files that take long wait for much (a browser, other programs), so
 * they are spread between those that compute.
 */
export function spreadFiles(files: readonly string[]): string[] {
  const [long, short] = [
    files.filter((file) => LONG.test(file)),
    files.filter((file) => !LONG.test(file)),
  ];
  const at = (place: number, of: readonly string[], until: number) => (place / of.length) * until;
  return [
    ...long.map((file, index) => ({ file, at: at(index, long, LONG_UNTIL) })),
    ...short.map((file, index) => ({ file, at: at(index, short, 1) })),
  ]
    .sort((one, other) => one.at - other.at)
    .map(({ file }) => file);
}

/** Where the tests of a run find the server that was started for all of them. */
export const SHARED_PORT = 'TESTS_POSTGRES_PORT';

/** Where workers find the files that they take theirs of, as JSON, and the folder in which they tell which they took. */
export const FILES = 'TESTS_FILES';
export const CLAIMS = 'TESTS_CLAIMS';

/** What a test may take, in milliseconds. It ends what hangs, and tells before the watchdog does, which has three minutes. */
const TIMEOUT_MS = 150_000;

/** Tests leave much behind that lives for a moment: with more room for it, it is collected less often. */
const YOUNG_MB = 32;

export const RUN_OPTIONS = {
  cwd: ROOT,
  execArgv: [
    `--import=${new URL('untracked-work.ts', import.meta.url)}`,
    `--test-timeout=${TIMEOUT_MS}`,
    `--min-semi-space-size=${YOUNG_MB}`,
    `--max-semi-space-size=${YOUNG_MB}`,
  ],
};

/** Starts what files share, and tells those that this process starts from now on of it. It is gone when `run` ends. */
export async function startShared(run: Ending): Promise<void> {
  keepFilesInMemory(run);
  const server = await PostgresServer.start(run);
  process.env[SHARED_PORT] = `${server.port}`;
  process.env[SHARED_PROGRAMS] = server.programs;
  // What hashing passwords takes is given back each time: a large process takes long to start others.
  process.env.MALLOC_MMAP_THRESHOLD_ ??= String(4 * 1024 * 1024);
  process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/compiled');
}

/**
 * Has temporary folders made in memory, where there is plenty of it: what waits for the disk (`fsync`) is half of what tests
 * of the store take. Whoever sets TMPDIR has them there.
 */
function keepFilesInMemory(run: Ending): void {
  const memory = memoryFileSystem();
  if (memory === undefined || process.env.TMPDIR) return;
  const folder = mkdtempSync(join(memory, 'petstore-tests-'));
  cleanUp(run, () => rm(folder, { recursive: true, force: true }));
  // Servers that refuse to run as root are started as somebody else.
  chmodSync(folder, 0o711);
  if (mayStartPrograms(folder)) process.env.TMPDIR = folder;
}

/** Whether programs in a folder can be started: containers have memory mounted `noexec`. */
function mayStartPrograms(folder: string): boolean {
  const program = join(folder, 'program');
  writeFileSync(program, '', { mode: 0o700 });
  try {
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
