import assert from 'node:assert/strict';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import { assertError } from '../support/assert-error.ts';
import { type Service, startService } from '../support/service.ts';

const add = ({ post }: Service, name: string) => post('/categories', JSON.stringify({ name }));

const rename = ({ call }: Service, id: number, body: string, headers = {}) =>
  call(`/categories/${id}`, {
    method: 'PATCH',
    body,
    headers: { 'content-type': 'application/merge-patch+json', ...headers },
  });

test('a category is added, read, renamed and deleted', async (t) => {
  const service = await startService(t);
  const { get, call, origin } = service;
  const made = await add(service, 'Dogs');
  assert.deepEqual([made.status, await made.text()], [201, '{"id":1,"name":"Dogs"}']);
  assert.equal(made.headers.get('location'), `${origin}/v1/categories/1`);
  const read = await get('/categories/1');
  assert.equal(await read.text(), '{"id":1,"name":"Dogs"}');
  const etag = read.headers.get('etag') ?? '';
  assert.equal((await call('/categories/1', { headers: { 'if-none-match': etag } })).status, 304);

  const renamed = await rename(service, 1, '{"name":"Hounds 🐕"}', { 'if-match': etag });
  assert.equal(await renamed.text(), '{"id":1,"name":"Hounds 🐕"}');
  const stale = await rename(service, 1, '{"name":"Dogs"}', { 'if-match': etag });
  await assertError(stale, 'precondition_failed');
  assert.equal(await (await get('/categories')).text(), '[{"id":1,"name":"Hounds 🐕"}]');

  assert.equal((await call('/categories/1', { method: 'DELETE' })).status, 204);
  for (const gone of [
    await get('/categories/1'),
    await rename(service, 1, '{}'),
    await call('/categories/1', { method: 'DELETE' }),
    await get('/categories/x'),
  ]) {
    await assertError(gone, 'not_found', /^No category has this id\.$/);
  }
  assert.match(await (await add(service, 'Dogs')).text(), /^\{"id":2,/, 'no id is given twice');
});

test('no two names are the same but for their case', async (t) => {
  const service = await startService(t);
  const taken = /^Another category has this name/;
  const same = [
    ['Dogs', 'dogs', 'DOGS'],
    ['Straße', 'STRASSE', 'strasse', 'STRAẞE'],
    ['Σκύλος', 'ΣΚΎΛΟΣ', 'σκύλοσ'],
    ['Caf\u00e9', 'Cafe\u0301', 'CAFÉ'],
  ];
  const ids: number[] = [];
  for (const [first = '', ...others] of same) {
    const made = await add(service, first);
    assert.equal(made.status, 201);
    ids.push(((await made.json()) as { id: number }).id);
    for (const other of others) await assertError(await add(service, other), 'conflict', taken);
  }
  for (const different of ['Dog s', 'Dogs ', 'Cafe', 'ＤＯＧＳ']) {
    assert.equal((await add(service, different)).status, 201, different);
  }
  await assertError(await rename(service, ids[1] ?? 0, '{"name":"dOGS"}'), 'conflict', taken);
  const own = await rename(service, 1, '{"name":"DOGS"}');
  assert.equal(await own.text(), '{"id":1,"name":"DOGS"}', 'its own name in another case');

  const race = await Promise.all(
    Array.from({ length: 30 }, (_, i) => add(service, i % 2 ? 'Cats' : 'CATS')),
  );
  assert.deepEqual(race.map(({ status }) => status).sort(), [201, ...Array(29).fill(409)]);
});

test('a category that animals are in stays; an animal may name one that is not there', async (t) => {
  const service = await startService(t);
  const { post, call } = service;
  await add(service, 'Dogs');
  assert.equal((await post('/pets', '{"name":"Rex","categoryId":1}')).status, 201);
  assert.equal((await post('/pets', '{"name":"Kim","categoryId":404}')).status, 201);
  await assertError(
    await call('/categories/1', { method: 'DELETE' }),
    'conflict',
    /^Animals are in this category\. Move them to another one first\.$/,
  );
  await call('/pets/1', { method: 'DELETE' });
  assert.equal((await call('/categories/1', { method: 'DELETE' })).status, 204);
});

test('categories are listed in pages, and a wrong name is refused', async (t) => {
  const service = await startService(t);
  for (let i = 0; i < 5; i++) await add(service, `category ${i}`);
  const first = await service.get('/categories?limit=3');
  assert.deepEqual(
    ((await first.json()) as { id: number }[]).map(({ id }) => id),
    [1, 2, 3],
  );
  const next = /\/v1([^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const last = await service.get(next);
  assert.deepEqual(
    ((await last.json()) as { id: number }[]).map(({ id }) => id),
    [4, 5],
  );
  assert.equal(last.headers.get('link'), null);
  await assertError(await service.get('/categories?limit=0'), 'invalid_request');
  await assertError(await service.get('/categories?cursor=x'), 'invalid_cursor');
  for (const body of ['{}', '{"name":""}', '{"name":"a\\u0000"}', '{"name":5}', '[]']) {
    await assertError(await service.post('/categories', body), 'invalid_request');
  }
});
