import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SharedQuotas } from '../../src/rate-limits/quota.ts';
import { RateLimiter } from '../../src/rate-limits/rate-limiter.ts';
import { RecentMap } from '../../src/rate-limits/recent-map.ts';
import { StoreUnavailableError } from '../../src/store/store.ts';

const quota = { requests: 10, windowSeconds: 10 };

async function passed(limiter: RateLimiter, requests: number): Promise<number> {
  const verdicts = await Promise.all(Array.from({ length: requests }, () => limiter.admit('a')));
  return verdicts.filter(({ retryAfterSeconds }) => retryAfterSeconds === undefined).length;
}

test('while the database is away a process counts for itself, and asks again when the window is over', async () => {
  let now = 0;
  let asked = 0;
  let isAway = true;
  const shared: SharedQuotas = {
    async take() {
      asked++;
      if (isAway) throw new StoreUnavailableError('away');
      return { requests: 1, left: 0, endsInMs: 10_000 };
    },
  };
  const limiter = new RateLimiter({ quota, shared, now: () => now });
  assert.equal(await passed(limiter, 25), 10);
  assert.equal(asked, 1);
  isAway = false;
  assert.equal(await passed(limiter, 25), 0);
  now += 10_000;
  assert.equal(await passed(limiter, 25), 1);
});

test('when it goes away within a window, what was left is the bound', async () => {
  let shares = 0;
  const shared: SharedQuotas = {
    async take() {
      if (shares++ > 0) throw new StoreUnavailableError('away');
      return { requests: 2, left: 3, endsInMs: 10_000 };
    },
  };
  const limiter = new RateLimiter({ quota, shared, now: () => 0 });
  assert.equal(await passed(limiter, 25), 5);
});

test('an answer that comes after the end of its window ends the waiting all the same', async () => {
  let now = 0;
  const shared: SharedQuotas = {
    async take() {
      now += 20_000;
      return { requests: 5, left: 5, endsInMs: 10_000 };
    },
  };
  assert.equal(await passed(new RateLimiter({ quota, shared, now: () => now }), 25), 10);
});

test('a defect of the store is told to those who wait', async () => {
  const shared: SharedQuotas = { take: () => Promise.reject(new Error('defect')) };
  const limiter = new RateLimiter({ quota, shared, now: () => 0 });
  await assert.rejects(passed(limiter, 3), /defect/);
});

test('a key is forgotten two windows after its last one', () => {
  const map = new RecentMap<number>(10);
  map.set('a', 1, 0);
  map.set('b', 2, 9);
  map.set('c', 3, 10);
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => map.get(key)),
    [1, 2, 3],
  );
  map.set('b', 4, 20);
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => map.get(key)),
    [undefined, 4, 3],
  );
});
