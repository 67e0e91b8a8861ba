import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { BAD_HOSTS, GOOD_HOSTS, TRANSFER_CODINGS } from '@petstore/test-support/request-heads.ts';
import { assertError } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

const BODY = '{"name":"Rex","categoryId":1}';
const CHUNKS = `1d\r\n${BODY}\r\n0\r\n\r\n`;

/** Requests that are answered in front of the router once their credentials are known, and others. */
function requests(key: string) {
  const authorization = `Authorization: Bearer ${key}`;
  const json = `Content-Type: application/json\r\nContent-Length: ${BODY.length}`;
  return {
    list: ['GET', '/v1/pets', authorization, ''],
    pet: ['GET', '/v1/pets/1', authorization, ''],
    create: ['POST', '/v1/pets', `${authorization}\r\n${json}`, BODY],
    categories: ['GET', '/v1/categories', authorization, ''],
    nothing: ['GET', '/nothing', authorization, ''],
    live: ['GET', '/livez', 'Accept: */*', ''],
  } as const;
}

test('an invalid Host is a 400 on every way, and a valid one is not', async (t) => {
  const { port, key, get, post } = await startService(t);
  await post('/pets', BODY);
  for (let times = 0; times < 2; times++) {
    await get('/pets');
    await get('/pets/1');
  }
  const all = Object.entries(requests(key));
  const send = async (host: string) => {
    for (const [name, [method, target, headers, body]] of all) {
      const bytes = `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\nConnection: close\r\n\r\n${body}`;
      const answers = await exchange(port, bytes);
      assert.equal(answers.length, 1, `${name} ${host}`);
      if (GOOD_HOSTS.includes(host)) {
        const isGood = [200, 201].includes(answers[0]?.status ?? 0);
        assert.ok(isGood || name === 'nothing', `${name} ${host}: ${answers[0]?.status}`);
      } else await assertError(answers[0], 'invalid_request', /^Host must be a host name/);
    }
  };
  await Promise.all([...BAD_HOSTS, ...GOOD_HOSTS].map(send));
  // Without a wish about the connection, as the fast path has it.
  const keptOpen = BAD_HOSTS.map(async (host) => {
    for (const [method, target, headers, body] of Object.values(requests(key))) {
      const bytes = `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n\r\n${body}`;
      const answers = await exchange(port, bytes, { timeoutMs: 300 });
      await assertError(answers[0], 'invalid_request', /^Host must be a host name/);
    }
  });
  await Promise.all(keptOpen);
});

test('a target with a user, or with an invalid host, is a 400; its host goes before Host', async (t) => {
  const { port, key } = await startService(t);
  const ask = (authority: string) =>
    exchange(
      port,
      `GET http://${authority}/v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
    );
  for (const bad of ['user@a', 'user:word@a', 'a,b', '[::1', 'a:b', '']) {
    const [answer] = await ask(bad);
    await assertError(answer, 'invalid_request', /^The target must name a host/);
  }
  for (const good of ['a', 'b:80', '[::1]:80']) assert.equal((await ask(good))[0]?.status, 200);
});

test('each way to frame a body gets one response, and the connection closes where its end is in doubt', async (t) => {
  const { port, key, get } = await startService(t);
  const shapes = [
    'GET /v1/pets',
    'POST /v1/pets',
    'DELETE /v1/pets/9',
    'GET /nothing',
    'POST /livez',
  ];
  const play = async ([headers, expected]: (typeof TRANSFER_CODINGS)[number]) => {
    for (const shape of shapes) {
      const head = `${shape} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json`;
      for (const pieces of [
        `${head}\r\n${headers}\r\n\r\n${CHUNKS}`,
        [`${head}\r\n${headers}\r\n\r\n`, CHUNKS],
      ]) {
        const answers = await exchange(port, pieces, { timeoutMs: 500, pauseMs: 20 });
        const [answer] = answers;
        assert.equal(
          answers.length,
          1,
          `${shape} ${headers}: ${answers.map(({ status }) => status)}`,
        );
        if (expected === 'good') continue;
        await assertError(answer, expected === 501 ? 'not_implemented' : 'invalid_request');
        assert.equal(answer?.headers.connection, 'close', `${shape} ${headers}`);
      }
    }
  };
  await Promise.all(TRANSFER_CODINGS.map(play));
  const made = TRANSFER_CODINGS.filter(([, expected]) => expected === 'good').length * 2;
  assert.equal(((await (await get('/pets')).json()) as unknown[]).length, made);
});

test('more than one Content-Type is a 400, also when they are the same', async (t) => {
  const { port, key, get, post } = await startService(t);
  await post('/pets', BODY);
  for (const types of [
    ['application/json', 'application/json'],
    ['application/json', 'text/plain'],
    ['text/plain', 'application/json'],
    ['application/json, application/json'],
    ['application/json, text/plain'],
    ['application/json; charset=utf-8, x'],
  ]) {
    const lines = types.map((type) => `Content-Type: ${type}\r\n`).join('');
    const head = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${lines}`;
    const [answer] = await exchange(port, `${head}Content-Length: ${BODY.length}\r\n\r\n${BODY}`, {
      timeoutMs: 300,
    });
    await assertError(answer, 'invalid_request', /at most one Content-Type/);
  }
  assert.equal(((await (await get('/pets')).json()) as unknown[]).length, 1);
  const one = await post('/pets', BODY, { 'content-type': 'application/json; x="a, b"' });
  assert.equal(one.status, 201);
});

test('a request line that is too long is a 414 in however many packets, and headers are a 431', async (t) => {
  const { port, key } = await startService(t);
  const long = 'x'.repeat(6_000);
  const good = `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const post = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`;
  const line = ['GET /v1/pets?x=', long, long, long];
  const headers = ['GET /v1/pets HTTP/1.1\r\nHost: a\r\nX: ', long, long, long];
  const inPieces = ['GET ', '/v1/pets HTTP/1.1', '\r\n', 'GET: ', long, 'GET ', long, long];
  for (const before of [
    [],
    [good],
    [good, good],
    [post, BODY],
    [post, BODY.slice(0, 9), BODY.slice(9)],
  ]) {
    for (const [pieces, code] of [
      [line, 'uri_too_long'],
      [['G', 'E', 'T', ' ', '/', ...line.slice(1)], 'uri_too_long'],
      [['\r\n', ...line], 'uri_too_long'],
      [headers, 'headers_too_large'],
      [inPieces, 'headers_too_large'],
    ] as const) {
      const answers = await exchange(port, [...before, ...pieces], { pauseMs: 15 });
      await assertError(answers.at(-1), code);
    }
  }
});
