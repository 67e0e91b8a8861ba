import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { resetConnection } from '@petstore/http/reset-connection.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { SQLITE_FILE } from '@petstore/test-support/engines.ts';
import { exchange, type RawResponse } from '@petstore/test-support/raw-http.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { Config } from '../../src/config.ts';
import { generateKey } from '../../src/keys/key.ts';
import type { Scope } from '../../src/keys/scope.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { assertError } from '../support/assert-error.ts';
import { type Service, startService } from '../support/service.ts';

// Whoever asks makes its key known; what it then asks plainly is answered in front of the router. Where the log tells
// everything, nothing is: there the router answers.

/** They wait more than they work. */
const ALL_AT_ONCE = { concurrency: true };

const NOON = Date.parse('2026-11-21T12:00:00Z');
/** In ASCII, in Latin-1 beyond it, and beyond that: each is written to the socket in another way. */
const NAMES = ['Rex', 'Zoë', '🐶', 'a\u2028b', '\u007f'];
const PAGE = 'https://app.example.com';
const PET = '{"name":"Rex","categoryId":1}';
const H = 'Host: a\r\nAuthorization: Bearer KEY\r\n';
const J = 'Content-Type: application/json\r\n';

/** Makes the key known. The condition sends it to the router. */
const WARM = `GET /v1/pets HTTP/1.1\r\n${H}If-None-Match: "x"\r\n\r\n`;
const LAST = 'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

function get(target: string, headers = ''): string {
  return `GET ${target} HTTP/1.1\r\n${H}${headers}\r\n`;
}

function post(body: string, headers = '', target = '/v1/pets'): string {
  return `POST ${target} HTTP/1.1\r\n${H}${J}${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** What is plain: answered in front of the router, once someone has asked for the same target. */
const PLAIN = [
  ...NAMES.map((_, i) => get(`/v1/pets/${i + 1}`)),
  get('/v1/pets'),
  get('/v1/pets', `Origin: ${PAGE}\r\n`),
  get('/v1/pets', 'Origin: https://other.example.com\r\n'),
  get('/v1/pets', 'X-Request-Id: mine\r\n'),
  get('/v1/pets?limit=1'),
  get('/v1/pets?limit=2&status=available'),
  get('/v1/pets?limit=2&x=%20'),
  get('/v1/pets?cursor=none'),
  get('/v1/pets/99'),
  get('/v1/pets/03'),
  get('/v1/pets/-0'),
  get('/v1/pets/9223372036854775808'),
  get('/v1/categories'),
  get('/v1/categories/1'),
  get('/v1/categories/2'),
  get('/v1/store/orders'),
  get('/v1/store/orders?status=placed'),
  get('/v1/store/orders/1'),
  post(PET),
  post('{"name":"Zo\u00c3\u00ab","categoryId":-9223372036854775808,"status":"sold"}'),
  post('{"name":"Rex","categoryId":9223372036854775807,"id":7,"more":{"a":[1]}}'),
  post(PET, 'X-Request-Id: mine\r\n'),
  post(PET, `Origin: ${PAGE}\r\n`),
  post(PET, 'Idempotency-Key: one\r\n'),
  // Again, the same in quotes, and for another body.
  post(PET, 'Idempotency-Key: one\r\nX-Request-Id: again\r\n'),
  post(PET, 'Idempotency-Key: "one"\r\n'),
  post('{"name":"Ada","categoryId":1}', 'Idempotency-Key: one\r\n'),
  post('{"name":"Ada"', 'Idempotency-Key: two\r\n'),
  post(PET, 'Idempotency-Key: a b\r\n'),
  post(PET, 'Idempotency-Key: two\r\nIdempotency-Key: three\r\n'),
  post('{"name":"Birds"}', 'Idempotency-Key: one\r\n', '/v1/categories'),
  post('{"name":"Birds"}', 'Idempotency-Key: birds\r\n', '/v1/categories'),
  post('{"petId":99}', 'Idempotency-Key: order\r\n', '/v1/store/orders'),
  post('{"petId":99}', 'Idempotency-Key: order\r\nX-Request-Id: again\r\n', '/v1/store/orders'),
  post(''),
  post('null'),
  post('[]'),
  post('{}'),
  post('{"name":1,"categoryId":"1","status":"gone"}'),
  post('{"name":"Rex","categoryId":9223372036854775808}'),
  post('{"name":"Rex","name":"Ada","categoryId":1}'),
  post('{"name":"Rex","categoryId":1,"__proto__":{}}'),
  post('{"name":"Rex"'),
  post('\u00ef\u00bb\u00bf{}'),
  post('{"name":"\u00ff","categoryId":1}'),
  post(`{"name":${'['.repeat(33)}${']'.repeat(33)}}`),
  post('{"name":"Dogs"}', '', '/v1/categories'),
  post('{"petId":2}', '', '/v1/store/orders'),
  post('{"petId":99}', '', '/v1/store/orders'),
  get('/v1/pets', 'Connection: close\r\n'),
  post(PET, 'Connection: close\r\n'),
];

/** What only the router knows how to answer. */
const FOR_THE_ROUTER = [
  get('/v1/pets/3?x'),
  get('/v1/pets/%33'),
  get('/v1/pets/99999999999999999999'),
  get('/v1/pets/'),
  get('http://a/v1/pets'),
  get('/v1/pets', 'If-None-Match: *\r\n'),
  get('/v1/pets', 'If-Match: *\r\n'),
  get('/v1/pets').replace('HTTP/1.1', 'HTTP/1.0'),
  `${get('/v1/pets', 'Content-Length: 2\r\n')}{}`,
  `${get('/v1/pets', 'Transfer-Encoding: chunked\r\n')}0\r\n\r\n`,
  // What may hide another request (see request-checks.ts), and a body that never comes.
  `${get('/v1/pets', 'Transfer-Encoding: gzip, chunked\r\n')}0\r\n\r\n`,
  `${get('/v1/pets', 'Transfer-Encoding: chunked\r\n')}zz\r\n\r\n`,
  get('/v1/pets/1', 'Expect: 100-continue\r\nContent-Length: 20\r\n'),
  get('/v1/pets/1', 'Expect: 100-continue\r\n'),
  get('/v1/pets', 'Authorization: Bearer KEY\r\n'),
  get('/v1/pets', 'Host: b\r\n'),
  get('/v1/pets').replace('Host: a\r\n', ''),
  get('/v1/pets').replace('KEY', 'KEYx'),
  get('/v1/pets').replace('Authorization: Bearer KEY\r\n', ''),
  get('/v1/pets').replace('GET', 'DELETE'),
  get('/v1/pets?limit=0'),
  post(PET, 'Connection: close\r\n').replace('POST', 'PUT'),
  post(PET, 'If-Match: "x"\r\nIf-None-Match: *\r\n'),
  post(PET, 'Content-Encoding: gzip\r\n'),
  post(PET, 'Content-Encoding: identity\r\n'),
  // What the fast path kept is given, and the other way round.
  post(PET, 'Idempotency-Key: one\r\n', '/v1/pets?again'),
  post(PET, 'Idempotency-Key: one\r\nContent-Encoding: identity\r\n'),
  post(PET, 'Host: b\r\n'),
  post(PET, 'Authorization: Bearer KEY\r\n'),
  post(PET, 'Content-Type: text/plain\r\n'),
  post(PET).replace(J, ''),
  post(PET).replace(J, 'Content-Type: application/json; charset=utf-8\r\n'),
  post(PET).replace(J, 'Content-Type: application/json; charset=latin1\r\n'),
  post(PET).replace(J, 'Content-Type: Application/JSON\r\n'),
  post(PET).replace('KEY', 'KEYx'),
  post(PET).replace('Authorization: Bearer KEY\r\n', ''),
  post(PET).replace('Host: a\r\n', ''),
  post(PET).replace('HTTP/1.1', 'HTTP/1.0'),
  post(PET).replace('HTTP/1.1', 'HTTP/2.0'),
  post(PET, 'Expect: 100-continue\r\n'),
  post(PET, 'Expect: the-best\r\n'),
  post(PET, '', '/v1/pets?x=1'),
  post(PET, '', '/v1/pets/'),
  post(PET, '', 'http://a/v1/pets'),
  post(PET).replace('POST', 'PUT'),
  `POST /v1/pets HTTP/1.1\r\n${H}${J}Transfer-Encoding: chunked\r\n\r\n1d\r\n${PET}\r\n0\r\n\r\n`,
  `POST /v1/pets HTTP/1.1\r\n${H}${J}\r\n`,
  post(`{"name":"${'x'.repeat(70_000)}","categoryId":1}`),
];

/** A request behind one that makes the key known; gives the responses to it alone. */
async function ask(
  { port, key }: Service,
  bytes: string | readonly string[],
): Promise<RawResponse[]> {
  const pieces = [WARM, bytes, LAST].flat().map((piece) => piece.replaceAll('KEY', key));
  const responses = await exchange(port, pieces, { pauseMs: 10, timeoutMs: 10_000 });
  return responses.slice(1);
}

/** How many requests have taken the fast path so far, by method and route. */
async function fastPathCounts({ origin }: Service): Promise<Map<string, number>> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  const lines = metrics.matchAll(
    /^petstore_http_fast_path_total\{method="(\w+)",route="(.+)"\} (\d+)$/gm,
  );
  return new Map(
    Array.from(lines, ([, method, route, count]) => [`${method} ${route}`, Number(count)]),
  );
}

async function fastPathCount(service: Service): Promise<number> {
  return (await fastPathCounts(service)).values().reduce((sum, count) => sum + count, 0);
}

function comparable({ status, headers, body }: RawResponse) {
  const { date: _date, 'x-request-id': id, ...rest } = headers;
  return { status, body, hasId: id !== undefined, headers: Object.entries(rest).sort() };
}

interface Settings {
  readonly config?: Partial<Config>;
  readonly scopes?: readonly Scope[];
  readonly now?: number;
}

/** Two services with the same content: one that has the fast path, one whose log closes it. */
async function compareBoth(
  t: TestContext,
  { config, scopes, now = NOON }: Settings,
): Promise<void> {
  const start = async (logLevel: 'info' | 'debug') => {
    const service = await startService(t, {
      config: { baseUrl: 'https://petstore.example.com/v1', logLevel, ...config },
      now: () => now,
      ...(scopes && { scopes }),
    });
    const { pets, categories, orders } = service.store;
    for (const [i, name] of NAMES.entries()) {
      await pets.create({ name, categoryId: BigInt(i), status: 'available' });
    }
    await categories.create({ name: 'Cats' });
    await orders.place(1n, new Date(NOON));
    const admin = generateKey('admin', 'production', new Date(), { scopes: ['admin'] });
    await service.store.keys.add(admin);
    const reads = PLAIN.filter((bytes) => bytes.startsWith('GET'));
    await exchange(service.port, reads.join('').replaceAll('KEY', admin.key) + LAST);
    return service;
  };
  const [fast, routed] = [await start('info'), await start('debug')];
  for (const bytes of [...PLAIN, ...FOR_THE_ROUTER]) {
    const before = await fastPathCount(fast);
    const [here, there] = await Promise.all([ask(fast, bytes), ask(routed, bytes)]);
    assert.ok(here.length > 0, bytes);
    assert.deepEqual(here.map(comparable), there.map(comparable), bytes);
    const taken = (await fastPathCount(fast)) - before;
    assert.equal(taken, PLAIN.includes(bytes) ? 1 : 0, bytes);
  }
  assert.equal(await fastPathCount(routed), 0);
  // Every route that has a fast path was asked for on it.
  const unused = [...(await fastPathCounts(fast))].filter(([, count]) => count === 0);
  assert.deepEqual(unused, []);
  const contents = await Promise.all(
    [fast, routed].map(({ store }) => store.pets.rows(undefined, 1_000)),
  );
  assert.deepEqual(contents[0], contents[1]);
}

describe('the fast path responds as the router does, header by header', ALL_AT_ONCE, () => {
  test('as the service is set by itself', (t) => compareBoth(t, {}));

  test('where keys are limited: both count, and both say what is left', (t) =>
    compareBoth(t, { config: { rateLimit: 60 } }));

  test('where the quota is used up', (t) =>
    compareBoth(t, { config: { rateLimit: 1, rateLimitWindowSeconds: 60 } }));

  test('where pages of another origin may call, over a public address that is https', (t) =>
    compareBoth(t, { config: { corsOrigins: [PAGE] } }));

  test('to a key that may only read animals', (t) => compareBoth(t, { scopes: ['pets:read'] }));

  test('after the sunset of an operation', (t) =>
    compareBoth(t, { now: Date.parse('2030-12-05T00:00:00Z') }));
});

test('a route with a fast path has no hook whose work the fast path would leave out', async (t) => {
  const { app } = await startService(t, { config: { corsOrigins: [PAGE] } });
  const routes = app.printRoutes({ includeHooks: true, commonPrefix: false, method: 'GET' });
  const hooks = new Set(routes.matchAll(/"(\w+)\(\)"/g).map(([, name]) => name));
  // Before one is added here: a check of keys belongs to admissionChecks; what looks at the head of a request
  // must be nothing that a plain one can have.
  assert.deepEqual([...hooks].sort(), [
    'admit',
    'announce',
    'checkBodyHeaders',
    'checkHead',
    // No plain request has its header, or the key of a sandbox.
    'failOnRequest',
    'observe',
    // No plain request has the key of a sandbox.
    'record',
    'refuseUnknown',
    'rememberTarget',
    'respondToPreflight',
    'varyByOrigin',
    // The same.
    'workOfOthers',
  ]);
});

test('what was known is forgotten at once when it changes: pages, pets, keys, the sunset', async (t) => {
  let now = Date.parse('2030-12-04T23:59:59Z');
  const { get, post, store } = await startService(t, { now: () => now });
  for (let written = 1; written <= 5; written++) {
    assert.equal((await post('/pets', '{"name":"Rex","categoryId":1}')).status, 201);
    for (let again = 0; again < 3; again++) {
      assert.equal(((await (await get('/pets')).json()) as unknown[]).length, written);
      assert.equal((await get(`/pets/${written}`)).status, 200);
    }
  }
  now = Date.parse('2030-12-05T00:00:00Z');
  await assertError(await get('/pets/1'), 'operation_removed');
  assert.equal((await get('/pets')).status, 200);
  const [record] = await store.keys.list();
  await store.keys.revoke(record?.id ?? '', new Date());
  await assertError(await get('/pets'), 'unauthorized');
});

test('a store that goes away in between is told of', async (t) => {
  const { get, post, store } = await startService(t);
  await post('/pets', '{"name":"Rex","categoryId":1}');
  for (let again = 0; again < 3; again++) await get('/pets');
  await store.close();
  await assertError(await get('/pets/1'), 'unavailable');
});

test('a create on the fast path is counted like all others', async (t) => {
  const service = await startService(t);
  assert.equal((await ask(service, post(PET)))[0]?.status, 201);
  assert.equal((await ask(service, post('{')))[0]?.status, 400);
  assert.equal(await fastPathCount(service), service.store.changes ? 2 : 0);
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
    const [response] = await ask(service, post(PET));
    assert.equal(response?.status, status);
  }
  now += 4_000;
  assert.equal((await ask(service, post(PET)))[0]?.status, 201);
  const [record] = await service.store.keys.list();
  await service.store.keys.revoke(record?.id ?? '', new Date());
  await assertError(await service.post('/pets', PET), 'unauthorized');
});

test('a key that another process revokes makes nothing from the next request on', async (t) => {
  const url = await SQLITE_FILE.createDatabase(t);
  const service = await startService(t, { store: await openStore(url) });
  assert.equal((await service.get('/pets')).status, 200);
  assert.equal((await service.post('/pets', PET)).status, 201);
  const other = await openStore(url);
  cleanUp(t, () => other.close());
  const [record] = await other.keys.list();
  await other.keys.revoke(record?.id ?? '', new Date());
  await assertError(await service.post('/pets', PET), 'unauthorized');
  assert.equal((await other.pets.rows(undefined, 10)).lines.length, 1);
});

test('creates that arrive at once each make their own, in front of the router, though others commit', async (t) => {
  const store = await openStore(await SQLITE_FILE.createDatabase(t));
  const service = await startService(t, { store });
  await service.get('/pets');
  let accepted = 0;
  service.app.server.on('connection', () => accepted++);
  // More than are served together. Some bodies come in several packets; what is cut would not be JSON.
  const names = Array.from({ length: 100 }, (_, i) => `Pet ${i}`);
  const ids = new Set<string>();
  for (let round = 1; round <= 2; round++) {
    const sockets = names.map(() => connect(service.port, '127.0.0.1'));
    await timeUntil(async () => accepted === round * names.length);
    const responses = sockets.map((socket, i) => {
      const more = 'x'.repeat(i % 10 === 0 ? 60_000 : i);
      const request = post(JSON.stringify({ name: names[i], categoryId: i, more }));
      socket.write((request + LAST).replaceAll('KEY', service.key));
      return text(socket);
    });
    for (const [i, response] of (await Promise.all(responses)).entries()) {
      assert.match(response, /^HTTP\/1\.1 201 /);
      assert.ok(response.includes(`"name":"${names[i]}","categoryId":${i},`), response);
      ids.add(/"id":(\d+)/.exec(response)?.[1] ?? '');
    }
    assert.equal(ids.size, round * names.length);
    assert.equal(await fastPathCount(service), ids.size);
  }
});

test('a key that may only read is told so', async (t) => {
  const service = await startService(t, { scopes: ['pets:read'] });
  const [response] = await ask(service, post(PET));
  assert.equal(response?.status, 403);
});

test('a body in pieces is put together, and one that breaks off makes nothing', async (t) => {
  const service = await startService(t);
  const whole = post('{"name":"Zo\u00c3\u00ab","categoryId":1}');
  const [response] = await ask(service, whole.match(/[\s\S]{1,40}/g) ?? []);
  assert.equal(response?.status, 201);
  assert.equal(response.body, '{"id":1,"name":"Zoë","categoryId":1,"status":"available"}');

  await service.get('/pets');
  const socket = connect(service.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(post(PET).replace('KEY', service.key).slice(0, -5));
  const shows = async (line: RegExp) =>
    line.test(await (await fetch(`${service.origin}/metrics`)).text());
  // The other one asks for the metrics.
  await timeUntil(() => shows(/^petstore_http_requests_in_flight 2$/m));
  resetConnection(socket);
  await timeUntil(() => shows(/route="\/v1\/pets",status="aborted"} 1/));
  await assertMadeNothing(service, 1);
});

/** Whatever the service would have made of a request is there before what is made now. `count`: what there was. */
async function assertMadeNothing(service: Service, count: number): Promise<void> {
  assert.equal((await service.post('/pets', PET)).status, 201);
  assert.equal(((await (await service.get('/pets')).json()) as unknown[]).length, count + 1);
}

for (const logLevel of ['info', 'debug'] as const) {
  const place = logLevel === 'info' ? 'on the fast path' : 'behind the router';
  test(`a body that comes too slowly is a 408, and makes nothing when it comes after all: ${place}`, async (t) => {
    const config = { logLevel, headersTimeoutMs: 300, requestTimeoutMs: 400 };
    const service = await startService(t, { config });
    const { server } = service.app;
    const { headersTimeout, requestTimeout } = server;
    // No good request is late, however long the machine stands still.
    const isPatient = { headersTimeout: 0, requestTimeout: 0 };
    Object.assign(server, isPatient);
    await service.get('/pets');
    Object.assign(server, { headersTimeout, requestTimeout });
    const request = post(PET).replace('KEY', service.key);
    const accepted = once(server, 'connection');
    // It goes on sending, whatever it was told.
    const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
    cleanUp(t, () => socket.destroy());
    socket.write(request.slice(0, -5));
    const [answer] = await once(socket, 'data');
    assert.match(`${answer}`, /^HTTP\/1\.1 408 [\s\S]*\r\nconnection: close\r\n/i);
    socket.write(request.slice(-5));
    const [peer] = await accepted;
    await timeUntil(async () => peer.bytesRead === request.length);
    Object.assign(server, isPatient);
    await assertMadeNothing(service, 0);
  });
}

test('what comes behind a 408 to a connection that was silent makes nothing', async (t) => {
  const service = await startService(t, { config: { headersTimeoutMs: 100 } });
  const { server } = service.app;
  const accepted = once(server, 'connection');
  const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
  cleanUp(t, () => socket.destroy());
  const [answer] = await once(socket, 'data');
  assert.match(`${answer}`, /^HTTP\/1\.1 408 /);
  const request = post(PET).replace('KEY', service.key);
  socket.write(request);
  const [peer] = await accepted;
  await timeUntil(async () => peer.bytesRead === request.length);
  server.headersTimeout = 0;
  await assertMadeNothing(service, 0);
});

test('a store that fails is told of as by the router: to the client, to the log and in metrics', async (t) => {
  const store = await failingStore();
  const service = await startService(t, { store });
  const trace = `traceparent: 00-${'a'.repeat(32)}-${'b'.repeat(16)}-01\r\n`;
  const [response] = await ask(service, post(PET, `X-Request-Id: mine\r\n${trace}`));
  assert.equal(response?.status, 500);
  assert.match(response.body, /"code":"internal_error"/);
  assert.equal(await fastPathCount(service), 1);
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
