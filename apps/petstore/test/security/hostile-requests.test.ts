import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { assertTook } from '@petstore/test-support/within.ts';
import { startService } from '../support/service.ts';

const DOG = '{"name":"Rex","categoryId":1}';

test('what stands behind a request whose end is in doubt is not read as another one', async (t) => {
  const { port, key, get } = await startService(t);
  const lines = [
    'Host: a',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    'Connection: keep-alive',
  ].join('\r\n');
  const smuggled = `POST /v1/pets HTTP/1.1\r\n${lines}\r\nContent-Length: ${DOG.length}\r\n\r\n${DOG}`;
  const requests = [
    ['POST /v1/pets HTTP/1.1', 'Transfer-Encoding: identity, chunked'],
    ['POST /v1/pets HTTP/1.1', 'Transfer-Encoding: gzip, chunked'],
    ['POST /nothing HTTP/1.1', 'Transfer-Encoding: identity, chunked'],
    ['DELETE /v1/pets/1 HTTP/1.0', 'Transfer-Encoding: chunked'],
    ['GET /livez HTTP/1.0', 'Transfer-Encoding: chunked'],
    ['POST /v1/pets HTTP/1.1', 'Transfer-Encoding: chunked\r\nContent-Length: 5'],
    ['POST /v1/pets HTTP/1.1', 'Content-Length: 5\r\nTransfer-Encoding: chunked'],
    ['POST /v1/pets HTTP/1.1', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: x'],
    ['POST /v1/pets HTTP/1.1', 'Transfer-Encoding:\r\n chunked\r\nContent-Length: 5'],
    ['POST /v1/pets HTTP/1.1', 'Transfer-Encoding : chunked\r\nContent-Length: 5'],
    ['POST /v1/pets HTTP/1.1', 'Transfer-Encoding: \u000bchunked\r\nContent-Length: 5'],
    ['POST /v1/pets HTTP/1.1', 'Content-Length: +5'],
    ['POST /v1/pets HTTP/1.1', 'Content-Length: 5, 5'],
    ['POST /v1/pets HTTP/1.1', 'X: a\nContent-Length: 5'],
  ];
  for (const [line, framing] of requests) {
    const bytes = `${line}\r\n${lines}\r\n${framing}\r\n\r\n0\r\n\r\n${smuggled}`;
    const answers = await exchange(port, bytes, { timeoutMs: 300 });
    assert.equal(answers.length, 1, `${line}, ${framing}`);
    assert.equal(answers[0]?.headers.connection, 'close', `${line}, ${framing}`);
  }
  assert.equal(await (await get('/pets')).text(), '[]');
});

test('addresses in responses are the configured ones, whatever a request says of its host', async (t) => {
  const baseUrl = 'https://api.example.com/v1';
  const { port, key, post } = await startService(t, { config: { baseUrl } });
  for (let i = 0; i < 2; i++) await post('/pets', DOG);
  const lies = [
    'Host: evil.example',
    'X-Forwarded-Host: evil.example',
    'X-Forwarded-Proto: gopher',
    'X-Forwarded-Prefix: /evil',
    'Forwarded: host=evil.example',
    'X-Original-URL: /evil',
    `Authorization: Bearer ${key}`,
  ].join('\r\n');
  for (const target of ['/v1/pets?limit=1', 'http://evil.example/v1/pets?limit=1', '/v1/pets/1']) {
    for (let i = 0; i < 3; i++) {
      const [answer] = await exchange(port, `GET ${target} HTTP/1.1\r\n${lies}\r\n\r\n`, {
        timeoutMs: 100,
      });
      assert.equal(answer?.status, 200);
      assert.ok(answer.headers.link?.startsWith(`<${baseUrl}/pets`), answer.headers.link);
      assert.doesNotMatch(JSON.stringify(answer), /evil/);
    }
  }
  const made = `POST /v1/pets HTTP/1.1\r\n${lies}\r\nContent-Type: application/json\r\nContent-Length: ${DOG.length}\r\n\r\n${DOG}`;
  const [answer] = await exchange(port, made, { timeoutMs: 100 });
  assert.equal(answer?.headers.location, `${baseUrl}/pets/3`);
});

test('a method is what the request line says, whatever headers and parameters say', async (t) => {
  const { call, get, post } = await startService(t);
  await post('/pets', DOG);
  for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override']) {
    const answer = await call('/pets/1?_method=DELETE', { headers: { [name]: 'DELETE' } });
    assert.equal(answer.status, 200, name);
  }
  assert.equal((await get('/pets/1')).status, 200);
});

test('no path leads to a file, and no name to what every object has', async (t) => {
  const { port, key } = await startService(t);
  const paths = [
    '/reference/../../../etc/passwd',
    '/reference/..%2f..%2fpackage.json',
    '/reference/%2e%2e/%2e%2e/package.json',
    '/_assets/site-0123456789abcdef.js%00.html',
    '/reference/..\\..\\package.json',
    '/reference/__proto__-0123456789abcdef.js',
    '/errors/__proto__',
    '/errors/constructor',
    '/errors/..%2f..%2fpackage.json',
    '//etc/passwd',
    '/v1/pets/__proto__',
    '/v1/../v1/pets',
    '/V1/pets',
  ];
  for (const path of paths) {
    const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`;
    const [answer] = await exchange(port, request);
    assert.equal(answer?.status, 404, path);
  }
});

test('no header takes longer to read for being written to take long', async (t) => {
  const { origin, key } = await startService(t);
  const many = 15_000;
  const hostile: [string, string, string][] = [
    ['/llms.txt', 'accept-encoding', `a${' '.repeat(many)}b`],
    ['/llms.txt', 'accept-encoding', ','.repeat(many)],
    ['/llms.txt', 'accept-encoding', `gzip;q=0.${'0'.repeat(many)}x`],
    ['/llms.txt', 'if-none-match', `"a${' '.repeat(many)}b`],
    ['/v1/pets', 'if-none-match', 'W/"a",'.repeat(many / 6)],
    ['/v1/pets', 'authorization', `Bearer ${' '.repeat(many)}!`],
    ['/v1/pets', 'authorization', `Bearer a${'='.repeat(many)}!`],
    ['/v1/pets', 'origin', `http://${'a'.repeat(many)}`],
    ['/v1/pets', 'x-request-id', `${'a'.repeat(many)}!`],
  ];
  for (const [path, name, value] of hostile) {
    const ask = async (headers: Record<string, string>) => {
      const start = performance.now();
      await fetch(origin + path, { headers: { authorization: `Bearer ${key}`, ...headers } });
      return performance.now() - start;
    };
    await ask({ [name]: value });
    // Of several, the quickest: whatever else the machine does is not what is looked for.
    const times = [];
    for (let i = 0; i < 5; i++) times.push(await ask({ [name]: value }));
    await assertTook(Math.min(...times), 100, `${name}: ${value.slice(0, 10)}…`);
  }
});

test('what a client writes cannot make a line of its own in the log', async (t) => {
  const { call, origin, logged } = await startService(t, { config: { logLevel: 'trace' } });
  const forged = '\\n{"level":"error","msg":"forged"}\u001b[31m'.replaceAll('\u001b', '%1b');
  await call(`/pets/${encodeURIComponent('\n{"level":50,"msg":"forged"}')}`);
  await call(`/pets?status=${encodeURIComponent('\r\n{"msg":"forged"}')}`);
  await fetch(`${origin}/${encodeURIComponent(forged)}`, {
    headers: { 'x-request-id': forged, traceparent: forged, 'user-agent': forged },
  });
  assert.ok(logged.length >= 3);
  for (const line of logged) {
    assert.match(line, /^[^\n]*\n$/);
    const { msg } = JSON.parse(line) as { msg: string };
    assert.doesNotMatch(msg, /forged/);
  }
});
