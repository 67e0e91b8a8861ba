import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { holdTimers } from '@petstore/test-support/hold-timers.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { StoreUnavailableError } from '../../src/store/store-errors.ts';
import { assertError, assertNotReady } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

/** A store whose animals cannot be reached, for a reason that only the log may tell. */
async function broken(error: Error): Promise<Store> {
  const store = await openStore('sqlite::memory:');
  const fail = () => {
    throw error;
  };
  return {
    ...store,
    pets: {
      create: async () => fail(),
      createIdempotently: async () => fail(),
      get: fail,
      list: fail,
      query: async () => fail(),
      addMany: fail,
      rows: fail,
      update: async () => fail(),
      remove: async () => fail(),
    },
    checks: {
      reads: async () => ({ message: 'Away.', cause: error }),
      writes: async () => undefined,
    },
  };
}

test('a store that is away is a 503 with Retry-After, and its cause goes to the log alone', async (t) => {
  const store = await broken(new StoreUnavailableError('x', { cause: new Error('disk on fire') }));
  const { get, post, origin, logged } = await startService(t, { store });
  const timers = holdTimers(t, [1_000]);
  const passSecond = () => {
    for (const { end } of [...timers]) end();
  };
  const answers = [
    await get('/pets'),
    await get('/pets/1'),
    await post('/pets', '{"name":"Rex","categoryId":1}'),
  ];
  for (const answer of answers) {
    assert.equal(answer.headers.get('retry-after'), '1');
    await assertError(answer, 'unavailable', /^The store cannot be reached right now/);
  }
  const lines = () => logged.filter((line) => line.includes('disk on fire'));
  assert.equal(lines().length, 1, 'a line for the first');
  passSecond();
  assert.equal(lines().length, 2, 'a line for the others');
  const { msg, count, requestId, why, err } = JSON.parse(lines()[1] ?? '');
  assert.equal(msg, 'more requests failed in the same way');
  assert.deepEqual([count, err], [2, undefined], 'the others are counted, without a stack');
  assert.equal(requestId, answers[2]?.headers.get('x-request-id'));
  assert.match(why, /^x: disk on fire$/);
  await get('/pets');
  assert.equal(lines().length, 2, 'another second has begun');
  passSecond();
  assert.equal(lines().length, 3);
  await assertNotReady(await fetch(`${origin}/readyz`), 'reads', /^Away\.$/);
  assert.equal(lines().length, 4);
});

onBothEngines('a key cannot be checked without the store: 503, not 401', async (t) => {
  const { get, store } = await startService(t);
  await store.close();
  await assertError(await get('/pets'), 'unavailable');
});

test('an unexpected exception is a 500 with a public sentence; the log has the cause and the id', async (t) => {
  const { get, logged } = await startService(t, {
    store: await broken(new Error('secret detail')),
  });
  const answer = await get('/pets');
  const id = answer.headers.get('x-request-id') ?? '-';
  await assertError(answer, 'internal_error', /^The service failed to handle this request/);
  const line = logged.find((entry) => entry.includes('secret detail'));
  assert.ok(line?.includes(id), 'the log names the request');
  assert.match(line ?? '', /failures\.test\.ts/, 'the log has the stack');
});

onBothEngines(
  'a service that lives says so, and says that it is ready when its store answers',
  async (t) => {
    const { origin } = await startService(t);
    for (const path of ['/livez', '/readyz']) {
      const answer = await fetch(origin + path);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      const { status, checks = {} } = (await answer.json()) as { status: string; checks?: object };
      assert.equal(status, 'ok');
      for (const check of Object.values(checks)) assert.deepEqual(check, { status: 'ok' });
      assert.deepEqual(
        Object.keys(checks),
        path === '/livez'
          ? []
          : 'process reads writes connections eventLoop requests writeQueue'.split(' '),
      );
    }
  },
);

test('every response has a request id of its own', async (t) => {
  const { get, origin } = await startService(t);
  const answers = await Promise.all([
    get('/pets'),
    get('/pets'),
    get('/pets/1'),
    get('/nothing'),
    fetch(`${origin}/livez`),
  ]);
  const ids = answers.map(({ headers }) => headers.get('x-request-id'));
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id ?? '', /^[\w-]{10,40}$/);
});

test('at debug the log has a line for each request, with its route and not its path', async (t) => {
  const { get, logged } = await startService(t, { config: { logLevel: 'debug' } });
  const answer = await get('/pets/7?x=private');
  const id = answer.headers.get('x-request-id') ?? '-';
  const line = JSON.parse(logged.find((entry) => entry.includes(id)) ?? '{}');
  assert.partialDeepStrictEqual(line, { method: 'GET', route: '/v1/pets/:petId', status: 404 });
  assert.ok(line.durationMs >= 0);
  assert.ok(!logged.join('').includes('private'));
});

test('no response and no log line shows a key', async (t) => {
  const { call, get, key, logged } = await startService(t, { config: { logLevel: 'trace' } });
  const requests = [
    get('/pets'),
    get(`/pets/${key}`),
    get(`/pets?limit=${key}&status=${key}&cursor=${key}`),
    get(`/${key}`),
    call('/pets', { headers: { authorization: `Bearer ${key}x` } }),
    call('/pets', { headers: { authorization: `Basic ${key}` } }),
    call('/pets', { method: 'POST', body: key, headers: { 'content-type': 'application/json' } }),
  ];
  const secret = key.slice('pk_live_'.length);
  for (const answer of await Promise.all(requests)) {
    const headers = JSON.stringify([...answer.headers]);
    assert.ok(
      !(headers + (await answer.text())).includes(secret),
      `${answer.status} shows the key`,
    );
  }
  assert.ok(!logged.join('').includes(secret));
});
