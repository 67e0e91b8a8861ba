import assert from 'node:assert/strict';
import { tracingChannel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { exchange, type RawResponse } from '@petstore/test-support/raw-http.ts';
import type { Config } from '../../src/config.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { assertError } from '../support/assert-error.ts';
import { type Service, startService } from '../support/service.ts';

// Whoever reads makes its key known, until the next commit; a create that follows is answered in front of the
// router. Where the log tells everything, nothing is: there the long way answers.

/** They wait more than they work. */
const ALL_AT_ONCE = { concurrency: true };

const NOON = Date.parse('2026-11-21T12:00:00Z');
const PAGE = 'https://app.example.com';
const PET = '{"name":"Rex","categoryId":1}';
const H = 'Host: a\r\nAuthorization: Bearer KEY\r\n';
const J = 'Content-Type: application/json\r\n';

function bodied(body: string, headers = ''): string {
  return `POST /v1/pets HTTP/1.1\r\n${H}${J}${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** Counts the requests that reach a handler of the router from now on. */
function countRouted(t: TestContext): () => number {
  let count = 0;
  const channel = tracingChannel('fastify.request.handler');
  const start = () => count++;
  channel.start.subscribe(start);
  cleanUp(t, () => channel.start.unsubscribe(start));
  return () => count;
}

/** A request behind one that makes the key known; gives the answers to it alone. */
async function askKnown(
  { port, key }: Service,
  bytes: string | readonly string[],
): Promise<RawResponse[]> {
  const warm = `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const pieces = [bytes].flat().map((piece) => piece.replaceAll('KEY', key));
  const answers = await exchange(port, [warm, ...pieces], { pauseMs: 20, timeoutMs: 80 });
  return answers.slice(1);
}

function comparable({ status, headers, body }: RawResponse) {
  const { date: _date, 'x-request-id': id, ...rest } = headers;
  return { status, body, hasId: id !== undefined, headers: Object.entries(rest).sort() };
}

async function compareWays(t: TestContext, settings: Partial<Config>): Promise<void> {
  const baseUrl = 'https://petstore.example.com/v1';
  const start = (logLevel: 'info' | 'debug') =>
    startService(t, { config: { baseUrl, logLevel, ...settings }, now: () => NOON });
  const [short, long] = [await start('info'), await start('debug')];
  const requests = [
    bodied(PET),
    bodied('{"name":"Zo\u00c3\u00ab","categoryId":-9223372036854775808,"status":"sold"}'),
    bodied('{"name":"Rex","categoryId":9223372036854775807,"id":7,"more":{"a":[1]}}'),
    bodied(PET, 'X-Request-Id: mine\r\n'),
    bodied(PET, `Origin: ${PAGE}\r\n`),
    bodied(PET, 'Connection: close\r\n'),
    bodied(PET, 'If-Match: "x"\r\nIf-None-Match: *\r\n'),
    bodied(PET, 'Content-Encoding: gzip\r\n'),
    bodied(PET, 'Content-Encoding: identity\r\n'),
    bodied(PET, 'Idempotency-Key: one\r\n'),
    bodied(PET, 'Idempotency-Key: one\r\n'),
    bodied(PET, 'Host: b\r\n'),
    bodied(PET, 'Authorization: Bearer KEY\r\n'),
    bodied(PET, 'Content-Type: text/plain\r\n'),
    bodied(PET).replace(J, ''),
    bodied(PET).replace(J, 'Content-Type: application/json; charset=utf-8\r\n'),
    bodied(PET).replace(J, 'Content-Type: application/json; charset=latin1\r\n'),
    bodied(PET).replace(J, 'Content-Type: Application/JSON\r\n'),
    bodied(PET).replace('KEY', 'KEYx'),
    bodied(PET).replace('Authorization: Bearer KEY\r\n', ''),
    bodied(PET).replace('Host: a\r\n', ''),
    bodied(PET).replace('HTTP/1.1', 'HTTP/1.0'),
    bodied(PET).replace('HTTP/1.1', 'HTTP/2.0'),
    bodied(PET, 'Expect: 100-continue\r\n'),
    bodied(PET, 'Expect: the-best\r\n'),
    bodied(PET).replace('/v1/pets', '/v1/pets?x=1'),
    bodied(PET).replace('/v1/pets', '/v1/pets/'),
    bodied(PET).replace('/v1/pets', 'http://a/v1/pets'),
    bodied(PET).replace('POST', 'PUT'),
    `POST /v1/pets HTTP/1.1\r\n${H}${J}Transfer-Encoding: chunked\r\n\r\n1d\r\n${PET}\r\n0\r\n\r\n`,
    `POST /v1/pets HTTP/1.1\r\n${H}${J}\r\n`,
    bodied(''),
    bodied('null'),
    bodied('[]'),
    bodied('{}'),
    bodied('{"name":1,"categoryId":"1","status":"gone"}'),
    bodied('{"name":"Rex","categoryId":9223372036854775808}'),
    bodied('{"name":"Rex","name":"Ada","categoryId":1}'),
    bodied('{"name":"Rex","categoryId":1,"__proto__":{}}'),
    bodied('{"name":"Rex"'),
    bodied('\u00ef\u00bb\u00bf{}'),
    bodied('{"name":"\u00ff","categoryId":1}'),
    bodied(`{"name":${'['.repeat(33)}${']'.repeat(33)}}`),
    bodied(`{"name":"${'x'.repeat(70_000)}","categoryId":1}`),
    // What follows on the connection is the next request, whatever became of this one.
    `${bodied(PET)}${bodied('{')}GET /v1/pets/1 HTTP/1.1\r\n${H}\r\n`,
  ];
  for (const bytes of requests) {
    const [here, there] = await Promise.all([askKnown(short, bytes), askKnown(long, bytes)]);
    assert.ok(here.length > 0, bytes);
    assert.deepEqual(here.map(comparable), there.map(comparable), bytes);
  }
  const [all, same] = await Promise.all([
    short.get('/pets?limit=100'),
    long.get('/pets?limit=100'),
  ]);
  assert.equal(await all.text(), await same.text());
}

describe('a create on the short way ends as on the long way, header by header', ALL_AT_ONCE, () => {
  test('as the service is set by itself', (t) => compareWays(t, {}));

  test('where keys are limited and pages of another origin may call', (t) =>
    compareWays(t, { rateLimit: 60, corsOrigins: [PAGE] }));
});

test('a create by a key that is known does not meet the router, and is counted like all others', async (t) => {
  const service = await startService(t);
  const routed = countRouted(t);
  const [made] = await askKnown(service, bodied(PET));
  assert.equal(made?.status, 201);
  const [broken] = await askKnown(service, bodied('{'));
  assert.equal(broken?.status, 400);
  // The pages that made the key known; on an engine that cannot tell of changes nothing is known.
  assert.equal(routed(), service.store.changes ? 2 : 4);
  const metrics = await (await fetch(`${service.origin}/metrics`)).text();
  for (const status of [201, 400]) {
    const line = `petstore_http_requests_total{method="POST",route="/v1/pets",status="${status}"} 1`;
    assert.ok(metrics.includes(line), line);
  }
  // The one that asks for the metrics.
  assert.match(metrics, /^petstore_http_requests_in_flight 1$/m);
});

test('a key that was revoked, or whose quota is used up, makes nothing from the next request on', async (t) => {
  let now = NOON;
  const config = { rateLimit: 1, rateLimitWindowSeconds: 4 };
  const service = await startService(t, { config, now: () => now });
  for (const status of [201, 201, 429]) {
    // The first of each round is the page; it counts as well.
    const [answer] = await askKnown(service, bodied(PET));
    assert.equal(answer?.status, status);
  }
  now += 4_000;
  assert.equal((await askKnown(service, bodied(PET)))[0]?.status, 201);
  const [record] = await service.store.keys.list();
  await service.store.keys.revoke(record?.id ?? '', new Date());
  await assertError(await service.post('/pets', PET), 'unauthorized');
});

test('a key that may only read is told so', async (t) => {
  const service = await startService(t, { scopes: ['pets:read'] });
  const [answer] = await askKnown(service, bodied(PET));
  assert.equal(answer?.status, 403);
});

test('a body in pieces is put together, and one that breaks off makes nothing', async (t) => {
  const service = await startService(t);
  const whole = bodied('{"name":"Zo\u00c3\u00ab","categoryId":1}');
  const [answer] = await askKnown(service, whole.match(/[\s\S]{1,40}/g) ?? []);
  assert.equal(answer?.status, 201);
  assert.equal(answer.body, '{"id":1,"name":"Zoë","categoryId":1,"status":"available"}');

  await service.get('/pets');
  const socket = connect(service.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(bodied(PET).replace('KEY', service.key).slice(0, -5));
  await sleep(50);
  socket.resetAndDestroy();
  await sleep(50);
  assert.equal(((await (await service.get('/pets')).json()) as unknown[]).length, 1);
  const metrics = await (await fetch(`${service.origin}/metrics`)).text();
  assert.match(metrics, /route="\/v1\/pets",status="aborted"} 1/);
});

for (const logLevel of ['info', 'debug'] as const) {
  const way = logLevel === 'info' ? 'short' : 'long';
  test(`a body that comes too slowly is a 408, and makes nothing when it comes after all: the ${way} way`, async (t) => {
    const config = { logLevel, headersTimeoutMs: 300, requestTimeoutMs: 400 };
    const service = await startService(t, { config });
    await service.get('/pets');
    const request = bodied(PET).replace('KEY', service.key);
    // It goes on sending, whatever it was told.
    const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
    cleanUp(t, () => socket.destroy());
    socket.write(request.slice(0, -5));
    const [answer] = await once(socket, 'data');
    assert.match(`${answer}`, /^HTTP\/1\.1 408 [\s\S]*\r\nconnection: close\r\n/i);
    socket.write(request.slice(-5));
    await sleep(200);
    assert.equal(((await (await service.get('/pets')).json()) as unknown[]).length, 0);
  });
}

test('a store that fails is told of as on the long way: to the client, to the log and in metrics', async (t) => {
  const store = await failingStore();
  const service = await startService(t, { store });
  const routed = countRouted(t);
  const trace = `traceparent: 00-${'a'.repeat(32)}-${'b'.repeat(16)}-01\r\n`;
  const [answer] = await askKnown(service, bodied(PET, `X-Request-Id: mine\r\n${trace}`));
  assert.equal(answer?.status, 500);
  assert.match(answer.body, /"code":"internal_error"/);
  assert.equal(routed(), 1);
  const [line = ''] = service.logged.filter((line) => line.includes('request failed'));
  const { requestId, traceId, err } = JSON.parse(line);
  assert.deepEqual([requestId, traceId], ['mine', 'a'.repeat(32)]);
  assert.match(err.message, /on purpose/);
});

/** A store in memory whose creates fail. */
async function failingStore(): Promise<Store> {
  const store = await openStore('sqlite::memory:');
  const create = async () => {
    throw new Error('on purpose');
  };
  return { ...store, pets: { ...store.pets, create } };
}
