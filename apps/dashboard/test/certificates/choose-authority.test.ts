import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type AuthorityFailure,
  afterCheck,
  chooseAuthority,
  mayBeAsked,
  type Situation,
  withFailure,
} from '../../server/src/certificates/choose-authority.ts';

const NOW = 1_000_000;
const [A, B, C] = ['https://a.test/', 'https://b.test/', 'https://c.test/'] as const;

const failure = (
  directoryUrl: string,
  until: number | null,
  retryAt?: number,
): AuthorityFailure => ({
  ...{ directoryUrl, until },
  problem: { type: 'rateLimited', detail: '', at: 0, ...(retryAt !== undefined && { retryAt }) },
});

const choose = (urls: readonly string[], situation: Partial<Situation> = {}) => {
  const authorities = urls.map((directoryUrl) => ({ directoryUrl })) as never;
  const whole = { failures: [], pauses: new Map(), forbidden: [], ...situation };
  const { directoryUrl, at } = chooseAuthority({ authorities }, whole, NOW);
  return [directoryUrl, at];
};

test('the first in order is asked, unless it refused, is paused, or is forbidden', () => {
  assert.deepEqual(choose([A, B, C]), [A, NOW]);
  assert.deepEqual(choose([A, B, C], { failures: [failure(A, NOW + 1)] }), [B, NOW]);
  assert.deepEqual(choose([A, B, C], { failures: [failure(A, null)] }), [B, NOW]);
  assert.deepEqual(choose([A, B, C], { pauses: new Map([[A, NOW + 1]]) }), [B, NOW]);
  assert.deepEqual(choose([A, B, C], { forbidden: [A, B] }), [C, NOW]);
  const both = { failures: [failure(A, NOW + 1)], pauses: new Map([[B, NOW + 1]]) };
  assert.deepEqual(choose([A, B, C], both), [C, NOW]);
});

test('each has its turn before one is asked again, however long that takes', () => {
  assert.deepEqual(choose([A, B], { failures: [failure(A, NOW - 9)] }), [B, NOW]);
  assert.deepEqual(choose([A, B, C], { failures: [failure(A, 1), failure(B, 2)] }), [C, NOW]);
  assert.deepEqual(choose([A, B, C], { failures: [failure(C, 1), failure(B, 2), failure(A, 1)] }), [
    C,
    NOW,
  ]);
  assert.deepEqual(choose([A, B], { failures: [failure(B, NOW - 1), failure(A, NOW)] }), [B, NOW]);
  assert.deepEqual(choose([A, B], { failures: [failure(A, NOW - 1), failure(B, NOW - 2)] }), [
    A,
    NOW,
  ]);
  assert.deepEqual(choose([A, B], { pauses: new Map([[A, NOW]]) }), [A, NOW]);
});

test('where none may be asked now, it is the one that may be first', () => {
  const later = [failure(A, NOW + 9), failure(B, NOW + 5), failure(C, NOW + 7)];
  assert.deepEqual(choose([A, B, C], { failures: later }), [B, NOW + 5]);
  const paused = { failures: later, pauses: new Map([[B, NOW + 8]]) };
  assert.deepEqual(choose([A, B, C], paused), [C, NOW + 7]);
  const never = [failure(A, null), failure(B, NOW + 5)];
  assert.deepEqual(choose([A, B], { failures: never }), [B, NOW + 5]);
  assert.deepEqual(choose([A, B], { failures: [failure(A, null), failure(B, null)] }), [A, null]);
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
  const failures = fc.uniqueArray(
    fc.tuple(url, fc.option(time)).map(([at, until]) => failure(at, until)),
    { selector: ({ directoryUrl }) => directoryUrl },
  );
  fc.assert(
    fc.property(failures, fc.subarray([A, B, C]), (tried, forbidden) => {
      const [chosen, at] = choose([A, B, C], { failures: tried, forbidden });
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
  const none = { failures: [], pauses: new Map(), forbidden: [] };
  assert.equal(mayBeAsked(A, none, NOW), true);
  for (const until of [null, NOW + 1]) {
    assert.equal(mayBeAsked(A, { ...none, failures: [failure(A, until)] }, NOW), false);
    assert.equal(mayBeAsked(B, { ...none, failures: [failure(A, until)] }, NOW), true);
  }
  assert.equal(mayBeAsked(A, { ...none, failures: [failure(A, NOW)] }, NOW), true);
  assert.equal(mayBeAsked(A, { ...none, pauses: new Map([[A, NOW + 1]]) }, NOW), false);
  assert.equal(mayBeAsked(A, { ...none, pauses: new Map([[A, NOW]]) }, NOW), true);
  assert.equal(mayBeAsked(A, { ...none, forbidden: [A] }, NOW), false);
});

test('a failure replaces the earlier one of the same authority; a right DNS check lets all be asked but who said when', () => {
  const first = withFailure([failure(A, 1), failure(B, 2)], failure(A, 3));
  assert.deepEqual(
    first.map(({ directoryUrl, until }) => [directoryUrl, until]),
    [
      [B, 2],
      [A, 3],
    ],
  );
  const failures = [failure(A, null), failure(B, NOW + 9), failure(C, NOW + 9, NOW + 7)];
  assert.deepEqual(
    afterCheck(failures, NOW).map(({ until }) => until),
    [NOW, NOW, NOW + 7],
  );
});
