import assert from 'node:assert/strict';
import { test as plainTest, type TestContext } from 'node:test';
import { ApiError } from '@petstore/http/errors.ts';
import { engineOf, onBothEngines as test } from '@petstore/test-support/engines.ts';
import { generateKey } from '../../src/keys/key.ts';
import { FailedAuthentications } from '../../src/rate-limits/failed-authentications.ts';
import { openStore } from '../../src/store/open-store.ts';
import { assertError } from '../support/assert-error.ts';
import { type Service, startService } from '../support/service.ts';

const newKey = () => generateKey('made up', 'production', new Date(0));
const bearer = (key: string, more: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${key}`, ...more },
});

interface Started extends Service {
  readonly clock: { now: number };
  /** How often the store was asked for a key. */
  readonly asked: () => number;
}

async function start(
  t: TestContext,
  authFailuresPerMinute: number,
  trustedProxies: string[] = [],
): Promise<Started> {
  const clock = { now: Date.now() };
  let asked = 0;
  const opened = await openStore(await engineOf(t).createDatabase(t));
  const store = {
    ...opened,
    keys: {
      ...opened.keys,
      findUnrevoked(hash: string) {
        asked++;
        return opened.keys.findUnrevoked(hash);
      },
    },
  };
  const config = { authFailuresPerMinute, trustedProxies };
  const service = await startService(t, { store, config, now: () => clock.now });
  return { ...service, clock, asked: () => asked };
}

/** Fails so often, in each of the ways in which one can. */
async function fail({ call, key }: Started, times: number, more: Record<string, string> = {}) {
  const ways = [newKey().key, 'x', `${key}x`];
  for (let i = 0; i < times; i++) {
    const answer = await call('/pets', bearer(ways[i % ways.length] ?? '', more));
    assert.equal(answer.status, 401, `${i}`);
  }
}

test('an address that failed too often waits for the end of the minute, and the store is not asked', async (t) => {
  const service = await start(t, 5);
  const { call, origin, clock, asked, store } = service;
  await fail(service, 5);
  clock.now += 30_500;
  const before = asked();
  const unseen = newKey();
  await store.keys.add(unseen);
  for (const key of ['x', newKey().key, unseen.key]) {
    const answer = await call('/pets', bearer(key));
    assert.equal(answer.headers.get('retry-after'), '30');
    assert.equal(answer.headers.get('ratelimit'), null);
    await assertError(answer, 'rate_limited', /this address .* Try again in 30 seconds\.$/);
  }
  await assertError(await fetch(`${origin}/v1/pets`), 'rate_limited');
  assert.equal(asked(), before);
  clock.now += 29_500;
  assert.equal((await call('/pets', bearer(unseen.key))).status, 200);
  await fail(service, 5);
});

test('a key that works goes on working behind the address of a guesser, until it is revoked', async (t) => {
  const service = await start(t, 5);
  const { get, store, asked } = service;
  assert.equal((await get('/pets')).status, 200);
  await fail(service, 5);
  for (let i = 0; i < 10; i++) {
    // A commit, after which nothing is known of any key without asking.
    await store.pets.create({ name: 'Rex', categoryId: 1n, status: 'available' });
    assert.equal((await get('/pets')).status, 200);
  }
  const [record] = await store.keys.list();
  await store.keys.revoke(record?.id ?? '', new Date());
  await assertError(await get('/pets'), 'rate_limited');
  const before = asked();
  await assertError(await get('/pets'), 'rate_limited');
  assert.equal(asked(), before, 'from then on it is a key like any other');
});

test('0 sets no limit', async (t) => {
  await fail(await start(t, 0), 20);
});

test('X-Forwarded-For is believed from proxies that are trusted, as far as they wrote it', async (t) => {
  const guesser = { 'x-forwarded-for': '198.51.100.7' };
  const direct = await start(t, 3);
  await fail(direct, 3, guesser);
  const other = { 'x-forwarded-for': '203.0.113.1' };
  assert.equal((await direct.call('/pets', bearer('x', other))).status, 429, 'no proxy is trusted');

  const behind = await start(t, 3, ['127.0.0.0/8', '10.0.0.1']);
  await fail(behind, 3, guesser);
  const status = async (forwarded: string) =>
    (await behind.call('/pets', bearer('x', { 'x-forwarded-for': forwarded }))).status;
  assert.equal(await status('203.0.113.1'), 401);
  assert.equal(await status('203.0.113.2, 198.51.100.7'), 429, 'what the guesser put before it');
  assert.equal(await status('198.51.100.7, 10.0.0.1'), 429, 'through two proxies');
  assert.equal(await status('198.51.100.7:4711'), 429, 'with a port');
  assert.equal(await status('198.51.100.7, 203.0.113.3'), 401, 'who wrote it is not trusted');
});

test('an IPv6 client is its /64, however it is written', async (t) => {
  const service = await start(t, 3, ['127.0.0.1']);
  await fail(service, 3, { 'x-forwarded-for': '2001:db8::1' });
  const status = async (forwarded: string) =>
    (await service.call('/pets', bearer('x', { 'x-forwarded-for': forwarded }))).status;
  for (const same of ['2001:DB8:0:0:ffff::9', '2001:db8::192.0.2.1', '2001:0db8:0::']) {
    assert.equal(await status(same), 429, same);
  }
  assert.equal(await status('2001:db8:0:1::1'), 401);
  assert.equal(await status('::1'), 401);
  await fail(service, 3, { 'x-forwarded-for': '192.0.2.1' });
  assert.equal(await status('::ffff:192.0.2.1'), 429);
});

plainTest('addresses are remembered up to a number; the one that failed longest ago leaves', () => {
  const failures = new FailedAuthentications(1, () => 0);
  const error = new ApiError('unauthorized', 'wrong');
  const outcome = (n: number) => failures.failed(`10.0.${n >> 8}.${n & 255}`, error).code;
  for (let n = 0; n <= 10_000; n++) assert.equal(outcome(n), 'unauthorized');
  assert.equal(outcome(1), 'rate_limited');
  assert.equal(outcome(0), 'unauthorized', 'it had left');
});
