import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { stdout } from 'node:process';
import { run } from 'node:test';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { startPauses } from './pauses.ts';
import { ROOT } from './root.ts';
import { watchRun } from './run-watch.ts';
import { ALL_TESTS, CLAIMS, RUN_OPTIONS, startShared } from './whole-run.ts';

// npm run test:repeat -- --times 50 --load --pauses [FILE…]: each file of tests many times, two at once for each core, to
// find what fails now and then. `--load` keeps every core busy with other work besides; `--pauses` pauses one process
// of the tests after another for a moment.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '50' },
    load: { type: 'boolean', default: false },
    pauses: { type: 'boolean', default: false },
  },
});
const times = Number(values.times);
const cores = availableParallelism();
const patterns = positionals.length > 0 ? positionals : ALL_TESTS;
const files = globSync([...patterns], { cwd: ROOT }).sort();

/** Runs a file so many times, and tells what failed. */
async function repeat(file: string): Promise<string[]> {
  const failures: string[] = [];
  const events = run({
    ...RUN_OPTIONS,
    files: Array(times).fill(join(ROOT, file)),
    concurrency: cores * 2,
  });
  let output = '';
  events.on('test:stderr', ({ message }) => (output += message));
  events.on('test:fail', ({ name, details }) => {
    failures.push(
      `${name}: ${details.error.stack}\n${details.error.cause instanceof Error ? `${details.error.cause.stack}` : String(details.error.cause ?? '')}`,
    );
  });
  const stopWatching = watchRun(events);
  for await (const _ of events);
  stopWatching();
  return failures.length === 0 ? [] : [...failures, output];
}

let end = async (): Promise<void> => undefined;
await startShared({ after: (work) => (end = work) });
// By it the processes of this run are known.
const claims = mkdtempSync(join(tmpdir(), 'test-workers-'));
process.env[CLAIMS] = claims;
const load = values.load
  ? Array.from({ length: cores }, () => new Worker('for (;;);', { eval: true }))
  : [];
const pauses = values.pauses ? startPauses() : undefined;
let failed = 0;
for (const file of files) {
  const begun = performance.now();
  const failures = await repeat(file);
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
  stdout.write(`${failures.length === 0 ? '✔' : '✖'} ${file}: ${times} times in ${seconds} s\n`);
  for (const failure of failures) stdout.write(`${failure}\n`);
  if (failures.length > 0) failed += 1;
}
pauses?.stop();
await Promise.all(load.map((worker) => worker.terminate()));
rmSync(claims, { recursive: true, force: true });
await end();
stdout.write(`${files.length} files, ${failed} with failures\n`);
process.exitCode = failed === 0 ? 0 : 1;
