import assert from 'node:assert/strict';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import { assertError } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

async function withPets(t: import('node:test').TestContext, count: number) {
  const service = await startService(t);
  const statuses = ['available', 'pending', 'sold'] as const;
  for (let i = 0; i < count; i++) {
    await service.store.pets.create({
      name: `pet ${i}`,
      categoryId: BigInt(i),
      status: statuses[i % 3] ?? 'sold',
    });
  }
  return service;
}

async function ids(answer: Response): Promise<number[]> {
  const pets = (await answer.json()) as { id: number }[];
  return pets.map(({ id }) => id);
}

test('an empty store is an empty array without a Link', async (t) => {
  const { get } = await startService(t);
  const answer = await get('/pets');
  assert.equal(answer.status, 200);
  assert.equal(await answer.text(), '[]');
  assert.equal(answer.headers.get('link'), null);
});

test('a page holds 20 animals unless limit says otherwise, in ascending order of id', async (t) => {
  const { get } = await withPets(t, 101);
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
  assert.deepEqual(await ids(await get('/pets')), upTo(20));
  assert.deepEqual(await ids(await get('/pets?limit=1')), upTo(1));
  assert.deepEqual(await ids(await get('/pets?limit=100')), upTo(100));
});

test('an animal in a list has exactly the members of Pet', async (t) => {
  const { get } = await withPets(t, 1);
  const answer = await get('/pets');
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json\b/);
  assert.equal(
    await answer.text(),
    '[{"id":1,"name":"pet 0","categoryId":0,"status":"available"}]',
  );
});

test('limit outside 1 to 100, or not written as a decimal integer, is a 400 that names it', async (t) => {
  const { get } = await startService(t);
  const wrong = [
    '0',
    '101',
    '-1',
    '-0',
    '1e1',
    '0x10',
    '%2B5',
    '5.0',
    '',
    '%205',
    '05',
    'ten',
    '٥',
    '9223372036854775808',
    '99999999999999999999999',
  ];
  for (const value of wrong) {
    await assertError(
      await get(`/pets?limit=${value}`),
      'invalid_request',
      /^limit must be an integer from 1 to 100\.$/,
    );
  }
  await assertError(
    await get('/pets?limit=5&limit=5'),
    'invalid_request',
    /^limit must be given once\.$/,
  );
});

test('status shows only animals of that status; an unknown one is a 400 that lists the known', async (t) => {
  const { get } = await withPets(t, 9);
  assert.deepEqual(await ids(await get('/pets?status=available')), [1, 4, 7]);
  assert.deepEqual(await ids(await get('/pets?status=pending')), [2, 5, 8]);
  assert.deepEqual(await ids(await get('/pets?status=sold')), [3, 6, 9]);
  for (const value of ['SOLD', '', 'sold,pending', 'available%00', 'gone']) {
    await assertError(
      await get(`/pets?status=${value}`),
      'invalid_request',
      /^status must be one of available, pending, sold\.$/,
    );
  }
  await assertError(
    await get('/pets?status=x&limit=0'),
    'invalid_request',
    /^limit must be .*; status must be .*\.$/,
  );
});

test('query parameters that the interface does not name are ignored', async (t) => {
  const { get } = await withPets(t, 2);
  assert.deepEqual(await ids(await get('/pets?page=7&__proto__=x&utm_source=y')), [1, 2]);
});

test('HEAD responds like GET without a body', async (t) => {
  const { call } = await withPets(t, 3);
  const answer = await call('/pets?limit=2', { method: 'HEAD' });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('link') ?? '', /rel="next"/);
  assert.equal(await answer.text(), '');
});
