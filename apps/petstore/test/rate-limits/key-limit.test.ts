import assert from 'node:assert/strict';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import { generateKey } from '../../src/keys/key.ts';
import { openStore } from '../../src/store/open-store.ts';
import { assertError } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

const limits = ({ headers }: Response) => [
  headers.get('ratelimit-policy'),
  headers.get('ratelimit'),
];

test('a key that has used up its quota is refused until its window ends', async (t) => {
  let now = Date.now();
  const config = { rateLimit: 2, rateLimitWindowSeconds: 5 };
  const { get } = await startService(t, { config, now: () => now });
  for (let left = 9; left >= 0; left--) {
    const answer = await get('/pets');
    assert.equal(answer.status, 200);
    assert.deepEqual(limits(answer), ['"default";q=10;w=5', `"default";r=${left};t=5`]);
  }
  now += 2_500;
  const refused = await get('/pets');
  assert.deepEqual(limits(refused), ['"default";q=10;w=5', '"default";r=0;t=3']);
  assert.equal(refused.headers.get('retry-after'), '3');
  await assertError(refused, 'rate_limited', /^The API key has .* Try again in 3 seconds\.$/);
  now += 2_499;
  const late = await get('/pets');
  assert.equal(late.headers.get('retry-after'), '1', 'a second at least');
  await assertError(late, 'rate_limited', /in 1 second\.$/);
});

test('a new window brings the whole quota back', async (t, engine) => {
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  // Two requests, in a window that is long: PostgreSQL's clock goes on.
  const seconds = 2_048;
  const config = { rateLimit: 2 / seconds, rateLimitWindowSeconds: seconds };
  const url = await engine.createDatabase(t);
  const { get } = await startService(t, { config, store: await openStore(url) });
  const statuses = async () =>
    (await Promise.all(Array.from({ length: 4 }, () => get('/pets')))).map(({ status }) => status);
  assert.deepEqual((await statuses()).sort(), [200, 200, 429, 429]);
  now += seconds * 1_000;
  if (engine.name === 'PostgreSQL') {
    const sql = connectTo(url);
    await sql`UPDATE rate_limit_windows SET ends_at = ends_at - interval '1 s' * ${seconds}`;
    await sql.end();
  }
  assert.deepEqual((await statuses()).sort(), [200, 200, 429, 429]);
});

test('errors and 304 count as requests, and tell where the key stands', async (t) => {
  const config = { rateLimit: 2, rateLimitWindowSeconds: 50 };
  const { call, get, post } = await startService(t, { config });
  const known = await get('/pets');
  const etag = known.headers.get('etag') ?? '';
  const cases: [number, () => Promise<Response>][] = [
    [304, () => call('/pets', { headers: { 'if-none-match': etag } })],
    [400, () => get('/pets?limit=0')],
    [404, () => get('/pets/99')],
    [400, () => post('/pets', '{')],
    [415, () => post('/pets', '{}', { 'content-type': 'text/plain' })],
    [201, () => post('/pets', '{"name":"Rex","categoryId":1}')],
    [204, () => call('/pets/1', { method: 'DELETE' })],
  ];
  for (const [at, [status, ask]] of cases.entries()) {
    const answer = await ask();
    assert.equal(answer.status, status);
    const [policy, state] = limits(answer);
    assert.equal(policy, '"default";q=100;w=50');
    assert.match(state ?? '', new RegExp(`^"default";r=${98 - at};t=(50|4\\d)$`), `${status}`);
  }
});

test('a request that is refused does nothing', async (t) => {
  const { get, post, store } = await startService(t, {
    config: { rateLimit: 1, rateLimitWindowSeconds: 60 },
    now: () => 0,
  });
  for (let i = 0; i < 60; i++) await get('/pets');
  await assertError(await post('/pets', '{"name":"Rex","categoryId":1}'), 'rate_limited');
  assert.equal(await store.pets.get(1n), undefined);
});

test('each key has a quota of its own', async (t) => {
  const { call, get, store } = await startService(t, { config: { rateLimit: 1 }, now: () => 0 });
  const other = generateKey('other', 'production', new Date(0));
  await store.keys.add(other);
  const headers = { authorization: `Bearer ${other.key}` };
  assert.equal((await get('/pets')).status, 200);
  assert.equal((await get('/pets')).status, 429);
  assert.equal((await call('/pets', { headers })).status, 200);
});

test('responses that need no key say nothing of limits, and without a limit no response does', async (t) => {
  const limited = await startService(t, { config: { rateLimit: 5 } });
  const wrong = { headers: { authorization: 'Bearer wrong' } };
  for (const answer of [
    await limited.call('/pets', wrong),
    await limited.call('/nothing'),
    await limited.call('/pets', { method: 'PUT' }),
    await fetch(`${limited.origin}/livez`),
    await limited.call('/openapi.json'),
    await (await startService(t)).get('/pets'),
  ]) {
    assert.deepEqual(limits(answer), [null, null], `${answer.status} ${answer.url}`);
  }
});
