import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { resetConnection } from '@petstore/http/reset-connection.ts';
import { collectGarbage } from '@petstore/service/collect-garbage.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { Webhook as Signer, WebhookVerificationError } from 'standardwebhooks';
import { readMetrics } from '../../../apps/petstore/test/support/metrics.ts';
import { startService } from '../../../apps/petstore/test/support/service.ts';
import {
  createPetstore,
  etagOf,
  PetstoreError,
  type PetstoreOptions,
  verifyWebhook,
} from '../src/client.ts';

async function start(t: TestContext, options: Partial<PetstoreOptions> = {}) {
  const service = await startService(t);
  const { origin, key } = service;
  return {
    ...service,
    petstore: createPetstore({ baseUrl: `${origin}/v1`, apiKey: key, ...options }),
  };
}

/** Asserts that a call rejects with an error of this code. */
async function refused(call: Promise<unknown>, code: string, status: number) {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof PetstoreError, String(error));
    assert.deepEqual([error.code, error.status], [code, status]);
    assert.ok(error.requestId && error.message.length > 10);
    return true;
  });
}

test('animals keep every digit, both ways', async (t) => {
  const { petstore, get } = await start(t);
  const { pets } = petstore;
  for (const categoryId of [9007199254740993n, 9223372036854775807n, -9223372036854775808n, 0n]) {
    const made = await pets.create({ name: 'Rex', categoryId });
    assert.deepEqual(made, { id: made.id, name: 'Rex', categoryId, status: 'available' });
    assert.deepEqual(await pets.get(made.id), made);
    const patched = await pets.update(made.id, { categoryId: categoryId / 2n });
    assert.equal(patched.categoryId, categoryId / 2n);
  }
  assert.match(await (await get('/pets/2')).text(), /"categoryId":4611686018427387903,/);
});

test('a query goes on over the pages, with every digit', async (t) => {
  const { petstore } = await start(t);
  for (let i = 0; i < 9; i++) {
    await petstore.pets.create({ name: i % 3 ? 'Ada' : 'Rex', categoryId: 9007199254740993n });
  }
  const ids: bigint[] = [];
  const filter = { name: { prefix: 'A' }, categoryId: [9007199254740993n], id: { from: 3n } };
  for await (const { id } of petstore.pets.query({ ...filter, limit: 2 })) ids.push(id);
  assert.deepEqual(ids, [3n, 5n, 6n, 8n, 9n]);
  await refused(petstore.pets.query({ limit: 0 }).next(), 'invalid_request', 400);
});

test('a list goes on over the pages, and no further than it is wanted', async (t) => {
  const { petstore } = await start(t);
  for (let i = 0; i < 25; i++) {
    await petstore.pets.create({
      name: `pet ${i}`,
      categoryId: 1n,
      status: i % 5 ? 'available' : 'sold',
    });
  }
  const ids: bigint[] = [];
  for await (const { id } of petstore.pets.list({ pageSize: 4 })) ids.push(id);
  assert.deepEqual(
    ids,
    Array.from({ length: 25 }, (_, i) => BigInt(i + 1)),
  );
  const sold = await Array.fromAsync(petstore.pets.list({ status: 'sold', pageSize: 2 }));
  assert.deepEqual(
    sold.map(({ id }) => id),
    [1n, 6n, 11n, 16n, 21n],
  );
  for await (const { id } of petstore.pets.list({ pageSize: 4 })) if (id === 6n) break;
  await refused(Array.fromAsync(petstore.pets.list({ pageSize: 1000 })), 'invalid_request', 400);
});

test('a guarded change goes through once', async (t) => {
  const { pets } = (await start(t)).petstore;
  const { id } = await pets.create({ name: 'Rex', categoryId: 1n });
  const read = await pets.get(id);
  assert.ok(etagOf(read));
  const changed = await pets.update(id, { name: 'Ada' }, { ifStill: read });
  await refused(pets.update(id, { name: 'Kim' }, { ifStill: read }), 'precondition_failed', 412);
  await refused(pets.remove(id, { ifStill: etagOf(read) ?? '' }), 'precondition_failed', 412);
  assert.throws(() => pets.update(id, {}, { ifStill: { id } }), TypeError);
  assert.equal(await pets.remove(id, { ifStill: changed }), undefined);
  await refused(pets.get(id), 'not_found', 404);
});

test('an order takes an animal from available to sold', async (t) => {
  const { pets, orders, categories } = (await start(t)).petstore;
  const dogs = await categories.create({ name: 'Dogs' });
  const { id } = await pets.create({ name: 'Rex', categoryId: dogs.id });
  const order = await orders.place(id);
  assert.deepEqual([order.petId, order.status], [id, 'placed']);
  await refused(orders.place(id), 'conflict', 409);
  assert.equal((await orders.complete(order.id)).status, 'completed');
  await refused(orders.cancel(order.id), 'invalid_transition', 409);
  assert.equal((await pets.get(id)).status, 'sold');
  assert.deepEqual(await Array.fromAsync(orders.list({ status: 'completed' })), [
    await orders.get(order.id),
  ]);
  await refused(categories.remove(dogs.id), 'conflict', 409);
  assert.equal((await categories.update(dogs.id, { name: 'Hounds' })).name, 'Hounds');
  assert.deepEqual(await Array.fromAsync(categories.list()), [{ id: dogs.id, name: 'Hounds' }]);
});

test('a wrong key is an error of its own', async (t) => {
  const { petstore } = await start(t, { apiKey: 'pk_live_no' });
  await refused(petstore.pets.get(1n), 'unauthorized', 401);
});

type Trouble = number | 'reset' | 'cut';

/** A server that answers with these statuses in turn, then with 200. */
async function flaky(t: TestContext, statuses: Trouble[], retryAfter?: string) {
  const seen: { method: string | undefined; at: number; key: string | string[] | undefined }[] = [];
  const server = createServer((request, response) => {
    const key = request.headers['idempotency-key'];
    seen.push({ method: request.method, at: performance.now(), key });
    request.resume();
    const status = statuses.shift() ?? 200;
    if (status === 'reset') return void resetConnection(request.socket);
    if (status === 'cut') {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"id":1,"name"');
      return void setImmediate(() => request.socket.destroySoon());
    }
    if (status !== 200 && retryAfter) response.setHeader('retry-after', retryAfter);
    response.writeHead(status);
    response.end(
      status === 200
        ? '{"id":1,"name":"Rex","categoryId":1,"status":"available"}'
        : JSON.stringify({ code: 'unavailable', message: 'Try again later on.', status }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => server.close());
  const { port } = server.address() as AddressInfo;
  return { seen, baseUrl: `http://127.0.0.1:${port}/v1` };
}

test('what may be repeated is repeated, after the wait that the service names', async (t) => {
  for (const trouble of [[503], [502, 408], ['reset'], ['cut'], [429]] as Trouble[][]) {
    const { seen, baseUrl } = await flaky(t, [...trouble], '1');
    const { pets } = createPetstore({ baseUrl, apiKey: 'x' });
    const begun = performance.now();
    assert.equal((await pets.get(1n)).name, 'Rex');
    assert.equal(seen.length, trouble.length + 1, String(trouble));
    const waited = performance.now() - begun;
    if (typeof trouble[0] === 'number') assert.ok(waited >= 990 * trouble.length, `${waited} ms`);
  }
});

test('a POST is sent again with the key of its first attempt, and no wait is longer than allowed', async (t) => {
  for (const trouble of [[503], ['reset'], ['cut'], [429], [409]] as Trouble[][]) {
    const { seen, baseUrl } = await flaky(t, trouble, '0');
    const { pets } = createPetstore({ baseUrl, apiKey: 'x' });
    assert.equal((await pets.create({ name: 'Rex', categoryId: 1n })).name, 'Rex');
    assert.equal(seen.length, 2);
    assert.match(String(seen[0]?.key), /^[\da-f-]{36}$/);
    assert.equal(seen[1]?.key, seen[0]?.key);
    await pets.create({ name: 'Rex', categoryId: 1n });
    assert.notEqual(seen[2]?.key, seen[0]?.key, 'another animal, another key');
  }
  const conflict = await flaky(t, [409]);
  const { pets } = createPetstore({ baseUrl: conflict.baseUrl, apiKey: 'x' });
  await assert.rejects(pets.create({ name: 'Rex', categoryId: 1n }), { status: 409 });
  assert.equal(conflict.seen.length, 1, 'what is refused for good is not sent again');
  const { seen, baseUrl } = await flaky(t, [503, 503], '3600');
  await assert.rejects(createPetstore({ baseUrl, apiKey: 'x' }).pets.get(1n), PetstoreError);
  assert.equal(seen.length, 1);
  const always = await flaky(t, Array(9).fill(503), '0');
  const impatient = createPetstore({
    baseUrl: always.baseUrl,
    apiKey: 'x',
    retry: { attempts: 3 },
  });
  await assert.rejects(impatient.pets.get(1n), { code: 'unavailable', status: 503 });
  assert.equal(always.seen.length, 3);
});

test('a POST whose operation takes no key is not sent again where the service may have done it', async (t) => {
  let sent = 0;
  const { petstore, get } = await start(t, {
    fetch: async (...request) => {
      const response = await fetch(...request);
      if (++sent === 1) throw new TypeError('the connection broke');
      return response;
    },
  });
  const { webhooks } = petstore;
  await assert.rejects(webhooks.create({ url: 'https://example.com/' }), TypeError);
  const made: unknown = await (await get('/webhooks')).json();
  assert.ok(Array.isArray(made));
  assert.equal(made.length, 1, 'a second one, and the first with a secret that nobody knows');
  const { seen, baseUrl } = await flaky(t, [429], '0');
  await createPetstore({ baseUrl, apiKey: 'x' }).webhooks.create({ url: 'https://example.com/' });
  assert.deepEqual(
    seen.map(({ key }) => key),
    [undefined, undefined],
    'what was not done is sent again',
  );
});

test('a patch that may have been done is not sent again', async (t) => {
  const { seen, baseUrl } = await flaky(t, [503]);
  const { pets } = createPetstore({ baseUrl, apiKey: 'x' });
  await assert.rejects(pets.update(1n, { name: 'Ada' }), { status: 503 });
  assert.equal(seen.length, 1);
});

test('after 429 every request of the client waits', async (t) => {
  const { seen, baseUrl } = await flaky(t, [429], '1');
  const { promise: isRefused, resolve: refuse } = Promise.withResolvers<void>();
  const { pets } = createPetstore({
    ...{ baseUrl, apiKey: 'x' },
    fetch: async (...request) => {
      const response = await fetch(...request);
      const read = new Response(await response.arrayBuffer(), response);
      refuse();
      return read;
    },
  });
  const first = pets.get(1n);
  await isRefused;
  // It is in memory: the client has read it within this turn.
  await new Promise(setImmediate);
  const refusedAt = seen[0]?.at ?? 0;
  await Promise.all([first, pets.get(2n), pets.get(3n)]);
  for (const { at } of seen.slice(1)) assert.ok(at - refusedAt >= 990, `${at - refusedAt} ms`);
});

test('what is read again is asked for with its entity tag', async (t) => {
  const statuses: number[] = [];
  const { petstore } = await start(t, {
    fetch: async (...request) => {
      const response = await fetch(...request);
      statuses.push(response.status);
      return response;
    },
  });
  const { pets } = petstore;
  for (let i = 0; i < 3; i++) await pets.create({ name: `pet ${i}`, categoryId: 1n });
  statuses.length = 0;
  const list = () => Array.fromAsync(pets.list({ pageSize: 2 }));
  const before = await list();
  assert.deepEqual(await list(), before);
  assert.deepEqual(statuses, [200, 200, 304, 304]);
  await pets.update(3n, { name: 'Ada' });
  assert.equal((await list()).at(-1)?.name, 'Ada');
  const read = await pets.get(3n);
  assert.equal(etagOf(await pets.get(3n)), etagOf(read), 'a 304 has the entity tag as well');
  assert.deepEqual(statuses, [200, 200, 304, 304, 200, 304, 200, 200, 304]);
});

test('an attempt that takes too long ends, also while garbage is collected', async (t) => {
  // The head alone is no response.
  const silent = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': 9 }).write('{');
  });
  const collecting = setInterval(collectGarbage, 10);
  cleanUp(t, () => clearInterval(collecting));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => {
    silent.closeAllConnections();
    silent.close();
  });
  const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`;
  const { pets } = createPetstore({ baseUrl, apiKey: 'x', timeoutMs: 100, retry: { attempts: 1 } });
  await assert.rejects(pets.get(1n), { name: 'TimeoutError' });
});

test('events go on over broken connections, and end with the loop', async (t) => {
  const { petstore, app, store } = await start(t);
  await petstore.pets.create({ name: 'Rex', categoryId: 9007199254740993n });
  const seen: string[] = [];
  for await (const event of petstore.events()) {
    seen.push(`${event.id} ${event.type}`);
    if (event.type === 'pet.created') assert.equal(event.data.categoryId, 9007199254740993n);
    if (seen.length === 1) {
      app.server.closeAllConnections();
      await store.pets.update(1n, { name: 'Max' });
    } else break;
  }
  assert.deepEqual(seen, ['1 pet.created', '2 pet.updated']);
  const signal = AbortSignal.timeout(50);
  for await (const _ of petstore.events({ after: 'latest', signal }))
    assert.fail('nothing happened');
  const lost = petstore.events({ after: '7' }).next();
  await assert.rejects(lost, { code: 'invalid_cursor' });
});

test('events from the latest on go on over a connection that breaks before the first', async (t) => {
  const { petstore, app, store, origin } = await start(t);
  const pet = { name: 'Rex', categoryId: 1n, status: 'available' } as const;
  for (const id of ['1', '2']) {
    const events = petstore.events({ after: 'latest' });
    const first = events.next();
    await timeUntil(async () => (await readMetrics(origin)).value('petstore_events_streams') === 1);
    app.server.closeAllConnections();
    await store.pets.create(pet);
    assert.equal((await first).value?.id, id);
    await events.return();
    await timeUntil(async () => (await readMetrics(origin)).value('petstore_events_streams') === 0);
  }
});

test('a delivery is verified, with every digit', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const body = '{"id":"1","type":"pet.created","data":{"id":9007199254740993}}';
  const at = new Date();
  const headers = {
    'Webhook-Id': 'wh_1.1',
    'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}`,
    'webhook-signature': new Signer(secret).sign('wh_1.1', at, body),
  };
  assert.equal(verifyWebhook(body, headers, secret).data.id, 9007199254740993n);
  assert.equal(verifyWebhook(body, new Headers(headers), secret).id, '1');
  assert.throws(() => verifyWebhook(`${body} `, headers, secret), WebhookVerificationError);
});
