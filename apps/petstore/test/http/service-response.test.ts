import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { exchange, type RawResponse } from '@petstore/test-support/raw-http.ts';
import { requestIds } from '../../src/http/request-id.ts';
import { headerLines, responseClass } from '../../src/http/service-response.ts';

const BODIES = ['{"name":"Rex"}', '{"name":"Zoë"}', '{"name":"🐶"}', ''];
const ADDED = ['ratelimit', '"default";r=9;t=60'];
const KEEP_ALIVE_MS = 7_000;

/** A server that answers `/respond/STATUS/BODY` with lines of its own, and `/write/…` through Node's writeHead. */
async function startBoth(t: TestContext): Promise<number> {
  const ServerResponse = responseClass(
    { 'x-content-type-options': 'nosniff', 'x-other': 'a: b' },
    requestIds(),
    KEEP_ALIVE_MS,
  );
  const server = createServer(
    { ServerResponse, keepAliveTimeout: KEEP_ALIVE_MS },
    (request, response) => {
      const [, way, status = '', index = ''] = (request.url ?? '').split('/');
      const body = BODIES[Number(index)] ?? '';
      const headers = {
        'content-type': 'application/json',
        'content-length': `${Buffer.byteLength(body)}`,
      };
      response.setHeader('vary', 'Origin');
      if (request.headers['x-closing']) response.setHeader('Connection', 'close');
      response.addLines(headerLines(ADDED));
      if (way === 'respond') {
        response.respond(Number(status), headerLines(Object.entries(headers).flat()), body, 'utf8');
      } else {
        response.writeHead(Number(status), headers);
        response.end(body);
      }
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function comparable({ status, headers, body }: RawResponse) {
  const { date, ...rest } = headers;
  return { status, body, hasDate: date !== undefined, headers: Object.entries(rest).sort() };
}

test('a head of ready lines is that which Node would have written', async (t) => {
  const port = await startBoth(t);
  for (const status of [200, 201, 404, 503]) {
    for (const body of BODIES.keys()) {
      for (const rest of [
        'HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n',
        'HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\nConnection: close\r\n\r\n',
        'HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\nX-Closing: 1\r\n\r\n',
        'HTTP/1.0\r\nX-Request-Id: mine\r\n\r\n',
        'HTTP/1.0\r\nX-Request-Id: mine\r\nConnection: keep-alive\r\n\r\n',
      ]) {
        const ask = (way: string) =>
          exchange(port, `GET /${way}/${status}/${body} ${rest}`, { timeoutMs: 30 });
        const [ready, written] = await Promise.all([ask('respond'), ask('write')]);
        assert.equal(ready.length, 1);
        assert.deepEqual(ready.map(comparable), written.map(comparable), rest);
        assert.equal(ready[0]?.headers['x-request-id'], 'mine');
        assert.equal(ready[0]?.headers.ratelimit, ADDED[1]);
        assert.equal(ready[0]?.headers.vary, 'Origin');
        assert.equal(ready[0]?.headers['x-other'], 'a: b');
        if (rest.includes('X-Closing')) assert.equal(ready[0]?.headers.connection, 'close');
      }
    }
  }
});

test('the response to a HEAD has the head of the response to a GET, and the next one follows', async (t) => {
  const port = await startBoth(t);
  const socketText = await fetch(`http://127.0.0.1:${port}/respond/200/1`, { method: 'HEAD' });
  assert.equal(socketText.headers.get('content-length'), `${Buffer.byteLength(BODIES[1] ?? '')}`);
  assert.equal(await socketText.text(), '');
  const next = await fetch(`http://127.0.0.1:${port}/respond/200/1`);
  assert.equal(await next.text(), BODIES[1]);
});

test('responses to requests that came at once are each sent, in their order', async (t) => {
  const port = await startBoth(t);
  const requests = Array.from(
    { length: 20 },
    (_, at) => `GET /respond/${200 + (at % 4)}/${at % 3} HTTP/1.1\r\nHost: a\r\n\r\n`,
  );
  const answers = await exchange(port, requests.join(''), { timeoutMs: 100 });
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body]),
    requests.map((_, at) => [200 + (at % 4), BODIES[at % 3]]),
  );
});

test('a header that no head may have is refused when its line is made', () => {
  assert.throws(() => headerLines(['location', '/pets/1\r\nset-cookie: a=b']), TypeError);
  assert.throws(() => headerLines(['loc ation', '/pets/1']), TypeError);
});
