import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Log } from '@petstore/service/log.ts';
import { KeyUsage } from '../../src/keys/key-usage.ts';
import type { KeyStore } from '../../src/store/contract/key-store.ts';

type Uses = Record<string, number>;

/** What is written in each minute, and what is told; `write` may fail. */
function usageOf(t: TestContext, write: () => Promise<void> = async () => undefined) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const written: Uses[] = [];
  const told: unknown[][] = [];
  const keys = {
    noteUses(uses: ReadonlyMap<string, number>) {
      written.push(Object.fromEntries(uses));
      return write();
    },
  };
  const log = { warn: (...what: unknown[]) => void told.push(what) };
  const usage = new KeyUsage(keys as unknown as KeyStore, log as unknown as Log);
  const pass = async (milliseconds: number) => {
    t.mock.timers.tick(milliseconds);
    await new Promise(setImmediate);
  };
  return { usage, written, told, pass };
}

test('the last use of each key is written once a minute, where there was one', async (t) => {
  const { usage, written, pass } = usageOf(t);
  usage.note('a', 1);
  usage.note('b', 2);
  usage.note('a', 3);
  await pass(59_999);
  assert.deepEqual(written, []);
  await pass(1);
  assert.deepEqual(written, [{ a: 3, b: 2 }]);
  await pass(60_000);
  assert.equal(written.length, 1, 'nothing is new');
  usage.note('b', 4);
  await pass(60_000);
  assert.deepEqual(written[1], { b: 4 });
});

test('uses that could not be written are told of, and written the next time unless there are newer ones', async (t) => {
  const error = new Error('away');
  let fail: (error?: Error) => void = () => undefined;
  const { usage, written, told, pass } = usageOf(
    t,
    () => new Promise((resolve, reject) => (fail = (error) => (error ? reject(error) : resolve()))),
  );
  usage.note('a', 1);
  usage.note('b', 2);
  await pass(60_000);
  usage.note('b', 3);
  fail(error);
  await pass(0);
  const message = 'the times of last use of keys could not be stored';
  assert.deepEqual(told, [[{ err: error }, message]]);
  await pass(60_000);
  assert.deepEqual(written[1], { a: 1, b: 3 });
});

test('of ten thousand keys at most the use is noted between two writes, and later that of the others', async (t) => {
  const { usage, written, pass } = usageOf(t);
  for (let n = 0; n < 10_001; n++) usage.note(`${n}`, 1);
  usage.note('9999', 2);
  await pass(60_000);
  const { '9999': last, '10000': beyond } = written[0] ?? {};
  assert.deepEqual([last, beyond], [2, undefined]);
  usage.note('10000', 3);
  await pass(60_000);
  assert.deepEqual(written[1], { '10000': 3 });
});

test('what was noted is written at the end, after which nothing is', async (t) => {
  const { usage, written, pass } = usageOf(t);
  usage.note('a', 1);
  await usage.close();
  assert.deepEqual(written, [{ a: 1 }]);
  usage.note('a', 2);
  await pass(120_000);
  assert.equal(written.length, 1);
});
