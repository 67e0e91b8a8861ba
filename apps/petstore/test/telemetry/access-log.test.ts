import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { timeUntil } from '@petstore/test-support/within.ts';
import { readMetrics } from '../support/metrics.ts';
import { type Service, startService } from '../support/service.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`;

/** Lines about requests, once there are so many. */
async function requestLines(
  { logged }: Service,
  count: number,
): Promise<Record<string, unknown>[]> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const lines = logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    if (lines.length >= count || Date.now() > deadline) return lines;
    await sleep(5);
  }
}

/** Waits until a request is, beside the one that asks for the metrics. */
async function isUnderWay({ origin }: Service): Promise<void> {
  await timeUntil(
    async () => (await readMetrics(origin)).value('petstore_http_requests_in_flight') === 2,
  );
}

test('with `all` every request has a line, on the fast path too, and none names what was asked for', async (t) => {
  const service = await startService(t, { config: { accessLog: 'all' } });
  const { call, get, post, origin, store, logged, key } = service;
  await post('/pets', '{"name":"Rex","categoryId":1}');
  for (let i = 0; i < 4; i++) {
    await get('/pets?status=available');
    await call('/pets/1?secret=1', {
      headers: { traceparent: TRACEPARENT, 'x-request-id': `r${i}` },
    });
  }
  await fetch(`${origin}/secret/path`);
  await get('/pets/999999999');
  const lines = await requestLines(service, 11);
  assert.equal(lines.length, 11);
  const [{ id: keyId } = { id: '' }] = await store.keys.list();
  const about = (status: number) => lines.filter((line) => line.status === status);
  assert.equal(about(200).length, 8);
  const [created] = about(201);
  assert.equal(created?.method, 'POST');
  assert.equal(created?.route, '/v1/pets');
  assert.equal(created?.keyId, keyId);
  const pets = about(200).filter(({ route }) => route === '/v1/pets/:petId');
  assert.deepEqual(
    pets.map(({ requestId, traceId }) => [requestId, traceId]),
    [0, 1, 2, 3].map((i) => [`r${i}`, TRACE]),
  );
  for (const line of about(200)) {
    assert.equal(line.keyId, keyId);
    assert.equal(typeof line.durationMs, 'number');
  }
  assert.deepEqual(
    about(404).map(({ route }) => route),
    [undefined, '/v1/pets/:petId'],
  );
  for (const hidden of ['secret', 'available', '999999999', key]) {
    assert.ok(!logged.join('').includes(hidden), hidden);
  }
});

test('with `errors` a 5xx and a slow request have a line, and nothing else has; with `off` none has', async (t) => {
  // Once a second the events of a store are swept, and of one that is closed the log has a line.
  t.mock.timers.enable({ apis: ['setInterval'] });
  const errors = await startService(t, { config: { slowRequestMs: 50 } });
  const off = await startService(t, { config: { accessLog: 'off', slowRequestMs: 50 } });
  for (const service of [off, errors]) {
    const { port, key, get, store } = service;
    // No time passes but while the slow one is under way.
    let now = performance.now();
    const { mock } = t.mock.method(performance, 'now', () => now);
    for (let i = 0; i < 3; i++) await get('/nothing');
    const socket = connect(port, '127.0.0.1');
    const head = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n`);
    await isUnderWay(service);
    now += 50;
    socket.end('{}');
    await once(socket.resume(), 'close');
    await store.close();
    assert.equal((await get('/pets/1')).status, 503);
    mock.restore();
  }
  const lines = await requestLines(errors, 2);
  assert.deepEqual(
    lines.map(({ status, route }) => [status, route]),
    [
      [400, '/v1/pets'],
      [503, '/v1/pets/:petId'],
    ],
  );
  assert.equal(Math.round(Number(lines[0]?.durationMs)), 50);
  const all = (service: Service) => service.logged.map((text) => JSON.parse(text));
  const failed = all(errors).find(({ msg }) => msg === 'request failed');
  assert.equal(failed?.requestId, lines[1]?.requestId);
  assert.deepEqual(
    all(off).map(({ msg }) => msg),
    ['request failed'],
  );
});

test('a stream counts up to its head, and is not slow however long it lasts', async (t) => {
  const service = await startService(t, { config: { slowRequestMs: 50 } });
  const { origin, call, logged } = service;
  const shows = (name: string, wanted: number) =>
    timeUntil(async () => (await readMetrics(origin)).value(name) === wanted);
  let now = performance.now();
  const { mock } = t.mock.method(performance, 'now', () => now);
  const { body } = await call('/events', { headers: { accept: 'text/event-stream' } });
  await shows('petstore_events_streams', 1);
  now += 35_000;
  await body?.cancel();
  await shows('petstore_http_requests_in_flight', 1);
  mock.restore();
  const { value } = await readMetrics(origin);
  const labels = { method: 'GET', route: '/v1/events' };
  assert.equal(value('petstore_http_request_duration_seconds_count', labels), 1);
  assert.equal(value('petstore_http_request_duration_seconds_sum', labels), 0);
  assert.deepEqual(
    logged.filter((line) => line.includes('/v1/events')),
    [],
  );
});

test('a client that goes away before its response has a line without a status', async (t) => {
  const service = await startService(t, { config: { accessLog: 'all' } });
  const socket = connect(service.port, '127.0.0.1');
  await once(socket, 'connect');
  const head = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.key}\r\n`;
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{"name"`);
  await isUnderWay(service);
  socket.destroy();
  await timeUntil(async () => service.logged.some((line) => line.includes('"/v1/pets"')));
  const [line] = (await requestLines(service, 1)).filter(({ route }) => route === '/v1/pets');
  assert.ok(line && !('status' in line));
});
