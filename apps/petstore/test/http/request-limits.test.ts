import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { assertError } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

const start = '{"name":"Rex","categoryId":1}';
const bodyOf = (bytes: number) => start + ' '.repeat(bytes - start.length);

function postHead(key: string, ...headers: string[]): string {
  return [
    'POST /v1/pets HTTP/1.1',
    'Host: a',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    ...headers,
    '\r\n',
  ].join('\r\n');
}

const chunk = (data: string) => `${data.length.toString(16)}\r\n${data}\r\n`;

test('a body of 64 KiB is taken, one byte more is a 413, and the connection lives on', async (t) => {
  const { post, get } = await startService(t);
  assert.equal((await post('/pets', bodyOf(65_536))).status, 201);
  await assertError(
    await post('/pets', bodyOf(65_537)),
    'payload_too_large',
    /^The body must be at most 65536 bytes long\.$/,
  );
  assert.equal(((await (await get('/pets')).json()) as unknown[]).length, 1);
});

test('a body over the limit is refused by its Content-Length before it is sent', async (t) => {
  const { port, key } = await startService(t);
  const [answer] = await exchange(port, postHead(key, 'Content-Length: 99999999999'), {
    timeoutMs: 300,
  });
  await assertError(answer, 'payload_too_large');
});

test('a chunked body over the limit is a 413 that the client gets to read while it sends', async (t) => {
  const { port, key, get } = await startService(t);
  const pieces = Array.from({ length: 64 }, () => chunk('x'.repeat(65_536)));
  const [answer] = await exchange(
    port,
    [postHead(key, 'Transfer-Encoding: chunked'), ...pieces, chunk('')],
    { pauseMs: 1, timeoutMs: 500 },
  );
  await assertError(answer, 'payload_too_large');
  assert.equal(await (await get('/pets')).text(), '[]');
});

test('a chunked body within the limit is taken', async (t) => {
  const { port, key } = await startService(t);
  const [answer] = await exchange(
    port,
    [
      postHead(key, 'Transfer-Encoding: chunked'),
      chunk(start.slice(0, 9)),
      chunk(start.slice(9)),
      chunk(''),
    ],
    { pauseMs: 5, timeoutMs: 200 },
  );
  assert.equal(answer?.status, 201);
});

test('a body shorter than its Content-Length is never stored', async (t) => {
  const { port, key, get } = await startService(t);
  const head = postHead(key, `Content-Length: ${start.length + 1}`);
  await exchange(port, head + start, { end: true, timeoutMs: 500 });
  await exchange(port, head + start, { timeoutMs: 100, isSilent: true });
  assert.equal(await (await get('/pets')).text(), '[]');
});

test('what a body has beyond its Content-Length is read as the next request and refused', async (t) => {
  const { port, key, get } = await startService(t);
  const [first, second] = await exchange(
    port,
    `${postHead(key, `Content-Length: ${start.length}`)}${start}${start}`,
  );
  assert.equal(first?.status, 201);
  await assertError(second, 'invalid_request', /not HTTP/);
  assert.equal(((await (await get('/pets')).json()) as unknown[]).length, 1);
});

test('two lengths, or a length beside chunks, are refused: a way to smuggle a request', async (t) => {
  const { port, key, get } = await startService(t);
  const smuggles = [
    ['Content-Length: 29', 'Content-Length: 30'],
    ['Content-Length: 29', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: gzip, chunked, gzip'],
    ['Content-Length: 0x1d'],
    ['Content-Length: -1'],
    ['Transfer-Encoding : chunked'],
  ];
  for (const headers of smuggles) {
    const [answer] = await exchange(port, postHead(key, ...headers) + start, { timeoutMs: 300 });
    await assertError(answer, 'invalid_request', /not HTTP/);
  }
  assert.equal(await (await get('/pets')).text(), '[]');
});

test('a body of another media type, charset or coding is a 415 that says what would do', async (t) => {
  const { post, call, get } = await startService(t);
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonx',
    'application/problem+json',
    'json',
    ';',
    '*/*',
  ];
  for (const type of types) {
    const answer = await post('/pets', start, { 'content-type': type });
    assert.equal(answer.headers.get('accept'), 'application/json');
    await assertError(
      answer,
      'unsupported_media_type',
      /send it with Content-Type: application\/json/,
    );
  }
  const untyped = await call('/pets', { method: 'POST', body: new Uint8Array(Buffer.from(start)) });
  await assertError(untyped, 'unsupported_media_type');
  const coded = await post('/pets', start, { 'content-encoding': 'gzip' });
  assert.equal(coded.headers.get('accept-encoding'), 'identity');
  await assertError(coded, 'unsupported_media_type', /without Content-Encoding/);
  assert.equal(await (await get('/pets')).text(), '[]');

  const good = ['APPLICATION/JSON', 'application/json;charset="UTF-8"', 'application/json; x=y'];
  for (const type of good) {
    assert.equal((await post('/pets', start, { 'content-type': type })).status, 201, type);
  }
});

test('no body at all is a 400', async (t) => {
  const { call, post } = await startService(t);
  const none = await call('/pets', { method: 'POST' });
  await assertError(none, 'invalid_request', /^The body must be a JSON object\.$/);
  await assertError(await post('/pets', ''), 'invalid_json', /empty/);
  for (const type of ['text/plain', 'rubbish', '']) {
    const untyped = await call('/pets', { method: 'POST', headers: { 'content-type': type } });
    await assertError(untyped, 'unsupported_media_type');
  }
});

test('a target of 8 KiB is taken, one byte more is a 414', async (t) => {
  const { get } = await startService(t);
  const prefix = '/v1/pets?x=';
  const pad = 'x'.repeat(8_192 - prefix.length);
  assert.equal((await get(`/pets?x=${pad}`)).status, 200);
  await assertError(
    await get(`/pets?x=${pad}x`),
    'uri_too_long',
    /^The request target must be at most 8192 bytes long\.$/,
  );
});

test('a request line beyond every limit is a 414, and headers beyond 16 KiB are a 431', async (t) => {
  const { port, key } = await startService(t);
  for (const size of [20_000, 2_000_000]) {
    const target = `GET /v1/pets?x=${'x'.repeat(size)} HTTP/1.1\r\nHost: a\r\n\r\n`;
    await assertError((await exchange(port, target))[0], 'uri_too_long');
    const headers = `GET /v1/pets HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(size)}\r\n\r\n`;
    await assertError(
      (await exchange(port, headers))[0],
      'headers_too_large',
      /at most 16384 bytes long together/,
    );
  }
  const fits = `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nX: ${'x'.repeat(16_000)}\r\n\r\n`;
  assert.equal((await exchange(port, fits, { timeoutMs: 200 }))[0]?.status, 200);
});
