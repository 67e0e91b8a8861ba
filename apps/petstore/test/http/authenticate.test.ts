import assert from 'node:assert/strict';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { generateKey, hashKey } from '../../src/keys/key.ts';
import { assertError } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

const OPERATIONS: [string, string][] = [
  ['GET', '/v1/pets'],
  ['POST', '/v1/pets'],
  ['GET', '/v1/pets/1'],
];

test('every operation refuses a request without a key, with a challenge', async (t) => {
  const { origin } = await startService(t);
  for (const [method, path] of OPERATIONS) {
    const answer = await fetch(origin + path, { method });
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    await assertError(answer, 'unauthorized', /send Authorization: Bearer <API_KEY>\.$/);
  }
});

test('credentials that are not one bearer key are a 401', async (t) => {
  const { port, key } = await startService(t);
  const wrong = [
    'Authorization: Bearer',
    'Authorization: Bearer ',
    'Authorization:',
    `Authorization: ${key}`,
    `Authorization: Basic ${key}`,
    `Authorization: Bearer${key}`,
    `Authorization: Bearer ${key} ${key}`,
    `Authorization: Bearer "${key}"`,
    `Authorization: Bearer ${key},`,
    `Authorization: Bearer ${key}\r\nAuthorization: Bearer ${key}`,
    `Authorization: Bearer ${key}\r\nauthorization: Basic x`,
    `Proxy-Authorization: Bearer ${key}`,
    `X: Authorization: Bearer ${key}`,
  ];
  for (const header of wrong) {
    const request = `GET /v1/pets HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${header}\r\n\r\n`;
    const [answer] = await exchange(port, request);
    assert.equal(answer?.headers['www-authenticate'], 'Bearer', header);
    await assertError(answer, 'unauthorized');
  }
});

test('the key is not taken from anywhere but the header', async (t) => {
  const { origin, key } = await startService(t);
  for (const query of [`access_token=${key}`, `api_key=${key}`]) {
    await assertError(await fetch(`${origin}/v1/pets?${query}`), 'unauthorized');
  }
});

test('a key that was never created, or differs in one character, is a 401', async (t) => {
  const { call, key } = await startService(t);
  const other = generateKey('never stored', 'production', new Date()).key;
  const typo = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
  const wrong = [
    other,
    typo,
    key.toUpperCase(),
    key.slice(1),
    `${key}0`,
    'x',
    'pk_live_',
    '0'.repeat(9_000),
  ];
  for (const token of wrong) {
    const answer = await call('/pets', { headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    await assertError(answer, 'unauthorized', /not valid here, has expired, or was revoked/);
  }
});

test('a key whose checksum does not fit is refused even where its hash is stored', async (t) => {
  const { call, store } = await startService(t);
  const made = generateKey('x', 'production', new Date());
  const typo = made.key.slice(0, -1) + (made.key.endsWith('0') ? '1' : '0');
  await store.keys.add({ ...made, hash: hashKey(typo) });
  const answer = await call('/pets', { headers: { authorization: `Bearer ${typo}` } });
  await assertError(answer, 'unauthorized');
});

test('the scheme is compared without case', async (t) => {
  const { call, key } = await startService(t);
  for (const scheme of ['bearer', 'BEARER', 'bEaReR ']) {
    const answer = await call('/pets', { headers: { authorization: `${scheme} ${key}` } });
    assert.equal(answer.status, 200);
  }
});

test('a staging key is a 401 in production, and the other way round', async (t) => {
  const production = await startService(t);
  const staging = await startService(t, { config: { environment: 'staging' } });
  assert.match(production.key, /^pk_live_/);
  assert.match(staging.key, /^pk_test_/);
  for (const service of [production, staging]) {
    assert.equal((await service.get('/pets')).status, 200);
    // Stored here, and still not of this environment.
    const foreign = generateKey('x', service === staging ? 'production' : 'staging', new Date());
    await service.store.keys.add(foreign);
    const answer = await service.call('/pets', {
      headers: { authorization: `Bearer ${foreign.key}` },
    });
    await assertError(answer, 'unauthorized');
  }
});

test('a revoked key is refused from the next request on', async (t) => {
  const { get, store } = await startService(t);
  assert.equal((await get('/pets')).status, 200);
  const [record] = await store.keys.list();
  assert.equal(await store.keys.revoke(record?.id ?? '', new Date()), 'revoked');
  await assertError(await get('/pets'), 'unauthorized');
});
