import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@petstore/http/errors.ts';
import {
  FailedAuthentications,
  type FailureEvent,
} from '../../src/rate-limits/failed-authentications.ts';

const ERROR = new ApiError('unauthorized', 'wrong');
const TOO_MANY = /^Too many requests from this address came without a valid API key\. Try again in/;

test('an address that failed so often is refused for the rest of the minute since it failed first', () => {
  let now = 1_000;
  const failures = new FailedAuthentications(2, () => now);
  assert.equal(failures.failed('192.0.2.1', ERROR), ERROR);
  assert.equal(failures.errorBeforeLookup('192.0.2.1', 'key'), undefined);
  now = 2_000;
  assert.equal(failures.failed('192.0.2.1', ERROR), ERROR);
  const waits: [number, number][] = [
    [2_000, 59],
    [2_001, 59],
    [59_999, 2],
    [60_000, 1],
    [60_999, 1],
  ];
  for (const [at, seconds] of waits) {
    now = at;
    for (const error of [
      failures.errorBeforeLookup('192.0.2.1', 'key'),
      failures.failed('192.0.2.1', ERROR),
    ]) {
      assert.equal(error?.code, 'rate_limited');
      assert.match(error.message, TOO_MANY);
      assert.deepEqual(error.headers, { 'retry-after': `${seconds}` });
    }
  }
  assert.equal(failures.errorBeforeLookup('192.0.2.2', 'key'), undefined, 'another address');
  now = 61_000;
  assert.equal(failures.errorBeforeLookup('192.0.2.1', 'key'), undefined);
  assert.equal(failures.failed('192.0.2.1', ERROR), ERROR, 'the next minute counts from 0');
  assert.equal(failures.failed('192.0.2.1', ERROR), ERROR);
  assert.equal(failures.failed('192.0.2.1', ERROR).code, 'rate_limited');
});

test('a key that was good is let through from an address that is refused, until it fails', () => {
  const failures = new FailedAuthentications(1, () => 0);
  failures.succeeded('good');
  failures.failed('192.0.2.1', ERROR);
  assert.equal(failures.errorBeforeLookup('192.0.2.1', 'good'), undefined);
  assert.equal(failures.errorBeforeLookup('192.0.2.1', 'other')?.code, 'rate_limited');
  failures.failed('192.0.2.1', ERROR);
  assert.equal(failures.errorBeforeLookup('192.0.2.1', 'good'), undefined, 'a failure of no key');
  failures.failed('192.0.2.1', ERROR, 'good');
  assert.equal(failures.errorBeforeLookup('192.0.2.1', 'good')?.code, 'rate_limited');
});

test('the network that failed longest ago is forgotten when there are too many', () => {
  const failures = new FailedAuthentications(3, () => 0);
  const fail = (n: number) => failures.failed(`10.0.${n >> 8}.${n & 255}`, ERROR).code;
  for (let n = 0; n < 10_000; n++) fail(n);
  fail(0);
  fail(10_000);
  assert.equal(fail(0), 'unauthorized', 'the third time');
  assert.equal(fail(0), 'rate_limited', 'it failed lately, so that it is remembered');
  assert.equal(fail(2), 'unauthorized');
  assert.equal(fail(2), 'unauthorized');
  assert.equal(fail(2), 'rate_limited');
  for (let again = 0; again < 3; again++) assert.equal(fail(1), 'unauthorized', 'it had left');
});

test('the key that was found good longest ago is forgotten when there are too many', () => {
  const failures = new FailedAuthentications(1, () => 0);
  for (let n = 0; n < 10_000; n++) failures.succeeded(`key ${n}`);
  failures.succeeded('key 0');
  failures.failed('192.0.2.1', ERROR);
  const isGood = (n: number) => failures.errorBeforeLookup('192.0.2.1', `key ${n}`) === undefined;
  assert.deepEqual([isGood(0), isGood(1), isGood(9_999)], [true, true, true]);
  failures.succeeded('key 10000');
  assert.deepEqual([isGood(0), isGood(1), isGood(2), isGood(10_000)], [true, false, true, true]);
});

/** Processes that tell each other at once what they meet, with all that was told. */
function processes(perMinute: number, now: () => number) {
  const told: FailureEvent[] = [];
  const all: FailedAuthentications[] = [];
  const begin = () => {
    const one: FailedAuthentications = new FailedAuthentications(perMinute, now, (event) => {
      told.push(event);
      for (const other of all) if (other !== one) other.hear(event);
    });
    all.push(one);
    return one;
  };
  return { begin, told };
}

test('failures count over all processes, and a failure that is refused is not told again', () => {
  const { begin, told } = processes(2, () => 0);
  const [first, second] = [begin(), begin()];
  assert.equal(first.failed('2001:db8::1', ERROR), ERROR);
  assert.equal(second.failed('2001:db8::2', ERROR), ERROR);
  for (const each of [first, second]) {
    assert.equal(each.failed('2001:db8::3', ERROR).code, 'rate_limited');
    assert.equal(each.errorBeforeLookup('2001:db8::4', 'key')?.code, 'rate_limited');
    assert.equal(each.errorBeforeLookup('192.0.2.1', 'key'), undefined);
  }
  assert.deepEqual(told, Array(2).fill({ failed: '2001:db8:0:0::/64' }));
});

test('a key that one process found good is let through by all, until it fails at one of them', () => {
  const { begin, told } = processes(1, () => 0);
  const [first, second] = [begin(), begin()];
  for (let again = 0; again < 3; again++) first.succeeded('good');
  second.succeeded('good');
  assert.deepEqual(told, [{ good: 'good' }], 'it is told once, not at each request');
  second.failed('192.0.2.1', ERROR, 'other');
  for (const each of [first, second]) {
    assert.equal(each.errorBeforeLookup('192.0.2.1', 'good'), undefined);
    assert.equal(each.errorBeforeLookup('192.0.2.1', 'other')?.code, 'rate_limited');
  }
  told.splice(0);
  second.failed('192.0.2.1', ERROR, 'good');
  for (const each of [first, second]) {
    assert.equal(each.errorBeforeLookup('192.0.2.1', 'good')?.code, 'rate_limited');
  }
  assert.deepEqual(told, [{ bad: 'good' }]);
});

test('a process that begins later goes on from the failures and the good keys of the others', () => {
  let now = 0;
  const former = new FailedAuthentications(2, () => now);
  former.failed('192.0.2.1', ERROR);
  now = 15_000;
  former.failed('192.0.2.2', ERROR);
  former.failed('192.0.2.2', ERROR);
  former.failed('192.0.2.3', ERROR);
  former.succeeded('good');
  now = 60_000;
  assert.deepEqual(former.state, {
    networks: [
      { network: '192.0.2.2', count: 2, leftMs: 15_000 },
      { network: '192.0.2.3', count: 1, leftMs: 15_000 },
    ],
    goodKeys: ['good'],
  });
  // Its clock began elsewhere.
  let laterNow = 3;
  const later = new FailedAuthentications(2, () => laterNow);
  later.adopt(former.state);
  const error = later.errorBeforeLookup('192.0.2.2', 'key');
  assert.deepEqual(error?.headers, { 'retry-after': '15' });
  assert.equal(later.errorBeforeLookup('192.0.2.2', 'good'), undefined);
  assert.equal(later.failed('192.0.2.3', ERROR), ERROR);
  assert.equal(later.failed('192.0.2.3', ERROR).code, 'rate_limited', 'the third in its minute');
  laterNow += 15_000;
  assert.equal(later.errorBeforeLookup('192.0.2.2', 'key'), undefined);
});
