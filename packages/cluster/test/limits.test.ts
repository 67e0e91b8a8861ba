import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Figures } from '@petstore/cluster/checker/statistics.ts';
import type { Limits } from '@petstore/cluster/faults/fault.ts';
import { brokenLimits } from '@petstore/cluster/run/limits.ts';
import type { Trial } from '@petstore/cluster/run/trial.ts';
import '@petstore/test-support/clean-up.ts';

const GOOD: Figures = { ok: 100, unavailable: 1, awayMs: 10, p50: 2, p99: 9, longestMs: 12 };
const LIMITS: Limits = { readsMs: 100, writesMs: 200 };

function trial(what: Partial<Trial> = {}): Trial {
  const about = { fault: 'x', title: 'X', at: '', to: 'db1', heldMs: 5_000, wholeAfterMs: 1 };
  return { ...about, reads: GOOD, writes: GOOD, ...what };
}

const away = (awayMs: number): Figures => ({ ...GOOD, awayMs });

test('a fault that keeps its limits is no failure; each limit that it breaks is one', () => {
  assert.deepEqual(brokenLimits(trial({ reads: away(100), writes: away(200) }), LIMITS), []);
  assert.deepEqual(brokenLimits(trial({ reads: away(101), writes: away(201) }), LIMITS), [
    'x: reads were away for 101 ms; at most 100 are allowed.',
    'x: writes were away for 201 ms; at most 200 are allowed.',
  ]);
});

test('where writes wait, their limit counts from the end of the cause', () => {
  const limits = { ...LIMITS, writesWait: true } as const;
  assert.deepEqual(brokenLimits(trial({ writes: away(5_200) }), limits), []);
  assert.equal(brokenLimits(trial({ writes: away(5_201) }), limits).length, 1);
});

test('reads that are to go on keep their p99, on a busy machine three times that of before; connections keep to the pools', () => {
  const limits = { ...LIMITS, steadyReadsMs: 20 };
  const steady = (before: number, p99: number, connections = 39) =>
    brokenLimits(
      trial({ steady: { before: { ...GOOD, p99: before }, reads: { ...GOOD, p99 }, connections } }),
      limits,
    ).length;
  assert.equal(steady(2, 20), 0);
  assert.equal(steady(2, 20.1), 1);
  assert.equal(steady(50, 150), 0);
  assert.equal(steady(50, 150.1), 1);
  assert.equal(steady(2, 20, 40), 1);
});

test('a machine that a fault reached is back in time, and was reached', () => {
  const limits = { ...LIMITS, reachedMs: 300 };
  const reached = (reads: Figures, writes: Figures, before = GOOD) => {
    const during = { name: 'api1', reads: before, writes: before };
    const after = { name: 'api1', reads, writes };
    return brokenLimits(trial({ reached: [{ during, after }] }), limits).length;
  };
  assert.equal(reached(away(300), away(300)), 0);
  assert.equal(reached(away(301), away(300)), 1);
  assert.equal(reached(away(300), away(301)), 1);
  const none = { ...GOOD, unavailable: 0 };
  assert.equal(reached(none, none, none), 1);
});
