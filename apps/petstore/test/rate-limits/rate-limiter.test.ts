import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SharedQuotas } from '../../src/rate-limits/quota.ts';
import { type QuotaDecision, RateLimiter } from '../../src/rate-limits/rate-limiter.ts';
import { RecentMap } from '../../src/rate-limits/recent-map.ts';
import { StoreUnavailableError } from '../../src/store/store-errors.ts';

const quota = { requests: 10, windowSeconds: 10 };

/** The decision about a request that passes. */
function admitted(header: string): QuotaDecision {
  return { header, retryAfterSeconds: undefined };
}

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

test('a response that comes after the end of its window ends the waiting all the same', async () => {
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

test('without others to share with, a key has its quota from its first request to the end of its window', async () => {
  let now = 500;
  const limiter = new RateLimiter({ quota, shared: undefined, now: () => now });
  assert.equal(limiter.policy, '"default";q=10;w=10');
  assert.deepEqual(await limiter.admit('a'), {
    header: '"default";r=9;t=10',
    retryAfterSeconds: undefined,
  });
  now = 10_499;
  assert.equal(await passed(limiter, 20), 9);
  assert.deepEqual(await limiter.admit('a'), { header: '"default";r=0;t=1', retryAfterSeconds: 1 });
  assert.deepEqual(limiter.admit('b'), admitted('"default";r=9;t=10'), 'another key has its own');
  now = 10_500;
  assert.deepEqual(limiter.admit('a'), admitted('"default";r=9;t=10'));
});

test('those who wait are asked for together', async () => {
  let now = 0;
  const wanted: number[] = [];
  const shared: SharedQuotas = {
    async take(keyId, asked, parts) {
      assert.deepEqual([keyId, asked], ['a', quota]);
      wanted.push(parts);
      return { requests: parts, left: 6, endsInMs: 10_000 };
    },
  };
  const limiter = new RateLimiter({ quota, shared, now: () => now });
  assert.equal(await passed(limiter, 50), 50);
  assert.equal(wanted[0], 1, 'nobody else waited yet');
  assert.ok(wanted.length <= 4, `asked ${wanted.length} times`);
  await new Promise(setImmediate);
  now = 10_000;
  wanted.splice(0);
  assert.equal(await passed(limiter, 1), 1);
  assert.equal(wanted[0], 1, 'those who waited once do not count again');
});

test('a share that is asked for ahead keeps nobody waiting, and is asked for once', async () => {
  const asked: (() => void)[] = [];
  const shared: SharedQuotas = {
    take: (_keyId, _quota, wanted) =>
      new Promise((resolve) => {
        asked.push(() => resolve({ requests: wanted + 3, left: 2, endsInMs: 10_000 }));
      }),
  };
  const limiter = new RateLimiter({ quota, shared, now: () => 0 });
  const first = limiter.admit('a');
  asked.shift()?.();
  assert.deepEqual(await first, { header: '"default";r=5;t=10', retryAfterSeconds: undefined });
  assert.equal(asked.length, 0);
  for (const left of [4, 3, 2]) {
    assert.deepEqual(limiter.admit('a'), admitted(`"default";r=${left};t=10`));
  }
  assert.equal(asked.length, 1, 'three took what was at hand, and one question is out');
  const waiting = limiter.admit('a');
  assert.ok(waiting instanceof Promise);
  assert.equal(asked.length, 1, 'it joins that question');
  asked.shift()?.();
  assert.deepEqual(await waiting, admitted('"default";r=5;t=10'));
  assert.deepEqual(limiter.admit('a'), admitted('"default";r=4;t=10'));
  asked.shift()?.();
  await new Promise(setImmediate);
  assert.deepEqual(limiter.admit('a'), admitted('"default";r=7;t=10'), 'what was at hand stays so');
});

test('of one key there is never more than one question out', async () => {
  let out = 0;
  let most = 0;
  let asked = 0;
  const shared: SharedQuotas = {
    async take() {
      asked++;
      most = Math.max(most, ++out);
      await new Promise(setImmediate);
      out--;
      return { requests: 1, left: 9, endsInMs: 10_000 };
    },
  };
  const limiter = new RateLimiter({ quota, shared, now: () => 0 });
  for (const requests of [1, 2, 1, 5, 1, 1])
    assert.equal(await passed(limiter, requests), requests);
  assert.ok(asked >= 11);
  assert.equal(most, 1);
});

test('who comes while one waits for what others may return joins its question', async () => {
  const asked: ((requests: number) => void)[] = [];
  const shared: SharedQuotas = {
    take: () =>
      new Promise((resolve) => {
        asked.push((requests) => resolve({ requests, left: 1, endsInMs: 10_000 }));
      }),
  };
  const limiter = new RateLimiter({ quota, shared, now: () => 0 });
  const first = limiter.admit('a');
  asked.shift()?.(0);
  await new Promise(setImmediate);
  const second = limiter.admit('a');
  assert.equal(asked.length, 1);
  asked.shift()?.(2);
  for (const decision of [await first, await second]) {
    assert.equal(decision.retryAfterSeconds, undefined);
  }
});

test('what a process did not use is returned once, and its next request asks for a share', async () => {
  let now = 0;
  const shares = [
    { requests: 4, left: 0, endsInMs: 10_000 },
    { requests: 1, left: 0, endsInMs: 10_000 },
  ];
  const shared: SharedQuotas = {
    async take() {
      return shares.shift() ?? { requests: 0, left: 0, endsInMs: 10_000 };
    },
  };
  const limiter = new RateLimiter({ quota, shared, now: () => now });
  assert.equal(limiter.returnUnused('a'), 0, 'it has nothing yet');
  await limiter.admit('a');
  assert.equal(limiter.returnUnused('b'), 0, 'another key');
  assert.equal(limiter.returnUnused('a'), 3);
  assert.equal(limiter.returnUnused('a'), 0);
  const next = limiter.admit('a');
  assert.ok(next instanceof Promise, 'another share is asked for');
  assert.equal((await next).retryAfterSeconds, undefined);
  assert.equal(await passed(limiter, 4), 0);
  assert.equal(shares.length, 0);
  now = 10_000;
  shares.push({ requests: 4, left: 0, endsInMs: 10_000 });
  await limiter.admit('a');
  now = 20_000;
  assert.equal(limiter.returnUnused('a'), 0, 'its window has ended');
});

test('a share requested ahead that fails does not harm the request that passed', async () => {
  let asked = 0;
  const shared: SharedQuotas = {
    async take() {
      if (asked++ > 0) throw new Error('defect');
      return { requests: 1, left: 9, endsInMs: 10_000 };
    },
  };
  const limiter = new RateLimiter({ quota, shared, now: () => 0 });
  assert.deepEqual(await limiter.admit('a'), {
    header: '"default";r=9;t=10',
    retryAfterSeconds: undefined,
  });
  await new Promise(setImmediate);
  await assert.rejects(async () => limiter.admit('a'), /defect/);
});

test('a window ends as long after the request as the database says, however long the response took', async () => {
  let now = 0;
  let took = 400;
  const shared: SharedQuotas = {
    async take() {
      now += took;
      return { requests: 2, left: 0, endsInMs: 1_000 };
    },
  };
  const limiter = new RateLimiter({ quota, shared, now: () => now });
  await limiter.admit('a');
  now = 999;
  assert.deepEqual(limiter.admit('a'), admitted('"default";r=0;t=1'));
  assert.deepEqual(limiter.admit('a'), { header: '"default";r=0;t=1', retryAfterSeconds: 1 });
  now = 1_000;
  took = 999;
  await limiter.admit('a');
  assert.deepEqual(
    limiter.admit('a'),
    admitted('"default";r=0;t=1'),
    'an answer in its last millisecond counts',
  );
  now = 5_000;
  took = 1_000;
  const alone = await limiter.admit('a');
  assert.equal(
    alone.header,
    '"default";r=9;t=10',
    'one at its end is none, and it counts for itself',
  );
});
