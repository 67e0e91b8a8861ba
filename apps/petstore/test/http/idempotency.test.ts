import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onBothEngines, onSharedEngines } from '@petstore/test-support/engines.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { generateKey } from '../../src/keys/key.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { StoreUnavailableError } from '../../src/store/store-errors.ts';
import { assertError } from '../support/assert-error.ts';
import { type Service, startService } from '../support/service.ts';

const REX = '{"name":"Rex","categoryId":1}';
const ADA = '{"name":"Ada","categoryId":1}';
const HOUR_MS = 3_600_000;

/** Everything of an answer that a repetition must have again. */
async function seen(answer: Response) {
  const headers = Object.fromEntries(answer.headers);
  for (const own of ['x-request-id', 'date', 'ratelimit', 'ratelimit-policy']) delete headers[own];
  return { status: answer.status, headers, body: await answer.text() };
}

function once({ call }: Service, path: string, body: string | undefined, key: string) {
  const headers = {
    'idempotency-key': key,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  return call(path, { method: 'POST', headers, ...(body !== undefined && { body }) });
}

async function count({ get }: Service, path = '/pets?limit=100'): Promise<number> {
  return ((await (await get(path)).json()) as unknown[]).length;
}

onBothEngines(
  'every POST is done once for a key, and gets the response of the first time',
  async (t) => {
    let now = Date.parse('2026-11-21T12:00:00Z');
    const service = await startService(t, { now: () => now });
    for (const [path, body, status] of [
      ['/pets', REX, 201],
      ['/categories', '{"name":"Dogs"}', 201],
      ['/store/orders', '{"petId":1}', 201],
      ['/store/orders/1/cancel', undefined, 200],
      ['/store/orders', '{"petId":1}', 201],
      ['/store/orders/2/complete', undefined, 200],
    ] as const) {
      const key = `${path} ${now}`.replaceAll(' ', '_');
      const first = await seen(await once(service, path, body, key));
      assert.equal(first.status, status, first.body);
      assert.ok(status === 201 ? first.headers.location : first.headers.etag);
      now += 1_000;
      const second = await once(service, path, body, key);
      const requestId = second.headers.get('x-request-id');
      assert.deepEqual(await seen(second), first);
      const third = await once(service, path, body, `"${key}"`);
      assert.notEqual(third.headers.get('x-request-id'), requestId);
      assert.deepEqual(await seen(third), first, 'quoted it is the same key');
    }
    assert.equal(await count(service), 1);
    assert.equal(await count(service, '/store/orders'), 2);
  },
);

onBothEngines('a response stays as it was when what it tells of has changed or gone', async (t) => {
  const service = await startService(t);
  const first = await seen(await once(service, '/pets', REX, 'k'));
  const headers = { 'content-type': 'application/json' };
  await service.call('/pets/1', { method: 'PATCH', headers, body: '{"name":"Kim"}' });
  assert.deepEqual(await seen(await once(service, '/pets', REX, 'k')), first);
  assert.equal((await service.call('/pets/1', { method: 'DELETE' })).status, 204);
  assert.deepEqual(await seen(await once(service, '/pets', REX, 'k')), first);
  assert.equal(await count(service), 0);
});

onBothEngines('what a rule refused is refused again, also once it could be done', async (t) => {
  const service = await startService(t);
  const first = await seen(await once(service, '/store/orders', '{"petId":1}', 'k'));
  assert.equal(first.status, 404);
  await service.post('/pets', REX);
  assert.deepEqual(await seen(await once(service, '/store/orders', '{"petId":1}', 'k')), first);
  assert.equal((await once(service, '/store/orders', '{"petId":1}', 'k2')).status, 201);
});

onBothEngines(
  'a key that comes with another body or path is a 422, and nothing is done',
  async (t) => {
    const service = await startService(t);
    await once(service, '/pets', REX, 'k');
    for (const [path, body] of [
      ['/pets', ADA],
      ['/pets', `${REX} `],
      ['/categories', REX],
      ['/store/orders/1/cancel', undefined],
    ] as const) {
      const answer = await once(service, path, body, 'k');
      await assertError(answer, 'idempotency_mismatch', /^This Idempotency-Key was sent before/);
    }
    assert.equal((await once(service, '/pets?from=mail', REX, 'k')).status, 201);
    assert.equal(await count(service), 1);
    assert.equal(await count(service, '/categories'), 0);
  },
);

onBothEngines('each API key has keys of its own', async (t) => {
  const service = await startService(t);
  await once(service, '/pets', REX, 'k');
  const other = generateKey('other', 'production', new Date());
  await service.store.keys.add(other);
  const answer = await service.post('/pets', ADA, {
    'idempotency-key': 'k',
    authorization: `Bearer ${other.key}`,
  });
  assert.equal(answer.headers.get('location')?.split('/').at(-1), '2');
});

test('a value that is not a key is a 400 that says so', async (t) => {
  const service = await startService(t);
  const words = /^Idempotency-Key must be one header of 1 to 255 visible ASCII characters/;
  for (const key of [
    ...['', ' ', 'a b', 'ä', 'x'.repeat(256), `"${'x'.repeat(256)}"`],
    ...['""', '"a', '"a"b', '"a\\b"', '"a b"', '"a";v=1', '"a", "b"'],
  ]) {
    const answer = await once(service, '/pets', REX, key);
    await assertError(answer, 'invalid_request', words);
  }
  const twice = (value: string) =>
    `POST /v1/pets HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${service.key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${REX.length}\r\n` +
    `Idempotency-Key: ${value}\r\nidempotency-key: ${value}\r\n\r\n${REX}`;
  const [answer] = await exchange(service.port, twice('k'));
  await assertError(answer, 'invalid_request', words);
  assert.equal(await count(service), 0);
  for (const key of ['x'.repeat(255), '!"#~\\', '"!\\"#~\\\\"', '"k"']) {
    assert.equal((await once(service, '/pets', REX, key)).status, 201, key);
  }
  assert.equal(await count(service), 3, 'escaped or bare, it is the same key');
});

test('an attempt that was stopped before it was done leaves the key free', async (t) => {
  const service = await startService(t);
  await assertError(await once(service, '/pets', '{', 'k'), 'invalid_json');
  await assertError(await once(service, '/pets', '{}', 'k'), 'invalid_request');
  await assertError(await once(service, '/pets', 'x'.repeat(70_000), 'k'), 'payload_too_large');
  const text = { 'idempotency-key': 'k', 'content-type': 'text/plain' };
  await assertError(await service.post('/pets', REX, text), 'unsupported_media_type');
  const noKey = { 'idempotency-key': 'k', authorization: '' };
  await assertError(await service.post('/pets', REX, noKey), 'unauthorized');
  assert.equal((await once(service, '/pets', REX, 'k')).status, 201);
});

test('a 503 leaves the key free', async (t) => {
  const store = await openStore('sqlite::memory:');
  let isAway = true;
  const createIdempotently: typeof store.pets.createIdempotently = async (...args) => {
    if (isAway) throw new StoreUnavailableError('away');
    return store.pets.createIdempotently(...args);
  };
  const service = await startService(t, {
    store: { ...store, pets: { ...store.pets, createIdempotently } },
  });
  await assertError(await once(service, '/pets', REX, 'k'), 'unavailable');
  isAway = false;
  assert.equal((await once(service, '/pets', REX, 'k')).status, 201);
});

/** Lets no write of a database come to its end until `release`. `waits`: whether one of the store does. */
async function heldUp(t: TestContext, url: string, { writeQueue }: Store) {
  if (url.startsWith('sqlite:')) {
    const db = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 10_000 });
    cleanUp(t, () => db.close());
    db.exec('BEGIN IMMEDIATE');
    return { waits: async () => writeQueue.length > 0, release: async () => db.exec('ROLLBACK') };
  }
  const sql = connectTo(url);
  cleanUp(t, () => sql.end());
  await sql.unsafe('BEGIN; LOCK TABLE pets IN EXCLUSIVE MODE');
  return {
    waits: async () => {
      const waiting = await sql`
        SELECT FROM pg_locks WHERE relation = 'pets'::regclass AND NOT granted`;
      return waiting.length > 0;
    },
    release: () => sql.unsafe('ROLLBACK'),
  };
}

onSharedEngines(
  'while the first is under way, a second is a 409 to be sent again',
  async (t, engine) => {
    const url = await engine.createDatabase(t);
    const service = await startService(t, { store: await openStore(url) });
    await once(service, '/pets', REX, 'warm');
    // Started before: whoever waits for a lock of PostgreSQL has five seconds.
    const other =
      engine.name === 'PostgreSQL' && (await startService(t, { store: await openStore(url) }));
    const { waits, release } = await heldUp(t, url, service.store);
    const first = once(service, '/pets', REX, 'k');
    await timeUntil(waits);
    // Together: who holds up a writer of SQLite has two seconds.
    const bodies = [REX, ADA].map((body) => once(service, '/pets', body, 'k'));
    for (const second of await Promise.all(bodies)) {
      assert.equal(second.headers.get('retry-after'), '1');
      await assertError(second, 'idempotency_conflict', /has not ended yet/);
    }
    if (other) {
      const answer = await other.post('/pets', REX, {
        'idempotency-key': 'k',
        authorization: `Bearer ${service.key}`,
      });
      await assertError(answer, 'idempotency_conflict');
    }
    await release();
    const done = await seen(await first);
    assert.equal(done.status, 201);
    assert.deepEqual(await seen(await once(service, '/pets', REX, 'k')), done);
    assert.equal(await count(service), 2);
  },
);

onBothEngines('a response is kept for a day, and a number of them for each API key', async (t) => {
  let now = Date.parse('2026-11-21T12:00:00Z');
  const service = await startService(t, {
    now: () => now,
    config: { idempotencyResponsesPerKey: 10 },
  });
  const idOf = async (key: string) =>
    Number((await once(service, '/pets', REX, key)).headers.get('location')?.split('/').at(-1));
  assert.equal(await idOf('k'), 1);
  now += 24 * HOUR_MS;
  assert.equal(await idOf('k'), 1);
  now += 1;
  assert.equal(await idOf('k'), 2);
  for (let i = 3; i <= 13; i++) assert.equal(await idOf(`k${i}`), i);
  assert.equal(await idOf('k13'), 13);
  assert.equal(await idOf('k4'), 4);
  // The oldest had to leave, which it does beside the requests; until then it is answered with what was kept.
  await timeUntil(async () => (await idOf('k')) !== 2);
  assert.equal(await idOf('k'), 14);
});

onBothEngines('responses that are too old are looked for every minute', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const NOON = Date.parse('2026-11-21T12:00:00Z');
  let now = NOON;
  const service = await startService(t, { now: () => now, config: { idempotencyHours: 1 } });
  for (const key of ['k1', 'k2', 'k3']) await once(service, '/pets', REX, key);
  now += HOUR_MS;
  await once(service, '/pets', REX, 'k4');
  now += 1;
  const { idempotentResults: results } = service.store;
  const { mock } = t.mock.method(results, 'deleteBefore');
  t.mock.timers.tick(60_000);
  await mock.calls[0]?.result;
  // What the service forgot is not there to be forgotten.
  assert.equal(await results.deleteBefore(new Date(NOON + 1), 10), 0);
  assert.equal(await results.deleteBefore(new Date(now), 10), 1);
});
