import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { exchange, type RawResponse } from '@petstore/test-support/raw-http.ts';
import type { Config } from '../../src/config.ts';
import { assertError } from '../support/assert-error.ts';
import { type Service, startService } from '../support/service.ts';

/** They wait more than they work. */
const ALL_AT_ONCE = { concurrency: true };

const NOON = Date.parse('2026-11-21T12:00:00Z');
/** In ASCII, in Latin-1 beyond it, and beyond that: each is written to the socket in another way. */
const NAMES = ['Rex', 'Zoë', '🐶', 'a\u2028b', '\u0000'];
const PAGE = 'https://app.example.com';
const BASE = 'https://petstore.example.com/v1';

/** Two services with the same animals: one that may take the short way, one whose log shuts it. */
async function bothWays(
  t: TestContext,
  settings: Partial<Config>,
): Promise<[short: Service, long: Service]> {
  const start = async (logLevel: 'info' | 'debug') => {
    const service = await startService(t, {
      config: { baseUrl: BASE, logLevel, ...settings },
      now: () => NOON,
    });
    for (const [i, name] of NAMES.entries()) {
      await service.post('/pets', JSON.stringify({ name, categoryId: i }));
    }
    return service;
  };
  return [await start('info'), await start('debug')];
}

/** Sends the same bytes twice on one connection: the second time the answer may be known. */
async function askTwice({ port, key }: Service, bytes: string): Promise<RawResponse[]> {
  const request = bytes.replaceAll('KEY', key);
  const warm = `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  await exchange(port, warm + warm.replace('/pets', '/pets/1'), { timeoutMs: 100 });
  return exchange(port, [request, request], { pauseMs: 10, timeoutMs: 100 });
}

function comparable({ status, headers, body }: RawResponse) {
  const { date: _date, 'x-request-id': id, ...rest } = headers;
  return { status, body, hasId: id !== undefined, headers: Object.entries(rest).sort() };
}

const H = 'Host: a\r\nAuthorization: Bearer KEY\r\n';

async function compareWays(t: TestContext, settings: Partial<Config>): Promise<void> {
  const [short, long] = await bothWays(t, settings);
  const requests = [
    ...NAMES.map((_, i) => `GET /v1/pets/${i + 1} HTTP/1.1\r\n${H}\r\n`),
    `GET /v1/pets?limit=1 HTTP/1.1\r\n${H}\r\n`,
    `GET /v1/pets HTTP/1.1\r\n${H}Origin: ${PAGE}\r\n\r\n`,
    `GET /v1/pets/2 HTTP/1.1\r\n${H}Origin: https://other.example.com\r\n\r\n`,
    `GET /v1/pets HTTP/1.1\r\n${H}X-Request-Id: mine\r\n\r\n`,
    `GET /v1/pets HTTP/1.1\r\n${H}\r\n`,
    `GET /v1/pets?limit=2&status=available HTTP/1.1\r\n${H}\r\n`,
    `GET /v1/pets?limit=2&x=%20 HTTP/1.1\r\n${H}\r\n`,
    `GET /v1/pets/3 HTTP/1.1\r\n${H}\r\n`,
    `GET /v1/pets/3?x HTTP/1.1\r\n${H}\r\n`,
    `GET /v1/pets/03 HTTP/1.1\r\n${H}\r\n`,
    `GET /v1/pets/%33 HTTP/1.1\r\n${H}\r\n`,
    `GET /v1/pets/99 HTTP/1.1\r\n${H}\r\n`,
    `GET /v1/pets/ HTTP/1.1\r\n${H}\r\n`,
    `GET http://a/v1/pets HTTP/1.1\r\n${H}\r\n`,
    `GET /v1/pets HTTP/1.1\r\n${H}If-None-Match: *\r\n\r\n`,
    `GET /v1/pets HTTP/1.1\r\n${H}Connection: close\r\n\r\n`,
    `GET /v1/pets HTTP/1.0\r\n${H}\r\n`,
    `GET /v1/pets HTTP/1.1\r\n${H}Content-Length: 2\r\n\r\n{}`,
    `GET /v1/pets HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    // What may hide another request (see request-checks.ts), and a body that never comes.
    `GET /v1/pets HTTP/1.1\r\n${H}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    `GET /v1/pets HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
    `GET /v1/pets/1 HTTP/1.1\r\n${H}Expect: 100-continue\r\nContent-Length: 20\r\n\r\n`,
    `GET /v1/pets/1 HTTP/1.1\r\n${H}Expect: 100-continue\r\n\r\n`,
    `GET /v1/pets HTTP/1.1\r\n${H}Authorization: Bearer KEY\r\n\r\n`,
    `GET /v1/pets HTTP/1.1\r\n${H}Host: b\r\n\r\n`,
    'GET /v1/pets HTTP/1.1\r\nAuthorization: Bearer KEY\r\n\r\n',
    'GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer KEYx\r\n\r\n',
    'GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n',
    `DELETE /v1/pets HTTP/1.1\r\n${H}\r\n`,
    `GET /v1/pets?limit=0 HTTP/1.1\r\n${H}\r\n`,
  ];
  for (const bytes of requests) {
    const [here, there] = await Promise.all([askTwice(short, bytes), askTwice(long, bytes)]);
    assert.ok(here.length > 0, bytes);
    assert.deepEqual(here.map(comparable), there.map(comparable), bytes);
  }
}

describe(
  'an answer on the short way is that of the long way, header by header',
  ALL_AT_ONCE,
  () => {
    test('as the service is set by itself', (t) => compareWays(t, {}));

    test('where keys are limited: both ways count, and both say what is left', (t) =>
      compareWays(t, { rateLimit: 60 }));

    test('where pages of another origin may call, over a public address that is https', (t) =>
      compareWays(t, { corsOrigins: [PAGE] }));
  },
);

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

test('when the store goes away in between, the long way tells', async (t) => {
  const { get, post, store } = await startService(t);
  await post('/pets', '{"name":"Rex","categoryId":1}');
  for (let again = 0; again < 3; again++) await get('/pets');
  await store.close();
  await assertError(await get('/pets/1'), 'unavailable');
});
