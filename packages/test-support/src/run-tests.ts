import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { argv, stdout } from 'node:process';
import type { Transform } from 'node:stream';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { ROOT } from './root.ts';
import { watchRun } from './run-watch.ts';
import { ALL_TESTS, CLAIMS, FILES, RUN_OPTIONS, spreadFiles, startShared } from './whole-run.ts';

// npm test [-- FILE…], and npm run coverage: all files of tests, or some.

const WORKER = join(import.meta.dirname, 'worker.ts');

/** More than there are cores, since tests wait for much: with one more alone, the cores are idle a fifth of the time. */
const CONCURRENCY = 2 * availableParallelism();

/** To record what is covered takes as long as the tests themselves, so it is not done each time. */
const COVERAGE = {
  coverage: true,
  coverageIncludeGlobs: [
    'apps/petstore/src/**',
    'apps/dashboard/server/src/**',
    'packages/{client,postgres,service,site}/src/**',
  ],
  lineCoverage: 95,
};

function findFiles(patterns: readonly string[]): string[] {
  return spreadFiles(globSync([...patterns], { cwd: ROOT }).sort());
}

/**
 * Files that say so have a process that no other uses. Those that end the recording of what is covered in theirs need one
 * only where it is recorded: to start one and load all that a build needs takes as long as many of their tests.
 */
function isAlone(file: string, isCovered: boolean): boolean {
  const says = isCovered ? /^(coverNothing|runAlone)\(\);$/m : /^runAlone\(\);$/m;
  return says.test(readFileSync(resolve(ROOT, file), 'utf8'));
}

async function runTests(patterns: readonly string[], isCovered: boolean): Promise<void> {
  const files = findFiles(patterns);
  if (files.length === 0) throw new Error(`There is no file of tests: ${patterns.join(', ')}`);
  const alone = files.filter((file) => isAlone(file, isCovered));
  const shared = files.filter((file) => !alone.includes(file));
  const claims = mkdtempSync(join(tmpdir(), 'test-workers-'));
  let end = async (): Promise<void> => undefined;
  await startShared({ after: (work) => (end = work) });
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interrupted.abort());
  }
  process.env[FILES] = JSON.stringify(shared);
  process.env[CLAIMS] = claims;
  const workers: string[] = Array(Math.min(CONCURRENCY, shared.length)).fill(WORKER);
  const events = run({
    ...RUN_OPTIONS,
    // The last worker comes when those that are alone are done: no core is idle as long as a worker has files.
    files: [
      ...workers.slice(1),
      ...alone.map((file) => resolve(ROOT, file)),
      ...workers.slice(0, 1),
    ],
    concurrency: CONCURRENCY,
    signal: interrupted.signal,
    ...(isCovered && COVERAGE),
  });
  events.on('test:summary', ({ success, file }) => {
    if (file === undefined && !success) process.exitCode = 1;
  });
  const stopWatching = watchRun(events);
  await tell(events);
  stopWatching();
  rmSync(claims, { recursive: true, force: true });
  await end();
  // What still holds the output of a file would be waited for.
  process.exit();
}

/**
 * Prints what the tests do as they do it. Where events come in an order that Node's reporter does not expect, it throws,
 * and takes nothing more: another goes on then. What is printed does not decide whether the run fails.
 */
async function tell(events: ReturnType<typeof run>): Promise<void> {
  const begin = (): Transform => {
    const reporter = new spec();
    reporter.pipe(stdout, { end: false });
    return reporter;
  };
  let reporter = begin();
  for await (const event of events) {
    try {
      await new Promise<unknown>((resolve) => reporter.write(event, resolve));
    } catch (error) {
      console.error('The report begins anew, after', event, error);
      reporter = begin();
    }
  }
  const ended = once(reporter, 'end');
  reporter.end();
  await ended;
  await new Promise<unknown>((resolve) => stdout.write('', resolve));
}

const files = argv.slice(2).filter((argument) => argument !== '--coverage');
await runTests(files.length > 0 ? files : ALL_TESTS, argv.includes('--coverage'));
