import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { timeUntil } from '@petstore/test-support/within.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { Deliverer } from '../../src/webhooks/delivery/deliverer.ts';
import { Receiver } from '../support/receiver.ts';
import { type Service, startService } from '../support/service.ts';

// A redelivery that was answered with 202 is made, whatever the service does at that moment.

const start = (t: TestContext, store: Store, now = Date.now) =>
  startService(t, { store, now, config: { webhookPrivateAddresses: 'allow' } });

/** The path of a new webhook that is sent everything. */
async function make(service: Service, { url }: Receiver): Promise<string> {
  const made = await service.post('/webhooks', JSON.stringify({ url }));
  const { id } = (await made.json()) as { id: string };
  return `/webhooks/${id}`;
}

async function create(service: Service): Promise<void> {
  const created = await service.post('/pets', '{"name":"Rex","categoryId":1}');
  assert.equal(created.status, 201);
}

/** Waits until a failing webhook is left alone for longer than that. */
const untilRetryIn = ({ get }: Service, path: string, ms: number) =>
  timeUntil(async () => {
    const { retryAt } = (await (await get(path)).json()) as { retryAt: string | null };
    return Date.parse(retryAt ?? '') > Date.now() + ms;
  });

async function redeliver({ call }: Service, path: string, event: number): Promise<void> {
  const asked = await call(`${path}/deliveries/${event}/redeliver`, { method: 'POST' });
  assert.equal(asked.status, 202);
}

/** Waits until every event up to this one is done. */
const untilAt = ({ get }: Service, path: string, event: number) =>
  timeUntil(async () => {
    const shown = (await (await get(path)).json()) as { lastEventId: string };
    return shown.lastEventId === `${event}`;
  });

test('an event that is asked for while it is sent, or before, is sent once, and the webhook goes on', async (t) => {
  const store = await openStore('sqlite::memory:');
  const service = await start(t, store);
  const receiver = await Receiver.start(t);
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  receiver.answer = async () => {
    await isReleased;
    return 204;
  };
  const path = await make(service, receiver);
  await create(service);
  await receiver.until(({ length }) => length === 1);
  const changed = await service.call('/pets/1', {
    method: 'PATCH',
    body: '{"name":"Max"}',
    headers: { 'content-type': 'application/merge-patch+json' },
  });
  assert.equal(changed.status, 200);
  let isHeard = false;
  const { waiting } = store.webhooks;
  t.mock.method(store.webhooks, 'waiting', async (id: string) => {
    const deliveries = await waiting.call(store.webhooks, id);
    isHeard ||= deliveries.length === 2;
    return deliveries;
  });
  await redeliver(service, path, 1);
  await redeliver(service, path, 2);
  await timeUntil(async () => isHeard);
  release();
  await receiver.until((received) => received.some(({ event }) => event.id === '2'));
  await create(service);
  await receiver.until((received) => received.some(({ event }) => event.id === '3'));
  await untilAt(service, path, 3);

  await service.app.close();
  const restarted = await start(t, store);
  await create(restarted);
  await receiver.until((received) => received.some(({ event }) => event.id === '4'));
  await untilAt(restarted, path, 4);
  assert.deepEqual(receiver.ids(), ['1', '2', '3', '4']);
});

test('one that is asked for is sent though the deliveries cannot be read at first', async (t) => {
  const store = await openStore('sqlite::memory:');
  const service = await start(t, store);
  const receiver = await Receiver.start(t);
  const path = await make(service, receiver);
  await create(service);
  await untilAt(service, path, 1);
  const waiting = t.mock.method(store.webhooks, 'waiting');
  waiting.mock.mockImplementationOnce(() => Promise.reject(new Error('The disk is away.')));
  await redeliver(service, path, 1);
  await timeUntil(async () => receiver.received.length === 2);
  assert.ok(waiting.mock.callCount() > 1);
  assert.deepEqual(receiver.ids(), ['1', '1']);
});

test('one that is asked for while its last attempt is stored is sent once more', async (t) => {
  const store = await openStore('sqlite::memory:');
  const service = await start(t, store);
  const receiver = await Receiver.start(t);
  receiver.answer = () => (receiver.received.length === 1 ? 500 : 204);
  const path = await make(service, receiver);
  const { save } = store.webhooks;
  let isAsked = false;
  t.mock.method(store.webhooks, 'save', async (...changes: Parameters<typeof save>) => {
    const isOver = changes[2].some(({ delivery }) => delivery.state === 'delivered');
    if (isOver && !isAsked) {
      isAsked = true;
      await redeliver(service, path, 1);
    }
    return save.call(store.webhooks, ...changes);
  });
  await create(service);
  await untilAt(service, path, 1);
  // It is tried again at once, and once more for what is asked for while that is stored.
  await redeliver(service, path, 1);
  await timeUntil(async () => receiver.received.length >= 3);
  await timeUntil(async () => {
    const shown = await (await service.get(`${path}/deliveries`)).json();
    return (shown as { state: string }[])[0]?.state === 'delivered';
  });
  assert.ok(isAsked);
});

test('one that is asked for of a failing webhook that nobody delivers to is sent by who gets it next', async (t) => {
  const store = await openStore('sqlite::memory:');
  const service = await start(t, store);
  const receiver = await Receiver.start(t);
  receiver.answer = () => 503;
  // The first wait would be of seconds.
  receiver.headers = { 'retry-after': '300' };
  const path = await make(service, receiver);
  for (let made = 0; made < 5; made++) await create(service);
  await untilRetryIn(service, path, 200_000);
  receiver.answer = () => 204;
  const leases = t.mock.method(store.webhooks, 'acquireLeases', async () => []);
  await timeUntil(async () => leases.mock.callCount() >= 2);
  const before = receiver.received.length;
  await redeliver(service, path, 1);
  leases.mock.restore();
  await timeUntil(async () => receiver.ids().slice(before).includes('1'));
  await untilAt(service, path, 5);
});

test('however often somebody asks for deliveries of a failing webhook, it is not given up for that', async (t) => {
  const store = await openStore('sqlite::memory:');
  const service = await start(t, store);
  const receiver = await Receiver.start(t);
  receiver.answer = () => 500;
  const path = await make(service, receiver);
  for (let made = 0; made < 5; made++) await create(service);
  await untilRetryIn(service, path, 0);
  const state = async () => ((await (await service.get(path)).json()) as { state: string }).state;
  // There are nine waits, of three days together.
  for (let asked = 0; asked < 10; asked++) {
    const before = receiver.received.length;
    await redeliver(service, path, 1 + (asked % 5));
    await timeUntil(
      async () => receiver.received.length > before || (await state()) === 'disabled',
    );
  }
  assert.equal(await state(), 'failing');
});

test('a receiver that fails for a moment, with many under way, is tried again in seconds', async (t) => {
  const store = await openStore('sqlite::memory:');
  const service = await start(t, store);
  const receiver = await Receiver.start(t);
  const path = await make(service, receiver);
  // After so many that went well, as many are sent at once.
  for (let made = 0; made < 8; made++) await create(service);
  await untilAt(service, path, 8);
  const { promise: areThere, resolve: fail } = Promise.withResolvers<void>();
  receiver.answer = async () => {
    await areThere;
    return 500;
  };
  for (let made = 0; made < 8; made++) await create(service);
  await receiver.until(({ length }) => length === 16);
  fail();
  const id = path.slice('/webhooks/'.length);
  await timeUntil(async () => (await store.webhooks.waiting(id)).length === 8);
  // The first wait is of seconds, the second of minutes.
  const { retryAt } = (await (await service.get(path)).json()) as { retryAt: string };
  assert.ok(Date.parse(retryAt) < Date.now() + 60_000, retryAt);
});

test('webhooks that are made at once get each event once', async (t) => {
  const store = await openStore('sqlite::memory:');
  const service = await start(t, store);
  const receivers = [await Receiver.start(t), await Receiver.start(t)];
  // Both look at the same moment whether there is anything to deliver to.
  const { isAny } = store.webhooks;
  const { promise: areBothThere, resolve } = Promise.withResolvers<void>();
  const looking = t.mock.method(store.webhooks, 'isAny', async () => {
    if (looking.mock.callCount() === 1) resolve();
    await areBothThere;
    return isAny.call(store.webhooks);
  });
  const paths = await Promise.all(receivers.map((receiver) => make(service, receiver)));
  await create(service);
  for (const path of paths) await untilAt(service, path, 1);
  for (const receiver of receivers) assert.deepEqual(receiver.ids(), ['1']);
});

test('where deliveries could not begin, they do when that is tried again', async (t) => {
  const service = await start(t, await openStore('sqlite::memory:'));
  const receiver = await Receiver.start(t);
  const failing = t.mock.method(Deliverer.prototype, 'start', () => {
    throw new Error('It cannot begin.');
  });
  await service.post('/webhooks', JSON.stringify({ url: receiver.url }));
  await timeUntil(async () => failing.mock.callCount() === 1);
  failing.mock.restore();
  const path = await make(service, receiver);
  await create(service);
  await untilAt(service, path, 1);
});

test('deliveries that could not begin while a look was under way begin at a later one', async (t) => {
  const store = await openStore('sqlite::memory:');
  const looks = t.mock.method(store.webhooks, 'isAny');
  const { promise: look, resolve: endLook } = Promise.withResolvers<boolean>();
  looks.mock.mockImplementationOnce(() => look);
  const service = await start(t, store);
  const receiver = await Receiver.start(t);
  await timeUntil(async () => looks.mock.callCount() === 1);
  const failing = t.mock.method(Deliverer.prototype, 'start', () => {
    throw new Error('It cannot begin.');
  });
  looks.mock.mockImplementationOnce(() => {
    const isAny = Promise.resolve(true);
    // The look that was under way ends right after this one has let the deliveries begin.
    isAny.then().then(() => endLook(true));
    return isAny;
  });
  const path = await make(service, receiver);
  await timeUntil(async () => failing.mock.callCount() === 1);
  failing.mock.restore();
  await create(service);
  await untilAt(service, path, 1);
});

test('one that is asked for of a machine whose clock is ahead is sent before its next attempt', async (t) => {
  const store = await openStore('sqlite::memory:');
  let aheadMs = 0;
  const service = await start(t, store, () => Date.now() + aheadMs);
  const receiver = await Receiver.start(t);
  receiver.answer = () => 500;
  const path = await make(service, receiver);
  await create(service);
  const attempts = async () => {
    const [delivery] = (await (await service.get(`${path}/deliveries`)).json()) as {
      attempts: unknown[];
    }[];
    return delivery?.attempts.length ?? 0;
  };
  await timeUntil(async () => (await attempts()) >= 1);
  await redeliver(service, path, 1);
  // The next attempt is minutes away. On a slow machine the one after seconds was made as well.
  await timeUntil(async () => (await attempts()) >= 2);
  aheadMs = 2_000;
  const before = receiver.received.length;
  await redeliver(service, path, 1);
  await timeUntil(async () => receiver.received.length > before);
});
