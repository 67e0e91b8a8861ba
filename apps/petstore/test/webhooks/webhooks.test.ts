import assert from 'node:assert/strict';
import { test as onMemory, type TestContext } from 'node:test';
import { onSharedEngines as test } from '@petstore/test-support/engines.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { OWN_STORE } from '../../src/store/own-store.ts';
import { assertError } from '../support/assert-error.ts';
import { readMetrics } from '../support/metrics.ts';
import { assertSigned, isSigned, Receiver } from '../support/receiver.ts';
import { type Service, startService } from '../support/service.ts';
import { SilentReceivers } from './support/silent-receivers.ts';

interface Made {
  readonly id: string;
  readonly url: string;
  readonly events: string[];
  readonly state: string;
  readonly reason: string | null;
  readonly retryAt: string | null;
  readonly secret: string;
  readonly lastEventId: string;
}

interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  readonly attempts: { status: number | null; error: string | null; response?: string }[];
}

const start = (t: TestContext, webhookPrivateAddresses: 'allow' | 'refuse' = 'allow') =>
  startService(t, { config: { webhookPrivateAddresses } });

async function make(service: Service, body: object): Promise<Made> {
  const response = await service.post('/webhooks', JSON.stringify(body));
  const text = await response.text();
  assert.equal(response.status, 201, text);
  assert.match(response.headers.get('location') ?? '', /\/v1\/webhooks\/wh_[0-9a-f]{16}$/);
  return JSON.parse(text);
}

async function json<T>(response: Response | Promise<Response>, status = 200): Promise<T> {
  const settled = await response;
  const text = await settled.text();
  assert.equal(settled.status, status, text);
  return JSON.parse(text);
}

const patch = (service: Service, path: string, body: object) =>
  service.call(path, {
    method: 'PATCH',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/merge-patch+json' },
  });

async function create(service: Service, name = 'Rex'): Promise<void> {
  const body = JSON.stringify({ name, categoryId: 1 });
  assert.equal((await service.post('/pets', body)).status, 201);
}

/** Asks until it is so. */
async function untilTrue(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Waits until the service has looked for what it has to deliver to, and it is so many webhooks. */
const untilDeliversTo = ({ origin }: Service, count: number) =>
  timeUntil(async () => (await readMetrics(origin)).value('petstore_webhook_owned') === count);

/** The path of a webhook that is failing, and is left alone for minutes. Its events 1 to 5 wait. */
async function makeFailing(service: Service, receiver: Receiver): Promise<string> {
  receiver.answer = () => 503;
  // The first wait would be of seconds.
  receiver.headers = { 'retry-after': '300' };
  const path = `/webhooks/${(await make(service, { url: receiver.url })).id}`;
  const shown = () => json<Made>(service.get(path));
  for (let made = 0; made < 5; made++) await create(service);
  await untilTrue(async () => Date.parse((await shown()).retryAt ?? '') > Date.now() + 200_000);
  return path;
}

test('events go out signed, as the log has them, to those that asked for them', async (t) => {
  const service = await start(t);
  await create(service, 'before');
  const [all, some] = [await Receiver.start(t), await Receiver.start(t)];
  const every = await make(service, { url: all.url });
  const few = await make(service, { url: some.url, events: ['order.placed', 'pet.deleted'] });
  assert.match(every.secret, /^whsec_/);
  assert.deepEqual(few.events, ['order.placed', 'pet.deleted']);
  await create(service);
  assert.equal((await service.post('/store/orders', '{"petId":2}')).status, 201);
  await all.until(({ length }) => length >= 3);
  await some.until(({ length }) => length >= 1);
  const log = await (await service.get('/events?after=1')).text();
  const byId = [...all.received].sort((a, b) => Number(a.event.id) - Number(b.event.id));
  assert.equal(`[${byId.map(({ body }) => body).join(',')}]`, log);
  for (const received of all.received) {
    assertSigned(received, every.secret);
    assertSigned(received, few.secret, false);
    assert.equal(received.webhookId, `${every.id}.${received.event.id}`);
  }
  assert.deepEqual(
    some.received.map(({ event }) => event.type),
    ['order.placed'],
  );
  const shown = await json<Made>(service.get(`/webhooks/${every.id}`));
  assert.deepEqual(Object.keys(shown).includes('secret'), false);
  assert.equal(shown.state, 'enabled');
  const path = `/webhooks/${every.id}/deliveries`;
  await untilTrue(async () => (await json<Delivery[]>(service.get(path))).length === 3);
  const newest = (await json<Delivery[]>(service.get(`${path}?limit=1`)))[0];
  assert.deepEqual(
    [newest?.state, newest?.attempts[0]?.status, newest?.attempts[0]?.error],
    ['delivered', 204, null],
  );
});

test('an event that fails is tried again, holds back its own animal alone, and shows its attempts', async (t) => {
  const service = await start(t);
  const receiver = await Receiver.start(t);
  let isBroken = true;
  receiver.answer = ({ event }) =>
    isBroken && (event.data as { id: number }).id === 1 ? 500 : 204;
  const { id } = await make(service, { url: receiver.url });
  await create(service, 'one');
  await patch(service, '/pets/1', { name: 'two' });
  await create(service, 'other');
  // Event 2 waits behind event 1; event 3, of another animal, does not.
  await receiver.until((received) => received.some(({ event }) => event.id === '3'));
  await receiver.until((received) => received.filter(({ event }) => event.id === '1').length === 2);
  isBroken = false;
  const path = `/webhooks/${id}/deliveries`;
  await untilTrue(async () => {
    const failed = (await json<Delivery[]>(service.get(path))).find((one) => one.id === '1');
    return failed?.attempts.length === 2;
  });
  assert.ok(!receiver.ids().includes('2'));
  const waiting = (await json<Delivery[]>(service.get(path))).find((one) => one.id === '1');
  assert.equal(waiting?.state, 'waiting');
  assert.match(waiting?.attempts[0]?.error ?? '', /responded with 500/);
  assert.equal(waiting?.attempts[0]?.response, 'noted');
  const asked = await json<Delivery>(service.call(`${path}/1/redeliver`, { method: 'POST' }), 202);
  assert.equal(asked.state, 'waiting');
  await receiver.until((received) => received.some(({ event }) => event.id === '2'));
  assert.deepEqual(
    receiver.ids().filter((event) => event !== '3'),
    ['1', '1', '1', '2'],
  );
  // One that was delivered is sent again as well.
  await json(service.call(`${path}/3/redeliver`, { method: 'POST' }), 202);
  await receiver.until((received) => received.filter(({ event }) => event.id === '3').length === 2);
  await assertError(await service.call(`${path}/99/redeliver`, { method: 'POST' }), 'not_found');
});

test('so many deliveries of a webhook may wait, and one of them may be asked for again', async (t) => {
  const service = await start(t);
  const receiver = await Receiver.start(t);
  // None fails meanwhile: all that fail would disable the webhook.
  receiver.answer = () => new Promise(() => {});
  const { id } = await make(service, { url: receiver.url, events: ['order.placed'] });
  const pet = { name: 'Rex', categoryId: 1n, status: 'available' } as const;
  await Promise.all(Array.from({ length: 501 }, () => service.store.pets.create(pet)));
  const ask = (event: number) =>
    service.call(`/webhooks/${id}/deliveries/${event}/redeliver`, { method: 'POST' });
  // One after the other: on PostgreSQL all of them lock the webhook, and each has only so long.
  for (let event = 1; event < 500; event++) {
    const delivery = { eventId: BigInt(event), animal: `${event}`, event: '{}', attempts: [] };
    const waiting = { ...delivery, state: 'waiting', nextAt: null } as const;
    await service.store.webhooks.redeliver(id, waiting, 500);
  }
  assert.equal((await ask(500)).status, 202);
  await assertError(await ask(501), 'conflict', /^500 deliveries of the webhook wait already/);
  assert.equal((await ask(500)).status, 202);
});

test('one that is gone is disabled with a reason; enabled again it goes on where it was', async (t) => {
  const service = await start(t);
  const receiver = await Receiver.start(t);
  receiver.answer = () => 410;
  const { id } = await make(service, { url: receiver.url });
  await create(service);
  const path = `/webhooks/${id}`;
  await untilTrue(async () => (await json<Made>(service.get(path))).state === 'disabled');
  assert.match((await json<Made>(service.get(path))).reason ?? '', /gone for good \(410\)/);
  assert.deepEqual(receiver.ids(), ['1']);
  await assertError(
    await service.call(`${path}/deliveries/1/redeliver`, { method: 'POST' }),
    'conflict',
  );
  await create(service);
  receiver.answer = () => 204;
  const enabled = await json<Made>(patch(service, path, { state: 'enabled' }));
  assert.deepEqual([enabled.state, enabled.reason], ['enabled', null]);
  await receiver.until((received) => received.some(({ event }) => event.id === '2'));
  assert.equal((await json<Made>(patch(service, path, { state: 'disabled' }))).state, 'disabled');
});

test('one that is failing, and is enabled, is sent at once what waits', async (t) => {
  const service = await start(t);
  const receiver = await Receiver.start(t);
  const path = await makeFailing(service, receiver);
  receiver.answer = () => 204;
  const before = receiver.received.length;
  assert.equal((await json<Made>(patch(service, path, { state: 'enabled' }))).state, 'enabled');
  await timeUntil(async () => new Set(receiver.ids().slice(before)).size === 5);
  await untilTrue(async () => {
    const deliveries = await json<Delivery[]>(service.get(`${path}/deliveries`));
    return deliveries.every(({ state }) => state === 'delivered');
  });
  const { state, lastEventId } = await json<Made>(service.get(path));
  assert.deepEqual([state, lastEventId], ['enabled', '5']);
});

test('one that is enabled after it was let go of is sent at once what waits', async (t) => {
  const service = await start(t);
  const receiver = await Receiver.start(t);
  const path = await makeFailing(service, receiver);
  await untilDeliversTo(service, 1);
  await json(patch(service, path, { state: 'disabled' }));
  // Whoever delivers next has only what is stored.
  await untilDeliversTo(service, 0);
  receiver.answer = () => 204;
  const before = receiver.received.length;
  await json(patch(service, path, { state: 'enabled' }));
  await timeUntil(async () => new Set(receiver.ids().slice(before)).size === 5);
});

test('one that is failing, and is enabled far behind, goes on with the oldest event that is kept', async (t) => {
  const service = await start(t);
  const receiver = await Receiver.start(t);
  const path = await makeFailing(service, receiver);
  for (let made = 5; made < 8; made++) await create(service);
  const bounds = { before: new Date(Date.now() + 86_400_000), maxBytes: 1e9 };
  assert.equal(await service.store.events.sweep(OWN_STORE, bounds, 7), 7);
  receiver.answer = () => 204;
  await json(patch(service, path, { state: 'enabled' }));
  await timeUntil(async () => receiver.ids().includes('8'));
  await untilTrue(async () => (await json<Made>(service.get(path))).lastEventId === '8');
  assert.equal((await json<Made>(service.get(path))).state, 'enabled');
});

test('one that is enabled behind the kept events stays enabled, though more of them go before it reads', async (t) => {
  const service = await start(t);
  const { events, webhooks } = service.store;
  const sweep = async (count: number) => {
    const bounds = { before: new Date(Date.now() + 86_400_000), maxBytes: 1e9 };
    assert.equal(await events.sweep(OWN_STORE, bounds, count), count);
  };
  const [failing, gone] = [await Receiver.start(t), await Receiver.start(t)];
  gone.answer = () => 410;
  const pathOfGone = `/webhooks/${(await make(service, { url: gone.url })).id}`;
  const pathOfFailing = await makeFailing(service, failing);
  for (let made = 5; made < 12; made++) await create(service);
  const { update } = webhooks;
  for (const [receiver, path] of [
    [gone, pathOfGone],
    [failing, pathOfFailing],
  ] as const) {
    await sweep(path === pathOfGone ? 7 : 1);
    receiver.answer = () => 204;
    const updating = t.mock.method(webhooks, 'update', async (...to: Parameters<typeof update>) => {
      const changed = await update.call(webhooks, ...to);
      await sweep(1);
      return changed;
    });
    await json(patch(service, path, { state: 'enabled' }));
    updating.mock.restore();
    await timeUntil(async () => (await json<Made>(service.get(path))).lastEventId === '12');
    assert.equal((await json<Made>(service.get(path))).state, 'enabled');
    assert.ok(receiver.ids().includes('11'));
  }
});

test('one that is failing, and gets another address, is not disabled for events that are no longer kept', async (t) => {
  const service = await start(t);
  const receiver = await Receiver.start(t);
  const path = await makeFailing(service, receiver);
  for (let made = 5; made < 9; made++) await create(service);
  const bounds = { before: new Date(Date.now() + 86_400_000), maxBytes: 1e9 };
  assert.equal(await service.store.events.sweep(OWN_STORE, bounds, 7), 7);
  receiver.answer = () => 204;
  await json(patch(service, path, { url: `${receiver.url}/other` }));
  // It is left alone for minutes otherwise.
  await json(service.call(`${path}/deliveries/1/redeliver`, { method: 'POST' }), 202);
  await timeUntil(async () => (await json<Made>(service.get(path))).lastEventId === '9');
  assert.equal((await json<Made>(service.get(path))).state, 'enabled');
});

test('what happens once the events or the address were changed goes by them', async (t) => {
  const service = await start(t);
  const [one, other] = [await Receiver.start(t), await Receiver.start(t)];
  const path = `/webhooks/${(await make(service, { url: one.url, events: ['order.placed'] })).id}`;
  for (let round = 1; round <= 3; round++) {
    await json(patch(service, path, { events: ['pet.created'] }));
    await create(service);
    await timeUntil(async () => one.ids().includes(`${round}`));
    await json(patch(service, path, { events: ['order.placed'] }));
    // Who has seen this one has seen what was changed.
    await make(service, { url: other.url, events: ['order.placed'] });
    await untilDeliversTo(service, 1 + round);
  }
  await json(patch(service, path, { events: [] }));
  for (const [event, receiver] of [one, other, one, other].entries()) {
    await json(patch(service, path, { url: receiver.url }));
    await create(service);
    await timeUntil(async () => receiver.ids().includes(`${4 + event}`));
  }
  await timeUntil(async () => (await json<Made>(service.get(path))).lastEventId === '7');
});

// In memory, where the deliverer has no thread of its own, and so this clock.
onMemory('a clock that is put back does not keep from storing what was delivered', async (t) => {
  const service = await start(t);
  const receiver = await Receiver.start(t);
  const path = `/webhooks/${(await make(service, { url: receiver.url })).id}`;
  const last = async () => (await json<Made>(service.get(path))).lastEventId;
  await create(service);
  await timeUntil(async () => (await last()) === '1');
  const realNow = Date.now;
  t.mock.method(Date, 'now', () => realNow() - 3_600_000);
  await create(service);
  await timeUntil(async () => (await last()) === '2');
});

test('receivers that never respond take one place each, and hold up nobody', async (t) => {
  const service = await start(t);
  const silent = new SilentReceivers();
  const host = await silent.start(t);
  const count = 20;
  for (let made = 0; made < count; made++) await make(service, { url: host });
  for (let made = 0; made < 10; made++) await create(service);
  await silent.until(count);
  await make(service, { url: `${host}prompt` });
  await create(service);
  await untilTrue(async () => silent.prompted === 1);
  assert.ok(silent.underWay <= count, `${silent.underWay} are under way`);
});

test('a secret rotates with an overlap in which both sign; a test is sent at once', async (t) => {
  const service = await start(t);
  const receiver = await Receiver.start(t);
  const { id, secret } = await make(service, { url: receiver.url, events: ['pet.created'] });
  const rotate = (query: string) =>
    json<Made>(service.call(`/webhooks/${id}/rotate${query}`, { method: 'POST' }));
  const second = await rotate('');
  assert.notEqual(second.secret, secret);
  // Who has seen this one has seen the new secret.
  await make(service, { url: receiver.url, events: ['order.placed'] });
  await untilDeliversTo(service, 2);
  await create(service);
  await receiver.until(({ length }) => length === 1);
  const [first] = receiver.received;
  assert.ok(first);
  assertSigned(first, secret);
  assertSigned(first, second.secret);
  const tested = async () => {
    const sent = await json<{ status: number; error: null }>(
      service.call(`/webhooks/${id}/test`, { method: 'POST' }),
    );
    assert.deepEqual([sent.status, sent.error], [204, null]);
    const test = receiver.received.at(-1);
    assert.ok(test?.event.type === 'webhook.test');
    return test;
  };
  const within = await tested();
  assertSigned(within, secret);
  assertSigned(within, second.secret);
  const third = await rotate('?overlapSeconds=0');
  const after = await tested();
  assertSigned(after, third.secret);
  assertSigned(after, second.secret, false);
  // What delivers hears of a new secret a little later; from then on the old one signs nothing.
  for (let isHeard = false; !isHeard; ) {
    const before = receiver.received.length;
    await create(service);
    await receiver.until(({ length }) => length > before);
    const newest = receiver.received.at(-1);
    assert.ok(newest);
    isHeard = isSigned(newest, third.secret);
    if (isHeard) assertSigned(newest, second.secret, false);
  }
});

test('one that is disabled or deleted gets nothing more, and the others go on', async (t) => {
  const service = await start(t);
  const [one, other] = [await Receiver.start(t), await Receiver.start(t)];
  const { id } = await make(service, { url: one.url });
  await make(service, { url: other.url });
  let made = 0;
  /** Makes an event, and waits until one of the receivers has it. */
  const tell = async (by: Receiver) => {
    const event = `${++made}`;
    await create(service);
    await by.until((received) => received.some(({ event: { id } }) => id === event));
    return event;
  };
  /** Until it has got none of ten events in a row that the other one has. */
  const untilQuiet = async () => {
    for (let missed = 0; missed < 10; ) {
      missed = one.ids().includes(await tell(other)) ? 0 : missed + 1;
    }
  };
  await tell(one);
  await json(patch(service, `/webhooks/${id}`, { state: 'disabled' }));
  await untilQuiet();
  await json(patch(service, `/webhooks/${id}`, { state: 'enabled' }));
  await one.until(({ length }) => length >= made);
  assert.equal((await service.call(`/webhooks/${id}`, { method: 'DELETE' })).status, 204);
  await untilQuiet();
});

test('a webhook has an address of the internet, known events, and goes when it is deleted', async (t) => {
  const service = await start(t, 'refuse');
  const post = (body: object) => service.post('/webhooks', JSON.stringify(body));
  await assertError(await post({ url: 'http://example.com' }), 'invalid_request', /https/);
  for (const host of [
    ...['127.0.0.1', '2130706433', '0x7f000001', '017700000001', '127.1', '127.0.0.1.', '0.0.0.0'],
    ...[
      'localhost',
      'LOCALHOST',
      'localhost.',
      'a.localhost',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
    ],
    ...[
      '169.254.169.254',
      '[::ffff:a9fe:a9fe]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '[fd00::1]',
    ],
    ...['10.0.0.1:8443', '100.64.0.1', '[fe80::1]', '\uff11\uff12\uff17.0.0.1'],
  ]) {
    await assertError(await post({ url: `https://${host}/` }), 'invalid_request', /internet/);
  }
  for (const other of ['unix:/run/x.sock', 'file:///etc/passwd', 'ftp://example.com', '//x', 'x']) {
    await assertError(await post({ url: other }), 'invalid_request', /https/);
  }
  const named = 'https://user:password@example.com/';
  await assertError(await post({ url: named }), 'invalid_request', /user or password/);
  await assertError(await post({}), 'invalid_request', /url is required/);
  const url = 'https://example.com/hooks';
  await assertError(
    await post({ url, events: ['pet.born'] }),
    'invalid_request',
    /events must be a list of at most 20, each one of pet.created/,
  );
  const { id } = await make(service, { url, events: ['pet.created', 'pet.created'] });
  const listed = await json<Made[]>(service.get('/webhooks'));
  assert.deepEqual(
    listed.map((one) => [one.id, one.events]),
    [[id, ['pet.created']]],
  );
  const changed = await json<Made>(patch(service, `/webhooks/${id}`, { events: [] }));
  assert.deepEqual(changed.events, []);
  const sent = await service.call(`/webhooks/${id}`, { method: 'DELETE' });
  assert.equal(sent.status, 204);
  await assertError(await service.get(`/webhooks/${id}`), 'not_found');
  await assertError(await service.call(`/webhooks/${id}`, { method: 'DELETE' }), 'not_found');
});
