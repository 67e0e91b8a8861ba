import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { readMetrics } from '../support/metrics.ts';
import { startWithSandbox } from '../support/sandbox.ts';
import { startService } from '../support/service.ts';

onBothEngines(
  'requests are counted by method, route pattern and status, on the fast path too',
  async (t) => {
    const { origin, get, post, port } = await startService(t);
    await post('/pets', '{"name":"Rex","categoryId":1}');
    for (let i = 0; i < 5; i++) await get(`/pets?limit=${i + 1}`);
    for (let i = 0; i < 5; i++) await get('/pets?limit=1');
    for (let i = 0; i < 4; i++) await get('/pets/1');
    for (let i = 0; i < 3; i++) await get(`/pets/${i + 100}`);
    for (const path of ['/a', '/b/c', '/d?e']) await fetch(origin + path);
    await exchange(port, 'BREW /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n', { timeoutMs: 200 });
    for (const method of ['PROPFIND', 'MKCOL', 'SEARCH'])
      await fetch(`${origin}/livez`, { method });

    const { value, labels } = await readMetrics(origin);
    const requests = (method: string, route: string, status: number | string) =>
      value('petstore_http_requests_total', { method, route, status: `${status}` });
    assert.equal(requests('POST', '/v1/pets', 201), 1);
    assert.equal(requests('GET', '/v1/pets', 200), 10);
    assert.equal(requests('GET', '/v1/pets/:petId', 200), 4);
    assert.equal(requests('GET', '/v1/pets/:petId', 404), 3);
    assert.equal(requests('GET', 'unmatched', 404), 3);
    assert.equal(requests('_OTHER', '/livez', 405), 3);
    assert.equal(value('petstore_http_connections_refused_total', { code: 'invalid_request' }), 1);
    const durations = { method: 'GET', route: '/v1/pets' };
    assert.equal(value('petstore_http_request_duration_seconds_count', durations), 10);
    assert.equal(
      value('petstore_http_request_duration_seconds_bucket', { ...durations, le: '+Inf' }),
      10,
    );
    assert.ok((value('petstore_http_request_duration_seconds_sum', durations) ?? 0) > 0);
    assert.equal(value('petstore_http_requests_in_flight'), 1, 'the one that asks');
    assert.equal(value('petstore_write_queue_depth'), 0);
    assert.equal(value('petstore_commit_writes_sum'), 1);
    assert.equal(value('petstore_commit_duration_seconds_count'), 1);
    assert.ok(
      labels('petstore_http_requests_total').every(
        ({ route }) => !/[0-9]/.test(route?.replace('/v1', '') ?? ''),
      ),
    );
  },
);

test('a fault that a sandbox asked for is counted apart, and in nothing that an alert looks at', async (t) => {
  const { origin, inSandbox, logged } = await startWithSandbox(t, { config: { slowRequestMs: 1 } });
  const shows = (name: string, wanted: number) =>
    timeUntil(async () => (await readMetrics(origin)).value(name) === wanted);
  const ask = async (fault: string) => (await inSandbox('/pets', { fault })).text();
  await ask('status=500');
  await ask('status=503;when=after');
  await ask('latency=20ms');
  await assert.rejects(ask('cut=3'));
  await assert.rejects(ask('reset=before'));
  const leaving = new AbortController();
  const left = inSandbox('/pets', { fault: 'latency=30s', signal: leaving.signal });
  await shows('petstore_http_requests_in_flight', 2);
  leaving.abort();
  await assert.rejects(left);
  await shows('petstore_http_faults_total', 6);
  const { labels, value } = await readMetrics(origin);
  const counted = labels('petstore_http_requests_total').filter(
    ({ route }) => route === '/v1/pets',
  );
  assert.deepEqual(counted, []);
  const pets = { method: 'GET', route: '/v1/pets' };
  assert.equal(value('petstore_http_request_duration_seconds_count', pets), 0);
  assert.deepEqual(
    logged.filter((line) => line.includes('"/v1/pets"')),
    [],
  );

  await ask('status=500;rate=0');
  const after = await readMetrics(origin);
  const spared = { ...pets, status: '200' };
  assert.equal(after.value('petstore_http_requests_total', spared), 1, 'nothing was done to it');
});

test('pages from memory, groups of writes and database errors are counted', async (t) => {
  const { origin, get, post, store } = await startService(t);
  for (let i = 0; i < 4; i++) await get('/pets');
  const before = await readMetrics(origin);
  assert.equal(before.value('petstore_page_cache_misses_total'), 1);
  assert.equal(before.value('petstore_page_cache_hits_total'), 3);
  assert.ok((before.value('petstore_page_cache_bytes') ?? 0) > 0);
  assert.equal(before.value('petstore_database_errors_total', { kind: 'other' }), 0);
  await store.close();
  assert.equal((await post('/pets', '{"name":"Rex","categoryId":1}')).status, 503);
  const after = await readMetrics(origin);
  assert.equal(after.value('petstore_database_errors_total', { kind: 'other' }), 1);
});

test('a token keeps metrics private, and `off` takes them away', async (t) => {
  const { origin, key } = await startService(t, { config: { metricsToken: 'scraper' } });
  const status = async (authorization?: string) =>
    (await fetch(`${origin}/metrics`, { headers: authorization ? { authorization } : {} })).status;
  assert.equal(await status(), 401);
  assert.equal(await status('Bearer scrape'), 401);
  assert.equal(await status(`Bearer ${key}`), 401);
  assert.equal(await status('Bearer scraper'), 200);
  const off = await startService(t, { config: { hasMetrics: false } });
  assert.equal((await fetch(`${off.origin}/metrics`)).status, 404);
});

test('what keeps the process alive is counted by kind, and Node is never asked for the objects themselves', async (t) => {
  const internals = process as unknown as Record<string, () => unknown>;
  const getters = ['_getActiveHandles', '_getActiveRequests'].map((name) =>
    t.mock.method(internals, name),
  );
  const { origin } = await startService(t);
  const { value, labels } = await readMetrics(origin);
  assert.ok((value('nodejs_active_resources_total') ?? 0) > 0);
  assert.ok(labels('nodejs_active_resources').some(({ type }) => type === 'TCPSocketWrap'));
  assert.deepEqual(
    getters.map(({ mock }) => mock.callCount()),
    [0, 0],
  );
});
