import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LentQuotas } from '../../src/rate-limits/lent-quotas.ts';
import { RateLimiter } from '../../src/rate-limits/rate-limiter.ts';

const WINDOW_MS = 10_000;

/** The quotas of keys that may make so many requests in ten seconds, on a clock that the test moves. */
function start(requests: number) {
  const state = { now: 5_000 };
  const quotas = new LentQuotas(() => state.now);
  const quota = { requests, windowSeconds: WINDOW_MS / 1_000 };
  /** A process: what it holds of each key's quota, and for which keys it was asked to return that. */
  const process = () => {
    const unused = new Map<string, number>();
    const asked: string[] = [];
    const holder = {
      async returnUnused(keyId: string): Promise<number> {
        asked.push(keyId);
        const returned = unused.get(keyId) ?? 0;
        unused.set(keyId, 0);
        return returned;
      },
    };
    const take = async (wanted: number, keyId = 'a') => {
      const share = await quotas.take(holder, keyId, quota, wanted);
      unused.set(keyId, (unused.get(keyId) ?? 0) + share.requests);
      return share;
    };
    return { unused, asked, holder, take, leave: () => quotas.leave(holder) };
  };
  return { state, quotas, quota, process };
}

test('a process takes a sixteenth of what is left, or what it wants where that is more, and no more than is left', async () => {
  const { process } = start(1_600);
  const [first, second] = [process(), process()];
  assert.deepEqual(await first.take(1), { requests: 100, left: 1_500, endsInMs: WINDOW_MS });
  assert.deepEqual(await second.take(94), { requests: 94, left: 1_406, endsInMs: WINDOW_MS });
  assert.deepEqual(await first.take(87), { requests: 88, left: 1_318, endsInMs: WINDOW_MS });
  assert.deepEqual(await first.take(300), { requests: 300, left: 1_018, endsInMs: WINDOW_MS });
  assert.equal((await second.take(2_000)).requests, 1_018);
});

test('a process alone is told what is left, and at the end that nothing is', async () => {
  const { process } = start(3);
  const { take, asked } = process();
  for (const left of [2, 1, 0]) {
    assert.deepEqual(await take(1), { requests: 1, left, endsInMs: WINDOW_MS });
  }
  assert.deepEqual(await take(1), { requests: 0, left: 0, endsInMs: WINDOW_MS });
  assert.deepEqual(asked, []);
});

test('nobody is told that nothing is left while another process may have unused requests', async () => {
  const { process } = start(3);
  const [first, second] = [process(), process()];
  await first.take(1);
  assert.equal((await second.take(1)).left, 1, 'one that nobody has');
  assert.equal((await second.take(1)).left, 1, 'the one of the first');
});

test('what a process did not use goes to the one that needs it, down to the last request', async () => {
  const { process } = start(10);
  const [first, second] = [process(), process()];
  await first.take(10);
  first.unused.set('a', 4);
  assert.deepEqual(await second.take(3), { requests: 3, left: 1, endsInMs: WINDOW_MS });
  assert.deepEqual(await second.take(3), { requests: 1, left: 0, endsInMs: WINDOW_MS });
  assert.deepEqual(first.asked, ['a']);
  second.unused.set('a', 1);
  assert.deepEqual(await first.take(5), { requests: 1, left: 0, endsInMs: WINDOW_MS });
  assert.deepEqual(second.asked, ['a'], 'and back in the same window');
});

test('nobody returns anything while there are requests that nobody has', async () => {
  const { process } = start(3);
  const [first, second] = [process(), process()];
  await first.take(2);
  assert.equal((await second.take(1)).requests, 1);
  assert.deepEqual(first.asked, []);
});

test('a process keeps what it has when it asks for more', async () => {
  const { process } = start(10);
  const [first, second] = [process(), process()];
  await first.take(4);
  await second.take(6);
  assert.equal((await second.take(1)).requests, 1, 'of the four of the first');
  assert.deepEqual([first.asked, second.asked], [['a'], []]);
  assert.equal(second.unused.get('a'), 7);
});

test('a process that got nothing, or returned all, is not asked to return it', async () => {
  const { process } = start(1);
  const [first, second] = [process(), process()];
  await first.take(1);
  first.unused.set('a', 0);
  for (let again = 0; again < 2; again++) {
    for (const each of [second, first]) {
      assert.deepEqual(await each.take(1), { requests: 0, left: 0, endsInMs: WINDOW_MS });
    }
  }
  assert.deepEqual([first.asked, second.asked], [['a'], []]);
});

test('of those who ask at once each gets a part of what is returned, and its holder is asked once', async () => {
  const { process } = start(10);
  const [holder, ...askers] = [process(), process(), process(), process()];
  await holder?.take(10);
  const shares = await Promise.all(askers.map(({ take }) => take(3)));
  assert.deepEqual(
    shares.map(({ requests }) => requests),
    [3, 3, 3],
  );
  assert.deepEqual(holder?.asked, ['a']);
  assert.deepEqual(
    askers.flatMap(({ asked }) => asked),
    [],
  );
});

test('a share that a process takes while it returns another one goes to who needs it, too', async () => {
  const { quotas, quota, process } = start(10);
  const [first, second] = [process(), process()];
  await first.take(5);
  const { promise, resolve } = Promise.withResolvers<number>();
  const returned = [promise, Promise.resolve(2)];
  const slow = { returnUnused: async () => returned.shift() ?? 0 };
  await quotas.take(slow, 'a', quota, 5);
  const waiting = second.take(9);
  await nextTurn();
  assert.equal((await quotas.take(slow, 'a', quota, 2)).requests, 2, 'of the five of the first');
  resolve(0);
  assert.deepEqual(await waiting, { requests: 3, left: 1, endsInMs: WINDOW_MS });
  assert.deepEqual(await second.take(9), { requests: 2, left: 0, endsInMs: WINDOW_MS });
});

test('a window ends with the millisecond in which its time is over, and the next has the whole quota', async () => {
  const { state, process } = start(10);
  const [first, second] = [process(), process()];
  await first.take(6);
  state.now += WINDOW_MS - 1;
  assert.deepEqual(await second.take(10), { requests: 4, left: 1, endsInMs: 1 });
  state.now++;
  assert.deepEqual(await second.take(10), { requests: 10, left: 0, endsInMs: WINDOW_MS });
  assert.deepEqual(first.asked, [], 'what it had of the former one has ended');
});

test('requests of a window that has ended are not added to the next one', async () => {
  const { state, quotas, quota, process } = start(10);
  const { promise, resolve } = Promise.withResolvers<number>();
  await quotas.take({ returnUnused: () => promise }, 'a', quota, 10);
  const { take } = process();
  const waiting = take(4);
  state.now += WINDOW_MS;
  resolve(9);
  assert.deepEqual(await waiting, { requests: 4, left: 6, endsInMs: WINDOW_MS });
});

test('a key has its quota for itself, which is kept to whatever keys come meanwhile', async () => {
  const { state, process } = start(10);
  const { take } = process();
  assert.equal((await take(9, 'first')).left, 1);
  for (let other = 0; other < 5; other++) {
    state.now += 1_000;
    assert.equal((await take(9, `other ${other}`)).left, 1);
  }
  assert.deepEqual(await take(9, 'first'), { requests: 1, left: 0, endsInMs: 5_000 });
});

test('the share of a process that was killed is lost until the window ends, and no request more', async () => {
  const { state, quotas, quota, process } = start(10);
  const killed = { returnUnused: () => Promise.reject(new Error('it has ended')) };
  assert.equal((await quotas.take(killed, 'a', quota, 6)).requests, 6);
  const [first, second] = [process(), process()];
  await first.take(4);
  first.unused.set('a', 3);
  assert.deepEqual(await second.take(9), { requests: 3, left: 0, endsInMs: WINDOW_MS });
  state.now += WINDOW_MS;
  assert.equal((await second.take(10)).requests, 10);
});

test('a process that ends leaves the unused requests of all its keys to the others, and is not asked again', async () => {
  const { process } = start(10);
  const [leaving, other] = [process(), process()];
  for (const key of ['a', 'b']) await leaving.take(10, key);
  leaving.unused.set('b', 2);
  await leaving.leave();
  assert.deepEqual(leaving.asked, ['a', 'b']);
  assert.deepEqual(await other.take(1, 'a'), { requests: 1, left: 9, endsInMs: WINDOW_MS });
  assert.deepEqual(await other.take(5, 'b'), { requests: 2, left: 0, endsInMs: WINDOW_MS });
  assert.deepEqual(leaving.asked, ['a', 'b']);
  await leaving.leave();
  assert.deepEqual(leaving.asked, ['a', 'b'], 'it has nothing more');
});

test('a process that never took anything may end', async () => {
  const { process } = start(10);
  const { asked, leave } = process();
  await leave();
  assert.deepEqual(asked, []);
});

/** Processes that serve one port, as `serve --workers` has them. */
function limiters(count: number, requests: number) {
  const { state, quotas, quota } = start(requests);
  return Array.from({ length: count }, () => {
    const borrower = {
      async returnUnused(keyId: string): Promise<number> {
        await nextTurn();
        return limiter.returnUnused(keyId);
      },
    };
    const limiter = new RateLimiter({
      quota,
      shared: { take: (keyId, quota, wanted) => quotas.take(borrower, keyId, quota, wanted) },
      now: () => state.now,
    });
    return limiter;
  });
}

test('over all processes a key makes its quota of requests, whichever they reach, and not one more', async () => {
  // How many requests reach each of three processes at once, round after round.
  const patterns = [
    [[1, 1, 1]],
    [
      [7, 0, 0],
      [0, 3, 1],
    ],
    [
      [0, 1, 0],
      [2, 0, 0],
      [0, 0, 20],
    ],
    [
      [50, 1, 1],
      [1, 50, 1],
      [1, 1, 50],
    ],
    [
      [5, 0, 3],
      [0, 1, 0],
      [9, 9, 9],
    ],
  ];
  for (const pattern of patterns) {
    const processes = limiters(3, 200);
    let passed = 0;
    let sent = 0;
    for (let round = 0; sent < 400; round++) {
      const reach = pattern[round % pattern.length] ?? [];
      const decisions = await Promise.all(
        reach.flatMap((times, i) => Array.from({ length: times }, () => processes[i]?.admit('a'))),
      );
      sent += decisions.length;
      passed += decisions.filter((it) => it?.retryAfterSeconds === undefined).length;
      assert.equal(passed, Math.min(sent, 200), `after ${sent} of ${JSON.stringify(pattern)}`);
    }
    for (const limiter of processes) {
      assert.equal((await limiter.admit('a')).header, '"default";r=0;t=10');
    }
  }
});
