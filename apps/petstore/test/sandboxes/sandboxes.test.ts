import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import type { Config } from '../../src/config.ts';
import { assertError } from '../support/assert-error.ts';
import { type Service, startService } from '../support/service.ts';

const NOON = Date.parse('2026-11-21T12:00:00.000Z');
const MINUTE_MS = 60_000;

interface Made {
  readonly id: string;
  readonly key: string;
  readonly seed: number;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** A service whose clock the test moves. */
async function start(t: TestContext, config: Partial<Config> = {}) {
  const clock = { now: NOON };
  const service = await startService(t, { config, now: () => clock.now });
  const make = (body: object = {}, headers: Record<string, string> = {}) =>
    fetch(`${service.origin}/v1/sandboxes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const made = async (body: object = {}): Promise<Made> => {
    const answer = await make(body);
    assert.equal(answer.status, 201);
    return (await answer.json()) as Made;
  };
  return { ...service, clock, make, made };
}

/** Calls of a sandbox. */
function withKey({ origin }: Pick<Service, 'origin'>, key: string) {
  return (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    fetch(`${origin}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
}

test('whoever asks gets a store of their own, with data from a seed, and nothing else moves', async (t) => {
  const service = await start(t);
  await service.post('/pets', '{"name":"Own","categoryId":1}');
  const answer = await service.make({ seed: 200, name: 'Übung 🐈' });
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.equal(answer.headers.get('location'), `${service.origin}/v1/sandbox`);
  const { id, key, ...rest } = (await answer.json()) as Made;
  assert.match(id, /^sbx_[0-9a-f]{16}$/);
  assert.match(key, /^pk_sand_\w{38}$/);
  assert.deepEqual(rest, {
    ...{ name: 'Übung 🐈', seed: 200 },
    ...{ createdAt: '2026-11-21T12:00:00.000Z', expiresAt: '2026-11-21T13:00:00.000Z' },
  });
  const call = withKey(service, key);
  const first = await call('GET', '/pets');
  const again = withKey(service, (await service.made({ seed: 200 })).key);
  const text = await first.text();
  assert.equal(await (await again('GET', '/pets')).text(), text);
  assert.match(text, /^\[\{"id":1,"name":"Misty Luna","categoryId":13,"status":"sold"\}/);
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const second = await call('GET', next.slice(next.indexOf('/v1') + 3));
  assert.match(await second.text(), /^\[\{"id":21,/);
  const random = [await service.made(), await service.made()];
  assert.notEqual(random[0]?.seed, random[1]?.seed);

  assert.deepEqual(await (await call('GET', '/sandbox')).json(), {
    ...{ id, ...rest, pets: 50, categories: 24, orders: 11, snapshots: 0 },
  });
  const made = await call('POST', '/pets', { name: 'Rex', categoryId: 1 });
  assert.match(await made.text(), /^\{"id":51,/);
  assert.equal(made.headers.get('location'), `${service.origin}/v1/pets/51`);
  assert.equal((await again('GET', '/pets/51')).status, 404);
  assert.equal(
    await (await service.get('/pets')).text(),
    '[{"id":1,"name":"Own","categoryId":1,"status":"available"}]',
  );
});

test('a request without a body gets a sandbox with the defaults', async (t) => {
  const service = await start(t, { sandboxesPerHour: 0 });
  const send = (init: RequestInit) =>
    fetch(`${service.origin}/v1/sandboxes`, { method: 'POST', ...init });
  const json = { 'content-type': 'application/json' };
  for (const init of [{}, { headers: json }, { headers: json, body: '' }]) {
    const answer = await send(init);
    assert.equal(answer.status, 201, JSON.stringify(init));
    const { key, createdAt, expiresAt } = (await answer.json()) as Made;
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 60 * MINUTE_MS);
    const { pets } = (await (await withKey(service, key)('GET', '/sandbox')).json()) as {
      pets: number;
    };
    assert.equal(pets, 50);
  }
  // What is there must still be an object, and an operation that needs a body still does.
  await assertError(await send({ headers: json, body: 'null' }), 'invalid_request', /JSON object/);
  await assertError(await send({ headers: json, body: ' ' }), 'invalid_json');
  await assertError(await send({ body: '{}' }), 'unsupported_media_type');
  await assertError(await service.post('/pets', ''), 'invalid_json', /^The body is empty/);
  await assertError(await service.call('/pets', { method: 'POST' }), 'invalid_request');
});

test('a sandbox is reset, and snapshots bring back what was', async (t) => {
  const service = await start(t);
  const call = withKey(service, (await service.made({ seed: 1, pets: 3 })).key);
  const pets = async () => (await call('GET', '/pets')).text();
  const seeded = await pets();
  await call('POST', '/pets', { name: 'Rex', categoryId: 1 });
  const kept = await call('POST', '/sandbox/snapshots', { name: 'with.rex' });
  assert.equal(kept.status, 201);
  const withRex = await pets();
  const reset = await call('POST', '/sandbox/reset');
  assert.equal(((await reset.json()) as { pets: number }).pets, 3);
  assert.equal(await pets(), seeded);
  const restored = await call('POST', '/sandbox/snapshots/with.rex/restore');
  const { pets: count, snapshots } = (await restored.json()) as Record<string, number>;
  assert.deepEqual([count, snapshots], [4, 1]);
  assert.equal(await pets(), withRex);
  const [snapshot] = (await (await call('GET', '/sandbox/snapshots')).json()) as object[];
  assert.deepEqual(snapshot, await kept.json());
  for (const name of ['none', '1', 'a%2Fb', '%00', 'x'.repeat(60)]) {
    await assertError(
      await call('POST', `/sandbox/snapshots/${name}/restore`),
      'not_found',
      /snapshot/,
    );
    await assertError(await call('DELETE', `/sandbox/snapshots/${name}`), 'not_found', /snapshot/);
  }
  for (const name of ['', '.', '-a', 'a b', 'a/b', 'ü', 'x'.repeat(51), 5]) {
    await assertError(
      await call('POST', '/sandbox/snapshots', { name }),
      'invalid_request',
      /^name/,
    );
  }
  assert.equal((await call('POST', '/sandbox/snapshots', { name: '1' })).status, 201);
  assert.equal((await call('POST', '/sandbox/snapshots/1/restore')).status, 200);
  assert.equal((await call('DELETE', '/sandbox/snapshots/with.rex')).status, 204);
});

test('its key is refused from the instant of its end, and after it was deleted', async (t) => {
  const service = await start(t);
  const { key, expiresAt } = await service.made({ ttl: 60 });
  const call = withKey(service, key);
  assert.equal(Date.parse(expiresAt), NOON + MINUTE_MS);
  service.clock.now = NOON + MINUTE_MS - 1;
  assert.equal((await call('GET', '/pets')).status, 200);
  service.clock.now = NOON + MINUTE_MS;
  for (const path of ['/pets', '/sandbox', '/store/orders']) {
    await assertError(await call('GET', path), 'unauthorized');
  }
  const other = withKey(service, (await service.made()).key);
  assert.equal((await other('DELETE', '/sandbox')).status, 204);
  await assertError(await other('GET', '/sandbox'), 'unauthorized');
  assert.equal((await service.get('/pets')).status, 200);
});

test('a key of the service makes one on record, opens none, and that of a sandbox makes no further ones', async (t) => {
  const service = await start(t, { sandboxes: 'keys' });
  await assertError(await service.make(), 'unauthorized');
  const authorization = `Bearer ${service.key}`;
  const made = await service.make({ name: 'x' }, { authorization });
  assert.equal(made.status, 201);
  const { id, key } = (await made.json()) as Made;
  const [event] = (await service.store.audit.list({ since: undefined, limit: 1 })) ?? [];
  assert.equal(event?.action, 'sandbox.created');
  assert.equal(event?.subject, id);
  const [own] = await service.store.keys.list();
  assert.equal(event?.detail.madeBy, own?.id);
  assert.ok(!JSON.stringify(event).includes(key));
  await assertError(await service.get('/sandbox'), 'not_found', /not that of a sandbox/);
  await assertError(
    await service.make({}, { authorization: `Bearer ${key}` }),
    'forbidden',
    /makes no further ones/,
  );
  assert.equal((await service.store.audit.list({ since: undefined, limit: 9 })).length, 2);
});

test('one address makes so many in an hour, and all together so many at once', async (t) => {
  const service = await start(t, { sandboxesPerHour: 2, maxSandboxes: 4 });
  const { key } = await service.made();
  service.clock.now += 10 * MINUTE_MS;
  await service.made();
  await withKey(service, key)('DELETE', '/sandbox');
  const refused = await service.make();
  assert.equal(refused.headers.get('retry-after'), `${50 * 60}`);
  await assertError(refused, 'rate_limited', /^This address has made 2 sandboxes within an hour/);
  const authorization = `Bearer ${service.key}`;
  for (let i = 0; i < 2; i++) {
    assert.equal(
      (await service.make({}, { authorization })).status,
      201,
      'a key counts for itself',
    );
  }
  await assertError(await service.make({}, { authorization }), 'rate_limited', /^This API key/);
  service.clock.now += 50 * MINUTE_MS + 1;
  assert.equal((await service.make({ ttl: 7_200 })).status, 201);
  service.clock.now += 60 * MINUTE_MS;
  const full = await service.make();
  assert.equal(full.headers.get('retry-after'), '60', 'room comes when one ends, not at once');
  await assertError(
    full,
    'unavailable',
    /^The limit of sandboxes is reached\. Try again in 60 seconds\.$/,
  );
});

test('who asks without a key is the network that a trusted proxy names, and an IPv6 /64 is one', async (t) => {
  const config = { sandboxesPerHour: 1, sandboxes: 'open' } as const;
  const behind = await start(t, { ...config, trustedProxies: ['127.0.0.0/8', '10.0.0.1'] });
  const status = async (service: typeof behind, forwarded: string) =>
    (await service.make({}, { 'x-forwarded-for': forwarded })).status;
  assert.equal(await status(behind, '2001:db8::1'), 201);
  for (const same of [
    '2001:DB8:0:0:ffff::9',
    '198.51.100.9, 2001:db8::2',
    '2001:db8::3, 10.0.0.1',
  ]) {
    assert.equal(await status(behind, same), 429, same);
  }
  assert.equal(await status(behind, '2001:db8:0:1::1'), 201, 'the next network');
  assert.equal(await status(behind, '198.51.100.7'), 201);
  assert.equal(
    await status(behind, '::ffff:198.51.100.7'),
    429,
    'the same address, written as IPv6',
  );
  const direct = await start(t, config);
  assert.equal(await status(direct, '198.51.100.7'), 201);
  assert.equal(await status(direct, '203.0.113.1'), 429, 'no proxy is trusted');
});

test('where sandboxes are switched off nothing is there, and no key of one is accepted', async (t) => {
  const on = await start(t);
  const { key } = await on.made();
  for (const config of [{ sandboxes: 'off' }, { stability: 'beta' }] as const) {
    const off = await startService(t, { store: on.store, config, now: () => NOON });
    const call = withKey(off, key);
    await assertError(await call('GET', '/pets'), 'unauthorized');
    await assertError(await call('GET', '/sandbox'), 'not_found', /Nothing is at this path/);
    await assertError(await call('POST', '/sandboxes', {}), 'not_found', /Nothing is at this path/);
  }
});

test('what cannot be is refused with what must be', async (t) => {
  const service = await start(t);
  const wrong: [object, RegExp][] = [
    [{ ttl: 59 }, /^ttl must be an integer from 60 to 86400/],
    [{ ttl: 86_401 }, /^ttl/],
    [{ ttl: '1h' }, /^ttl/],
    [{ ttl: 60.5 }, /^ttl/],
    [{ seed: -1 }, /^seed must be an integer from 0 to 4294967295/],
    [{ seed: 2 ** 32 }, /^seed/],
    [{ pets: 501 }, /^pets must be an integer from 0 to 500/],
    [{ name: '' }, /^name must be a string of 1 to 100/],
    [{ name: 'a\u0000' }, /^name/],
  ];
  for (const [body, message] of wrong) {
    await assertError(await service.make(body), 'invalid_request', message);
  }
  const { key } = await service.made({ pets: 0 });
  const call = withKey(service, key);
  assert.equal(await (await call('GET', '/pets')).text(), '[]');
  const made = await Promise.all(
    Array.from({ length: 200 }, () =>
      call('POST', '/pets', { name: '🐈'.repeat(255), categoryId: 1 }),
    ),
  );
  const full = made.filter(({ status }) => status !== 201);
  assert.ok(full.length > 50);
  for (const answer of full) await assertError(answer, 'conflict', /^The sandbox is full\. Delete/);
});
