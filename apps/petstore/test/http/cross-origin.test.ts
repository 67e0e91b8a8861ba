import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { assertError } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

const ALLOWED = 'https://app.example.com';
const ALSO_ALLOWED = 'http://localhost:3000';

const start = (t: TestContext) =>
  startService(t, {
    config: {
      corsOrigins: [ALLOWED, ALSO_ALLOWED],
      headersTimeoutMs: 1_000,
      requestTimeoutMs: 1_000,
    },
  });

const ASKED = { 'access-control-request-method': 'POST' };

/** The headers of an answer that CORS is about. */
function corsHeaders({ headers }: Response): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(([name]) => name === 'vary' || name.startsWith('access-control-')),
  );
}

const READABLE = {
  'access-control-allow-origin': ALLOWED,
  'access-control-expose-headers':
    'Link, Location, ETag, Last-Event-ID, X-Request-Id, Deprecation, Sunset, Retry-After, RateLimit, RateLimit-Policy, Petstore-Fault-Applied',
  vary: 'Origin',
};

test('a page of an allowed origin is told what it may send, wherever it asks, without a key', async (t) => {
  const { origin } = await start(t);
  for (const path of ['/v1/pets', '/v1/pets/1', '/v1/openapi.json', '/livez', '/nothing']) {
    const answer = await fetch(origin + path, {
      method: 'OPTIONS',
      headers: { origin: ALLOWED, ...ASKED, 'access-control-request-headers': 'authorization' },
    });
    assert.equal(answer.status, 204, path);
    assert.equal(await answer.text(), '');
    assert.ok(answer.headers.get('x-request-id'));
    assert.deepEqual(corsHeaders(answer), {
      ...READABLE,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, QUERY',
      'access-control-allow-headers':
        'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, Mcp-Method, Mcp-Name, MCP-Protocol-Version, Petstore-Fault, traceparent, tracestate, X-Request-Id',
      'access-control-max-age': '600',
    });
  }
});

test('a page of an allowed origin can read every response, errors too', async (t) => {
  const { call, get, post, origin } = await start(t);
  const headers = { origin: ALLOWED };
  const made = await post('/pets', '{"name":"Rex","categoryId":1}', headers);
  assert.equal(made.status, 201);
  assert.deepEqual(corsHeaders(made), READABLE);
  const { headers: known } = await get('/pets');
  const cases: [number, string, RequestInit][] = [
    [200, '/pets', {}],
    [304, '/pets', { headers: { 'if-none-match': known.get('etag') ?? '' } }],
    [200, '/pets/1', {}],
    [400, '/pets?limit=0', {}],
    [401, '/pets', { headers: { authorization: '' } }],
    [404, '/pets/99', {}],
    [404, '/nothing', {}],
    [404, '/pets/%zz', {}],
    [405, '/pets', { method: 'DELETE' }],
    [412, '/pets/1', { method: 'DELETE', headers: { 'if-match': '"x"' } }],
    [414, `/pets?${'x'.repeat(9_000)}`, {}],
    [415, '/pets', { method: 'POST', body: 'x' }],
  ];
  for (const [status, path, init] of cases) {
    const answer = await call(path, { ...init, headers: { ...headers, ...init.headers } });
    assert.equal(answer.status, status, path);
    assert.deepEqual(corsHeaders(answer), READABLE, `${status} ${path}`);
  }
  const other = await fetch(`${origin}/v1/pets`, { headers: { origin: ALSO_ALLOWED } });
  assert.equal(other.headers.get('access-control-allow-origin'), ALSO_ALLOWED);
  const document = await call('/openapi.json', { headers });
  assert.deepEqual(corsHeaders(document), { ...READABLE, vary: 'accept-encoding, Origin' });
});

test('the plainest requests, which never reach the router, differ in nothing but that', async (t) => {
  const { get, call, post } = await start(t);
  for (let i = 0; i < 3; i++) await post('/pets', '{"name":"Rex","categoryId":1}');
  const path = '/pets?limit=2';
  const ask = (origin: string) => call(path, { headers: { origin } });
  const {
    date: _date,
    'x-request-id': _id,
    ...usual
  } = Object.fromEntries((await get(path)).headers);
  assert.ok(usual.link);
  for (let i = 0; i < 3; i++) {
    const {
      date: _date,
      'x-request-id': id,
      ...rest
    } = Object.fromEntries((await ask(ALLOWED)).headers);
    assert.ok(id);
    assert.deepEqual(rest, { ...usual, ...READABLE });
    assert.deepEqual(corsHeaders(await ask('https://other.example.com')), { vary: 'Origin' });
    assert.deepEqual(corsHeaders(await get(path)), { vary: 'Origin' });
  }
});

test('a page learns that the store is away', async (t) => {
  const { call, store } = await start(t);
  await store.close();
  const answer = await call('/pets', { headers: { origin: ALLOWED } });
  assert.deepEqual(corsHeaders(answer), READABLE);
  await assertError(answer, 'unavailable');
});

test('an origin that is not listed, exactly as it is, gets no leave', async (t) => {
  const { origin, call } = await start(t);
  const others = [
    'https://other.example.com',
    `${ALLOWED}:8443`,
    `${ALLOWED}.evil.example`,
    'http://app.example.com',
    'null',
    '*',
    `${ALLOWED}, ${ALLOWED}`,
  ];
  for (const other of others) {
    const preflight = await fetch(`${origin}/v1/pets`, {
      method: 'OPTIONS',
      headers: { origin: other, ...ASKED },
    });
    assert.deepEqual(corsHeaders(preflight), { vary: 'Origin' }, other);
    await assertError(preflight, 'method_not_allowed');
    const answer = await call('/pets', { headers: { origin: other } });
    assert.deepEqual(corsHeaders(answer), { vary: 'Origin' }, other);
  }
});

test('an OPTIONS that is not a preflight is a wrong method, as it always was', async (t) => {
  const { call } = await start(t);
  for (const headers of [{}, { origin: ALLOWED }, ASKED]) {
    const answer = await call('/pets', { method: 'OPTIONS', headers });
    assert.equal(answer.headers.get('allow'), 'GET, HEAD, POST, QUERY');
    await assertError(answer, 'method_not_allowed');
  }
});

test('a response still says what it depends on beside the origin', async (t) => {
  const { origin } = await start(t);
  const answer = await fetch(`${origin}/llms.txt`, { headers: { origin: ALLOWED } });
  assert.match(answer.headers.get('vary') ?? '', /^accept-encoding, Origin$/);
});

test('without a list nothing is said of origins', async (t) => {
  const { call, origin, port } = await startService(t);
  for (const method of ['GET', 'OPTIONS']) {
    const answer = await call('/pets', { method, headers: { origin: ALLOWED, ...ASKED } });
    assert.deepEqual(corsHeaders(answer), {}, method);
    assert.equal(answer.status, method === 'GET' ? 200 : 405);
  }
  assert.deepEqual(corsHeaders(await fetch(`${origin}/livez`)), {});
  const [refused] = await exchange(port, 'nonsense\r\n\r\n');
  assert.equal(refused?.status, 400);
  assert.equal(refused.headers.vary, undefined);
});

test('the headers of a request that never ends give its 408 leave to be read', async (t) => {
  const { port, key } = await start(t);
  const head = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nOrigin: ${ALLOWED}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`;
  const [answer] = await exchange(port, head, { timeoutMs: 5_000 });
  assert.equal(answer?.headers['access-control-allow-origin'], ALLOWED);
  assert.equal(answer.headers.vary, 'Origin');
  await assertError(answer, 'request_timeout');
  const [refused] = await exchange(port, 'nonsense\r\n\r\n');
  assert.equal(refused?.headers.vary, 'Origin');
  await assertError(refused, 'invalid_request');
});
