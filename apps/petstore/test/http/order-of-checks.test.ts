import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { assertError } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

// Each request is wrong in every way that comes later, so a check that moved would answer instead.

const noKey = { authorization: '' };
const badBody = { method: 'POST', body: '{', headers: { ...noKey, 'content-type': 'text/plain' } };

test('an unknown path is a 404 before anything else', async (t) => {
  const { call, origin } = await startService(t);
  const paths = [
    '/nothing',
    '/pets/',
    '/pets/1/',
    '/pets/?limit=1',
    '/pets/%zz',
    '/pets/%ff',
    '/pets/1/toys',
    '/Pets',
    '/pets//1',
    '/store/order',
    '/pet s',
  ];
  for (const path of paths) {
    await assertError(
      await call(path, badBody),
      'not_found',
      /^Nothing is at this path\. \/v1\/openapi\.json lists the paths\./,
    );
    await assertError(await call(path, { method: 'DELETE', headers: noKey }), 'not_found');
  }
  await assertError(await fetch(`${origin}/v2/pets`), 'not_found');
  const json = { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } };
  await assertError(await call('/nothing', json), 'not_found');
});

test('a wrong method is a 405 with Allow, before the key and the body are looked at', async (t) => {
  const { call, port } = await startService(t);
  const cases = [
    ['/pets', ['PUT', 'PATCH', 'DELETE', 'OPTIONS'], 'GET, HEAD, POST, QUERY'],
    ['/pets/1', ['PUT', 'OPTIONS', 'POST'], 'DELETE, GET, HEAD, PATCH'],
    ['/store/orders/1/cancel', ['DELETE', 'PUT'], 'POST'],
    ['/openapi.json', ['POST'], 'GET, HEAD'],
    ['/%70ets', ['PUT'], 'GET, HEAD, POST, QUERY'],
    ['/../reference/assets/a.js', ['PUT'], 'GET, HEAD'],
  ] as const;
  for (const [path, methods, allow] of cases) {
    for (const method of methods) {
      const answer = await call(path, { ...badBody, method });
      assert.equal(answer.headers.get('allow'), allow);
      await assertError(
        answer,
        'method_not_allowed',
        new RegExp(`^${method} is not allowed here; use ${allow}\\.$`),
      );
    }
  }
  for (const method of ['TRACE', 'PROPFIND', 'SEARCH', 'PURGE', 'M-SEARCH']) {
    const bytes = `${method} /v1/pets HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const [answer] = await exchange(port, bytes);
    assert.equal(answer?.headers.allow, 'GET, HEAD, POST, QUERY');
    await assertError(answer, 'method_not_allowed');
  }
});

test('a bad key is a 401 before the body, its type and its size are looked at', async (t) => {
  const { call } = await startService(t);
  await assertError(await call('/pets', badBody), 'unauthorized');
  await assertError(await call('/pets', { ...badBody, body: 'x'.repeat(70_000) }), 'unauthorized');
  await assertError(await call('/pets?limit=0', { headers: noKey }), 'unauthorized');
  await assertError(await call('/pets/rex', { headers: noKey }), 'unauthorized');
});

test('a missing scope is a 403 after the key, and before the body, its type and its size are looked at', async (t) => {
  const { call } = await startService(t, { scopes: ['pets:read'] });
  const headers = { 'content-type': 'text/plain' };
  await assertError(await call('/pets', badBody), 'unauthorized');
  await assertError(await call('/pets', { ...badBody, headers }), 'forbidden');
  await assertError(
    await call('/pets', { ...badBody, headers, body: 'x'.repeat(70_000) }),
    'forbidden',
  );
  await assertError(await call('/store/orders?limit=0'), 'forbidden');
  await assertError(await call('/store/orders/none'), 'forbidden');
  await assertError(await call('/store/orders', { method: 'PUT' }), 'method_not_allowed');
});

test('of a body, the size comes before the type, the type before the text', async (t) => {
  const { post } = await startService(t);
  const text = { 'content-type': 'text/plain' };
  await assertError(await post('/pets', 'x'.repeat(70_000), text), 'payload_too_large');
  await assertError(await post('/pets', '{', text), 'unsupported_media_type');
  await assertError(await post('/pets', '{'), 'invalid_json');
  await assertError(await post('/pets', '{}'), 'invalid_request');
});

test('a target in absolute form is the same as its path', async (t) => {
  const { port, key } = await startService(t);
  const send = async (target: string) =>
    (
      await exchange(
        port,
        `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
      )
    )[0];
  assert.equal((await send('http://a/v1/pets?limit=1'))?.status, 200);
  await assertError(await send('http:///v1/pets'), 'invalid_request', /must name a host/);
  assert.equal((await send('HTTPS://a:8080/v1/pets'))?.status, 200);
  await assertError(await send('http://a/v1/pets/1'), 'not_found', /No animal/);
  for (const root of ['http://a', 'http://a?x=/v1/pets']) {
    const answer = await send(root);
    assert.deepEqual([answer?.status, answer?.headers.location], [302, '/reference']);
  }
  await assertError(await send('*'), 'not_found', /Nothing/);
});
