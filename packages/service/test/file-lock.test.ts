import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import fs, { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { lockFile } from '../src/file-lock.ts';
import { UserError } from '../src/user-error.ts';

const ONE = 1_000_001;
const OTHER = 1_000_002;
const KILLED = 1_000_003;

/** Lets this process be several, one after the other. What is said to live does. */
function playProcesses(t: TestContext, living: readonly number[]) {
  const { pid } = process;
  const become = (value: number) => Object.defineProperty(process, 'pid', { value });
  cleanUp(t, () => become(pid));
  t.mock.method(process, 'kill', (asked: number) => {
    if (!living.includes(asked))
      throw Object.assign(new Error('No such process'), { code: 'ESRCH' });
    return true;
  });
  /** Whether a process gets the lock of a file. */
  return (id: number, path: string): boolean => {
    const before = process.pid;
    become(id);
    try {
      lockFile(path);
      return true;
    } catch (error) {
      assert.ok(error instanceof UserError, String(error));
      return false;
    } finally {
      become(before);
    }
  };
}

/** Calls before each call of the file system. */
function beforeEachCall(t: TestContext, then: () => void): void {
  for (const [name, call] of Object.entries(fs) as ['openSync', (...args: unknown[]) => never][]) {
    if (!name.endsWith('Sync') || call === undefined) continue;
    t.mock.method(fs, name, (...args: unknown[]) => {
      then();
      return call(...args);
    });
  }
  syncBuiltinESMExports();
  cleanUp(t, () => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

for (const [left, content] of [
  ['nobody', undefined],
  ['a process that was killed', `${KILLED}\n`],
] as const) {
  test(`of two processes that come at the same time one alone gets a lock that ${left} has`, async (t) => {
    const folder = await temporaryFolder(t);
    const take = playProcesses(t, [ONE, OTHER]);
    let untilOther = Number.POSITIVE_INFINITY;
    let path = '';
    let isOther: boolean | undefined;
    beforeEachCall(t, () => {
      if (untilOther-- === 0) isOther = take(OTHER, path);
    });
    for (let calls = 0; ; calls++) {
      path = join(folder, `${calls}`);
      if (content !== undefined) writeFileSync(`${path}.lock`, content);
      isOther = undefined;
      untilOther = calls;
      const isOne = take(ONE, path);
      untilOther = Number.POSITIVE_INFINITY;
      if (isOther === undefined) break;
      assert.notEqual(isOne, isOther, `the other one came before call ${calls}`);
    }
  });
}

test('a lock in which a power cut left nothing is ignored, and one that is just made is not', async (t) => {
  const path = join(await temporaryFolder(t), 'file');
  writeFileSync(`${path}.lock`, '');
  assert.throws(() => lockFile(path), /^UserError: Another process writes .*\/file already\./);
  utimesSync(`${path}.lock`, 1, 1);
  const release = lockFile(path);
  release();
  assert.deepEqual(readdirSync(join(path, '..')), []);
});
