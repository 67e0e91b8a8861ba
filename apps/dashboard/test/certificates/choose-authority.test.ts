import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  afterCheck,
  chooseAuthority,
  mayBeAsked,
  type Situation,
  type Trial,
  withTrial,
} from '../../server/src/certificates/choose-authority.ts';

const NOW = 1_000_000;
const [A, B, C] = ['https://a.test/', 'https://b.test/', 'https://c.test/'] as const;

const trial = (directoryUrl: string, until: number | null, retryAt?: number): Trial => ({
  ...{ directoryUrl, until },
  problem: { type: 'rateLimited', detail: '', at: 0, ...(retryAt !== undefined && { retryAt }) },
});

const choose = (urls: readonly string[], situation: Partial<Situation> = {}) => {
  const authorities = urls.map((directoryUrl) => ({ directoryUrl })) as never;
  const whole = { trials: [], pauses: new Map(), forbidden: [], ...situation };
  const { directoryUrl, at } = chooseAuthority({ authorities }, whole, NOW);
  return [directoryUrl, at];
};

test('the first in order is asked, unless it refused, is paused, or is forbidden', () => {
  assert.deepEqual(choose([A, B, C]), [A, NOW]);
  assert.deepEqual(choose([A, B, C], { trials: [trial(A, NOW + 1)] }), [B, NOW]);
  assert.deepEqual(choose([A, B, C], { trials: [trial(A, null)] }), [B, NOW]);
  assert.deepEqual(choose([A, B, C], { pauses: new Map([[A, NOW + 1]]) }), [B, NOW]);
  assert.deepEqual(choose([A, B, C], { forbidden: [A, B] }), [C, NOW]);
  const both = { trials: [trial(A, NOW + 1)], pauses: new Map([[B, NOW + 1]]) };
  assert.deepEqual(choose([A, B, C], both), [C, NOW]);
});

test('each has its turn before one is asked again, however long that takes', () => {
  assert.deepEqual(choose([A, B], { trials: [trial(A, NOW - 9)] }), [B, NOW]);
  assert.deepEqual(choose([A, B, C], { trials: [trial(A, 1), trial(B, 2)] }), [C, NOW]);
  assert.deepEqual(choose([A, B, C], { trials: [trial(C, 1), trial(B, 2), trial(A, 1)] }), [
    C,
    NOW,
  ]);
  assert.deepEqual(choose([A, B], { trials: [trial(B, NOW - 1), trial(A, NOW)] }), [B, NOW]);
  assert.deepEqual(choose([A, B], { trials: [trial(A, NOW - 1), trial(B, NOW - 2)] }), [A, NOW]);
  assert.deepEqual(choose([A, B], { pauses: new Map([[A, NOW]]) }), [A, NOW]);
});

test('where none may be asked now, it is the one that may be first', () => {
  const later = [trial(A, NOW + 9), trial(B, NOW + 5), trial(C, NOW + 7)];
  assert.deepEqual(choose([A, B, C], { trials: later }), [B, NOW + 5]);
  const paused = { trials: later, pauses: new Map([[B, NOW + 8]]) };
  assert.deepEqual(choose([A, B, C], paused), [C, NOW + 7]);
  const never = [trial(A, null), trial(B, NOW + 5)];
  assert.deepEqual(choose([A, B], { trials: never }), [B, NOW + 5]);
  assert.deepEqual(choose([A, B], { trials: [trial(A, null), trial(B, null)] }), [A, null]);
});

test('one alone gains nothing by a pause, and records that forbid all may be of yesterday', () => {
  assert.deepEqual(choose([A], { pauses: new Map([[A, NOW + 9]]) }), [A, NOW]);
  const onlyB = { forbidden: [A], pauses: new Map([[B, NOW + 9]]) };
  assert.deepEqual(choose([A, B], onlyB), [B, NOW], 'A is no alternative');
  assert.deepEqual(choose([A, B], { forbidden: [A, B] }), [A, NOW]);
});

test('whatever happened, one is chosen, and never one that may be asked later than another', () => {
  const url = fc.constantFrom(A, B, C);
  const time = fc.integer({ min: NOW - 5, max: NOW + 5 });
  const trials = fc.uniqueArray(
    fc.tuple(url, fc.option(time)).map(([at, until]) => trial(at, until)),
    { selector: ({ directoryUrl }) => directoryUrl },
  );
  fc.assert(
    fc.property(trials, fc.subarray([A, B, C]), (tried, forbidden) => {
      const [chosen, at] = choose([A, B, C], { trials: tried, forbidden });
      const allowed = [A, B, C].filter((one) => !forbidden.includes(one));
      const candidates = allowed.length > 0 ? allowed : [A, B, C];
      assert.ok(candidates.includes(chosen as typeof A));
      for (const other of candidates) {
        const until = tried.find(({ directoryUrl }) => directoryUrl === other)?.until;
        if (until === null) continue;
        assert.ok(at !== null && Number(at) <= Math.max(NOW, until ?? NOW));
      }
    }),
  );
});

test('who may be asked now is neither refusing, nor paused, nor forbidden', () => {
  const none = { trials: [], pauses: new Map(), forbidden: [] };
  assert.equal(mayBeAsked(A, none, NOW), true);
  for (const until of [null, NOW + 1]) {
    assert.equal(mayBeAsked(A, { ...none, trials: [trial(A, until)] }, NOW), false);
    assert.equal(mayBeAsked(B, { ...none, trials: [trial(A, until)] }, NOW), true);
  }
  assert.equal(mayBeAsked(A, { ...none, trials: [trial(A, NOW)] }, NOW), true);
  assert.equal(mayBeAsked(A, { ...none, pauses: new Map([[A, NOW + 1]]) }, NOW), false);
  assert.equal(mayBeAsked(A, { ...none, pauses: new Map([[A, NOW]]) }, NOW), true);
  assert.equal(mayBeAsked(A, { ...none, forbidden: [A] }, NOW), false);
});

test('a trial replaces the earlier one; a right DNS check lets all be asked but who said when', () => {
  const first = withTrial([trial(A, 1), trial(B, 2)], trial(A, 3));
  assert.deepEqual(
    first.map(({ directoryUrl, until }) => [directoryUrl, until]),
    [
      [B, 2],
      [A, 3],
    ],
  );
  const trials = [trial(A, null), trial(B, NOW + 9), trial(C, NOW + 9, NOW + 7)];
  assert.deepEqual(
    afterCheck(trials, NOW).map(({ until }) => until),
    [NOW, NOW, NOW + 7],
  );
});
