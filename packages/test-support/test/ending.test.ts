import assert from 'node:assert/strict';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { type Outcome, runProgram } from '@petstore/test-support/program.ts';
import { ROOT } from '@petstore/test-support/root.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';

// What the tests themselves are promised, shown on small files of tests.

const FIXTURES = join(import.meta.dirname, 'fixtures');
const SOURCES = join(import.meta.dirname, '../src');

/** How long nothing may happen where that is looked at: long enough for a file to begin on a slow machine. */
const SILENCE_MS = 4_000;

/** Runs a file as a person runs one, without the settings of a whole run. */
function run(fixture: string, env: Record<string, string> = {}): Promise<Outcome> {
  const args = ['--test', '--test-reporter=spec', join(FIXTURES, fixture)];
  return runProgram(process.execPath, args, ROOT, env);
}

/** Runs a file as `npm test` runs all. Node runs no tests where it is told that it is in one. */
function runWhole(fixture: string, env: Record<string, string> = {}): Promise<Outcome> {
  const program = [process.execPath, join(SOURCES, 'run-tests.ts'), join(FIXTURES, fixture)];
  return runProgram('env', ['-u', 'NODE_TEST_CONTEXT', ...program], ROOT, env);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The processes whose numbers a file wrote, once they are gone. */
async function assertGone({ stdout }: Outcome): Promise<void> {
  const pids = /pids (\d+) (\d+)/.exec(stdout)?.slice(1).map(Number) ?? [];
  assert.equal(pids.length, 2, stdout);
  await timeUntil(async () => !pids.some(isAlive));
}

// A few at once: each waits for seconds in which nothing happens.
describe('files of tests', { concurrency: 3 }, () => {
  test('clean-ups run in reverse order, each whatever becomes of the others, and errors fail the test', async () => {
    const { code, stdout } = await run('clean-up-order.ts');
    assert.equal(code, 1);
    assert.match(stdout, /^last\nfirst\n.*^the file\n/ms);
    assert.match(stdout, /2 clean-ups failed/);
    assert.match(stdout, /the second failed/);
    assert.match(stdout, /the third failed/);
    assert.doesNotMatch(stdout, /ENOTEMPTY/);
  });

  test('a file whose tests are done is ended, and told by name, when a process of it goes on', async () => {
    const { code, stdout, stderr } = await run('leftover.ts', { TEST_LEAVE_MS: '1000' });
    assert.equal(code, 1);
    const report = stdout + stderr;
    assert.match(report, /fixtures\/leftover\.ts does not end: none .* for 1 s\. It waits for:\n/);
    assert.match(report, /^ {2}the process \d+: sleep 1001\n/m);
    assert.match(report, /^ {2}1 ProcessWrap\n/m);
  });

  test('a test that never ends is ended with its file, its name and what it waits for', async () => {
    const outcome = await run('endless-test.ts', { TEST_SILENCE_MS: `${SILENCE_MS}` });
    assert.equal(outcome.code, 1);
    const report = outcome.stdout + outcome.stderr;
    assert.match(report, /fixtures\/endless-test\.ts does not end: none .* for 4 s\./);
    assert.match(report, /^ {2}the test "never ends > nor does this"\n/m);
    assert.match(report, /^ {2}the process \d+: sleep 1002\n/m);
    assert.match(report, /^ {2}1 TCPServerWrap\n/m);
    await assertGone(outcome);
  });

  test('a file in an endless loop is ended, too, with what it started', async () => {
    const outcome = await run('busy.ts', { TEST_SILENCE_MS: `${SILENCE_MS}` });
    assert.equal(outcome.code, 1);
    assert.match(
      outcome.stdout + outcome.stderr,
      /busy\.ts does not end: it is busy, and is killed/,
    );
    await assertGone(outcome);
  });

  test('files that share a process end one by one, and the one that does not is named', async (t) => {
    const claims = await temporaryFolder(t);
    const files = ['clean-up-order.ts', 'busy.ts'].map((file) => join(FIXTURES, file));
    const args = ['--test', '--test-reporter=spec', join(SOURCES, 'worker.ts')];
    const outcome = await runProgram(process.execPath, args, ROOT, {
      TEST_SILENCE_MS: `${SILENCE_MS}`,
      TESTS_CLAIMS: claims,
      TESTS_FILES: JSON.stringify(files.map((file) => relative(ROOT, file))),
    });
    assert.equal(outcome.code, 1);
    assert.match(outcome.stdout, /^last\nfirst\n.*^the file\n/ms);
    assert.match(
      outcome.stdout + outcome.stderr,
      /busy\.ts does not end: it is busy, and is killed/,
    );
    await assertGone(outcome);
  });

  test('a file that takes long to load is not ended for the one before it', async (t) => {
    const files = ['clean-up-order.ts', 'slow-start.ts'].map((file) => join(FIXTURES, file));
    const args = ['--test', '--test-reporter=spec', join(SOURCES, 'worker.ts')];
    const { stdout } = await runProgram(process.execPath, args, ROOT, {
      TEST_LEAVE_MS: '500',
      TESTS_FILES: JSON.stringify(files.map((file) => relative(ROOT, file))),
      TESTS_CLAIMS: await temporaryFolder(t),
    });
    assert.match(stdout, /✔ begins late/);
  });

  test('a whole run ends, and says what it waited for, when a program holds the output of a file', async () => {
    const env = { TEST_SILENCE_MS: `${SILENCE_MS}` };
    const { code, stdout, stderr } = await runWhole('held-output.ts', env);
    assert.equal(code, 1);
    assert.match(stdout, /✔ leaves a program behind/);
    assert.match(stderr, /^The run does not end: no test began or ended for 8 s\. It waits for:\n/);
    assert.match(stderr, /^ {2}the process \d+: sleep 1005 \n {4}the thread sleep: S \w+\n/m);
  });

  test('a whole run goes on, and says so, when Node cannot print what its tests did', async () => {
    const { code, stdout, stderr } = await runWhole('broken-report.ts');
    assert.match(stderr, /^The report begins anew, after .* name: 'another'.*AssertionError/s);
    assert.match(stdout, /✔ goes on .*^ℹ pass 3$/ms);
    assert.equal(code, 0);
  });

  test('no program outlives a process of tests that is killed', async () => {
    const outcome = await run('killed.ts');
    assert.equal(outcome.code, 1);
    await assertGone(outcome);
  });
});
