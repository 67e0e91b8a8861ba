import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { argv, execPath, exit } from 'node:process';

// npm test [-- FILE…], and npm run coverage: all files of tests, or some, with what they share.

export const ALL_TESTS = ['{apps,packages}/*/test/**/*.test.ts', 'start/*.test.ts'];

export const GLOBAL_SETUP = 'packages/test-support/src/global-setup.ts';

/** What a test may take, in milliseconds. */
export const TIMEOUT_MS = 120_000;

/** To record what is covered takes as long as the tests themselves, so it is not done each time. */
const COVERAGE = [
  '--experimental-test-coverage',
  '--test-coverage-include=apps/petstore/src/**',
  '--test-coverage-include=apps/dashboard/server/src/**',
  '--test-coverage-include=packages/{client,service,reference}/src/**',
  '--test-coverage-lines=95',
];

function runTests(files: readonly string[], isCovered: boolean): void {
  const run = spawn(
    execPath,
    [
      '--test',
      `--test-global-setup=${GLOBAL_SETUP}`,
      `--test-timeout=${TIMEOUT_MS}`,
      // More than there are cores: much of what tests do is to wait.
      `--test-concurrency=${availableParallelism() + 1}`,
      ...(isCovered ? COVERAGE : []),
      ...(files.length > 0 ? files : ALL_TESTS),
    ],
    { stdio: 'inherit' },
  );
  // Ctrl-C reaches both; this process waits until the other has ended what it started.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => run.kill(signal));
  run.on('exit', (code) => exit(code ?? 1));
}

if (import.meta.main) {
  const files = argv.slice(2).filter((argument) => argument !== '--coverage');
  runTests(files, argv.includes('--coverage'));
}
