import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type AuthorityRefusal,
  afterCheck,
  chooseAuthority,
  mayBeAsked,
  type Situation,
  withRefusal,
} from '../../server/src/certificates/choose-authority.ts';

const NOW = 1_000_000;
const [A, B, C] = ['https://a.test/', 'https://b.test/', 'https://c.test/'] as const;

const refusal = (
  directoryUrl: string,
  until: number | null,
  retryAt?: number,
): AuthorityRefusal => ({
  ...{ directoryUrl, until },
  problem: { type: 'rateLimited', detail: '', at: 0, ...(retryAt !== undefined && { retryAt }) },
});

const choose = (urls: readonly string[], situation: Partial<Situation> = {}) => {
  const authorities = urls.map((directoryUrl) => ({ directoryUrl })) as never;
  const whole = { refusals: [], pauses: new Map(), forbidden: [], ...situation };
  const { directoryUrl, at } = chooseAuthority({ authorities }, whole, NOW);
  return [directoryUrl, at];
};

test('the first in order is asked, unless it refused, is paused, or is forbidden', () => {
  assert.deepEqual(choose([A, B, C]), [A, NOW]);
  assert.deepEqual(choose([A, B, C], { refusals: [refusal(A, NOW + 1)] }), [B, NOW]);
  assert.deepEqual(choose([A, B, C], { refusals: [refusal(A, null)] }), [B, NOW]);
  assert.deepEqual(choose([A, B, C], { pauses: new Map([[A, NOW + 1]]) }), [B, NOW]);
  assert.deepEqual(choose([A, B, C], { forbidden: [A, B] }), [C, NOW]);
  const both = { refusals: [refusal(A, NOW + 1)], pauses: new Map([[B, NOW + 1]]) };
  assert.deepEqual(choose([A, B, C], both), [C, NOW]);
});

test('each has its turn before one is asked again, however long that takes', () => {
  assert.deepEqual(choose([A, B], { refusals: [refusal(A, NOW - 9)] }), [B, NOW]);
  assert.deepEqual(choose([A, B, C], { refusals: [refusal(A, 1), refusal(B, 2)] }), [C, NOW]);
  assert.deepEqual(choose([A, B, C], { refusals: [refusal(C, 1), refusal(B, 2), refusal(A, 1)] }), [
    C,
    NOW,
  ]);
  assert.deepEqual(choose([A, B], { refusals: [refusal(B, NOW - 1), refusal(A, NOW)] }), [B, NOW]);
  assert.deepEqual(choose([A, B], { refusals: [refusal(A, NOW - 1), refusal(B, NOW - 2)] }), [
    A,
    NOW,
  ]);
  assert.deepEqual(choose([A, B], { pauses: new Map([[A, NOW]]) }), [A, NOW]);
});

test('where none may be asked now, it is the one that may be first', () => {
  const later = [refusal(A, NOW + 9), refusal(B, NOW + 5), refusal(C, NOW + 7)];
  assert.deepEqual(choose([A, B, C], { refusals: later }), [B, NOW + 5]);
  const paused = { refusals: later, pauses: new Map([[B, NOW + 8]]) };
  assert.deepEqual(choose([A, B, C], paused), [C, NOW + 7]);
  const never = [refusal(A, null), refusal(B, NOW + 5)];
  assert.deepEqual(choose([A, B], { refusals: never }), [B, NOW + 5]);
  assert.deepEqual(choose([A, B], { refusals: [refusal(A, null), refusal(B, null)] }), [A, null]);
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
  const refusals = fc.uniqueArray(
    fc.tuple(url, fc.option(time)).map(([at, until]) => refusal(at, until)),
    { selector: ({ directoryUrl }) => directoryUrl },
  );
  fc.assert(
    fc.property(refusals, fc.subarray([A, B, C]), (tried, forbidden) => {
      const [chosen, at] = choose([A, B, C], { refusals: tried, forbidden });
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
  const none = { refusals: [], pauses: new Map(), forbidden: [] };
  assert.equal(mayBeAsked(A, none, NOW), true);
  for (const until of [null, NOW + 1]) {
    assert.equal(mayBeAsked(A, { ...none, refusals: [refusal(A, until)] }, NOW), false);
    assert.equal(mayBeAsked(B, { ...none, refusals: [refusal(A, until)] }, NOW), true);
  }
  assert.equal(mayBeAsked(A, { ...none, refusals: [refusal(A, NOW)] }, NOW), true);
  assert.equal(mayBeAsked(A, { ...none, pauses: new Map([[A, NOW + 1]]) }, NOW), false);
  assert.equal(mayBeAsked(A, { ...none, pauses: new Map([[A, NOW]]) }, NOW), true);
  assert.equal(mayBeAsked(A, { ...none, forbidden: [A] }, NOW), false);
});

test('a refusal replaces the earlier one of the same authority; a right DNS check lets all be asked but who said when', () => {
  const first = withRefusal([refusal(A, 1), refusal(B, 2)], refusal(A, 3));
  assert.deepEqual(
    first.map(({ directoryUrl, until }) => [directoryUrl, until]),
    [
      [B, 2],
      [A, 3],
    ],
  );
  const refusals = [refusal(A, null), refusal(B, NOW + 9), refusal(C, NOW + 9, NOW + 7)];
  assert.deepEqual(
    afterCheck(refusals, NOW).map(({ until }) => until),
    [NOW, NOW, NOW + 7],
  );
});
