import assert from 'node:assert/strict';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import { assertError } from '../support/assert-error.ts';
import { type Service, startService } from '../support/service.ts';

const NOON = Date.parse('2026-11-21T12:00:00.000Z');

const addPet = ({ post }: Service, status = 'available') =>
  post('/pets', `{"name":"Rex","categoryId":1,"status":"${status}"}`);

const order = ({ post }: Service, petId: number | string) =>
  post('/store/orders', `{"petId":${petId}}`);

const end = ({ call }: Service, id: number | string, verb: string, init: RequestInit = {}) =>
  call(`/store/orders/${id}/${verb}`, { method: 'POST', ...init });

const statusOf = async ({ get }: Service, id: number) =>
  ((await (await get(`/pets/${id}`)).json()) as { status: string }).status;

test('an order holds its animal until it is completed or cancelled', async (t) => {
  let now = NOON;
  const service = await startService(t, { now: () => now });
  const { get, origin } = service;
  await addPet(service);
  const placed = await order(service, 1);
  assert.equal(placed.status, 201);
  assert.equal(placed.headers.get('location'), `${origin}/v1/store/orders/1`);
  const noon = '2026-11-21T12:00:00.000Z';
  const text = `{"id":1,"petId":1,"status":"placed","placedAt":"${noon}","updatedAt":"${noon}"}`;
  assert.equal(await placed.text(), text);
  assert.equal(await (await get('/store/orders/1')).text(), text);
  assert.equal(await statusOf(service, 1), 'pending');

  now += 61_001;
  const completed = await end(service, 1, 'complete');
  assert.equal(completed.status, 200);
  const after = text
    .replace('placed"', 'completed"')
    .replace(/[^"]*"\}$/, '2026-11-21T12:01:01.001Z"}');
  assert.equal(await completed.text(), after);
  assert.equal(await (await get('/store/orders/1')).text(), after);
  assert.equal(completed.headers.get('etag'), (await get('/store/orders/1')).headers.get('etag'));
  assert.equal(await statusOf(service, 1), 'sold');

  await addPet(service);
  await order(service, 2);
  assert.match(await (await end(service, 2, 'cancel')).text(), /"status":"cancelled"/);
  assert.equal(await statusOf(service, 2), 'available');
  assert.equal((await order(service, 2)).status, 201, 'it can be ordered again');
});

test('only an available animal can be ordered', async (t) => {
  const service = await startService(t);
  for (const [at, status] of ['pending', 'sold'].entries()) {
    await addPet(service, status);
    const message = new RegExp(
      `^The animal is ${status}\\. Only an available one can be ordered\\.$`,
    );
    await assertError(await order(service, at + 1), 'conflict', message);
    assert.equal(await statusOf(service, at + 1), status);
  }
  await assertError(await order(service, 3), 'not_found', /^No animal has the id that petId names/);
  await assertError(await order(service, '"1"'), 'invalid_request', /^petId must be an integer/);
  await assertError(await service.post('/store/orders', '{}'), 'invalid_request', /^petId is requ/);
  assert.equal(await (await service.get('/store/orders')).text(), '[]');
});

test('an order ends once', async (t) => {
  const service = await startService(t);
  await addPet(service);
  for (const [verb, status] of [
    ['cancel', 'cancelled'],
    ['complete', 'completed'],
  ] as const) {
    const id = (/\d+$/.exec((await order(service, 1)).headers.get('location') ?? '') ?? [''])[0];
    const answers = await Promise.all(Array.from({ length: 10 }, () => end(service, id, verb)));
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, ...Array(9).fill(409)]);
    for (const again of ['cancel', 'complete']) {
      await assertError(
        await end(service, id, again),
        'invalid_transition',
        new RegExp(`^The order is ${status} already\\.`),
      );
    }
  }
  for (const id of [3, 'x']) {
    await assertError(await end(service, id, 'cancel'), 'not_found', /^No order has this id\.$/);
    await assertError(await service.get(`/store/orders/${id}`), 'not_found');
  }
});

test('to end an order asks for no body, and minds none', async (t) => {
  const service = await startService(t);
  const headers = { 'content-type': 'application/json' };
  const bodies: RequestInit[] = [
    {},
    { headers },
    { headers, body: '{}' },
    { headers, body: '{"a":1}' },
  ];
  for (const [at, init] of bodies.entries()) {
    await addPet(service);
    await order(service, at + 1);
    assert.equal((await end(service, at + 1, 'complete', init)).status, 200);
  }
});

test('orders are listed in pages, by status if asked', async (t) => {
  const service = await startService(t);
  for (let id = 1; id <= 6; id++) {
    await addPet(service);
    await order(service, id);
    if (id % 2 === 0) await end(service, id, 'cancel');
  }
  const ids = async (path: string) => {
    const answer = await service.get(path);
    return ((await answer.json()) as { id: number }[]).map(({ id }) => id);
  };
  assert.deepEqual(await ids('/store/orders'), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(await ids('/store/orders?status=cancelled'), [2, 4, 6]);
  const page = await service.get('/store/orders?status=placed&limit=2');
  const next = /\/v1([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
  assert.match(next, /^\/store\/orders\?limit=2&status=placed&cursor=/);
  assert.deepEqual(await ids(next), [5]);
  await assertError(
    await service.get('/store/orders?status=open'),
    'invalid_request',
    /placed, comp/,
  );
  await assertError(await service.get('/store/orders?limit=101'), 'invalid_request');
});
