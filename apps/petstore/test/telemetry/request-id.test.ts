import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { startService } from '../support/service.ts';

const GOOD = ['a', 'A-Za-z0-9._-', 'x'.repeat(128), '4bf92f35-77b3-4da6-a3ce-929d0e0e4736'];
const BAD = [
  ...['', 'x'.repeat(129), 'a b', 'a,b', 'é', '<script>', 'a"b', '$(id)', 'a/b'],
  ...['pk_live_abcdefgh', 'id-pk_test_abcdefgh'],
];

/** Each way on which a request is answered; `ID` stands for the header. */
const WAYS: readonly (readonly [name: string, status: number, bytes: string])[] = [
  ['the fast path', 200, 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nIDAuthorization: Bearer KEY\r\n\r\n'],
  [
    'the router',
    200,
    'GET /v1/store/orders HTTP/1.1\r\nHost: a\r\nIDAuthorization: Bearer KEY\r\n\r\n',
  ],
  ['no key', 401, 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nID\r\n'],
  ['no route', 404, 'GET /nothing HTTP/1.1\r\nHost: a\r\nID\r\n'],
  ['a path that is no text', 404, 'GET /%ff HTTP/1.1\r\nHost: a\r\nID\r\n'],
  ['no Host', 400, 'GET / HTTP/1.1\r\nID\r\n'],
  ['a method for no one', 405, 'DELETE /livez HTTP/1.1\r\nHost: a\r\nID\r\n'],
  [
    'a body cut short',
    408,
    'POST /v1/pets HTTP/1.1\r\nHost: a\r\nIDAuthorization: Bearer KEY\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  ],
];

test("a request keeps its client's id on every way, if it is well formed; any other is not reflected", async (t) => {
  const patient = await startService(t);
  const { get } = patient;
  // For the body that is cut short: a busy machine may be late for what it has all of.
  const hurried = await startService(t, {
    config: { headersTimeoutMs: 300, requestTimeoutMs: 300 },
  });
  for (let i = 0; i < 3; i++) await get('/pets');
  const ask = async (bytes: string, header: string) => {
    const { port, key } = bytes.includes('POST') ? hurried : patient;
    const request = bytes.replace('ID', header).replace('KEY', key);
    const [answer] = await exchange(port, request, { timeoutMs: 60 });
    assert.ok(answer, bytes);
    return answer;
  };
  for (const [name, status, bytes] of WAYS) {
    const [good] = name === 'a body cut short' ? ['cut.1'] : GOOD;
    const answer = await ask(bytes, `X-Request-Id: ${good}\r\n`);
    assert.equal(answer.status, status, name);
    assert.equal(answer.headers['x-request-id'], good, name);
  }
  const onFastPath = WAYS[0]?.[2] ?? '';
  const routed = WAYS[3]?.[2] ?? '';
  const given = new Set<string | undefined>();
  for (const bytes of [onFastPath, routed]) {
    for (const id of GOOD) {
      assert.equal((await ask(bytes, `X-Request-Id: ${id}\r\n`)).headers['x-request-id'], id);
    }
    const headers = BAD.map((id) => `X-Request-Id: ${id}\r\n`);
    for (const header of [...headers, 'X-Request-Id: a\r\nX-Request-Id: b\r\n', '']) {
      const id = (await ask(bytes, header)).headers['x-request-id'];
      assert.match(id ?? '', /^[0-9a-f]{16}-[0-9a-z]+$/, header);
      given.add(id);
    }
  }
  assert.equal(given.size, 2 * (BAD.length + 2), 'each has one of its own');
});

test('bytes that are not a request have an id as well, in the response and in the log', async (t) => {
  const { port, logged } = await startService(t, { config: { accessLog: 'all' } });
  const lines = ['nonsense\r\n\r\n', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`];
  for (const [at, bytes] of [...lines, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'].entries()) {
    const [answer] = await exchange(port, bytes, { timeoutMs: 500 });
    const id = answer?.headers['x-request-id'];
    assert.ok(id);
    assert.ok(logged[at]?.includes(`"requestId":"${id}"`), logged[at]);
    assert.ok(logged[at]?.includes('"connection refused"'));
  }
});
