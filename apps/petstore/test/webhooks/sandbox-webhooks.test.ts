import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { onSharedEngines as test } from '@petstore/test-support/engines.ts';
import { assertError } from '../support/assert-error.ts';
import { assertSigned, Receiver } from '../support/receiver.ts';
import { newSandbox, type ServiceWithSandbox } from '../support/sandbox.ts';
import { type Service, startService } from '../support/service.ts';
import { SilentReceivers } from './support/silent-receivers.ts';

type InSandbox = ServiceWithSandbox['inSandbox'];

interface Delivery {
  readonly id: string;
  readonly state: string;
  readonly attempts: readonly object[];
}

const start = (t: TestContext, config: object = {}) =>
  startService(t, { config: { webhookPrivateAddresses: 'allow', sandboxes: 'open', ...config } });

/** A sandbox as a client gets it. */
async function getSandbox({ origin }: Service): Promise<{ id: string; inSandbox: InSandbox }> {
  const response = await fetch(`${origin}/v1/sandboxes`, {
    method: 'POST',
    body: '{"pets":0}',
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(response.status, 201);
  const { id, key } = (await response.json()) as { id: string; key: string };
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const inSandbox: InSandbox = (path, init = {}) =>
    fetch(`${origin}/v1${path}`, { ...init, headers: { ...headers, ...init.headers } });
  return { id, inSandbox };
}

async function make(inSandbox: InSandbox, url: string): Promise<{ id: string; secret: string }> {
  const response = await inSandbox('/webhooks', { method: 'POST', body: JSON.stringify({ url }) });
  assert.equal(response.status, 201, await response.clone().text());
  return (await response.json()) as { id: string; secret: string };
}

async function create(inSandbox: InSandbox, count = 1): Promise<void> {
  for (let made = 0; made < count; made++) {
    const body = '{"name":"Rex","categoryId":1}';
    const response = await inSandbox('/pets', { method: 'POST', body });
    assert.equal(response.status, 201, await response.text());
  }
}

test('a sandbox has webhooks of its own, which go with it', async (t) => {
  const service = await start(t);
  const { id: sandbox, inSandbox } = await getSandbox(service);
  const other = await getSandbox(service);
  const receiver = await Receiver.start(t);
  const { id, secret } = await make(inSandbox, receiver.url);
  // Neither the service's own events nor those of another sandbox are sent to it.
  assert.equal((await service.post('/pets', '{"name":"Own","categoryId":1}')).status, 201);
  await create(other.inSandbox);
  await create(inSandbox);
  assert.equal(
    (await inSandbox('/store/orders', { method: 'POST', body: '{"petId":1}' })).status,
    201,
  );
  await receiver.until(({ length }) => length === 3);
  for (const received of receiver.received) assertSigned(received, secret);
  const log = (await (await inSandbox('/events')).json()) as object[];
  assert.deepEqual(
    receiver.received.map(({ event }) => event),
    log,
  );
  const path = `/webhooks/${id}/deliveries`;
  for (let shown: Delivery[] = []; shown.length < 3; ) {
    shown = (await (await inSandbox(path)).json()) as Delivery[];
  }
  const again = await inSandbox(`${path}/2/redeliver`, { method: 'POST' });
  assert.equal(again.status, 202);
  await receiver.until(({ length }) => length === 4);
  assert.deepEqual(receiver.ids(), ['1', '2', '3', '2']);

  for (const call of [service.call, other.inSandbox]) {
    await assertError(await call(`/webhooks/${id}`), 'not_found');
    await assertError(await call(path), 'not_found');
    await assertError(await call(`/webhooks/${id}`, { method: 'DELETE' }), 'not_found');
  }
  assert.deepEqual(await (await service.get('/webhooks')).json(), []);
  assert.equal((await inSandbox('/sandbox', { method: 'DELETE' })).status, 204);
  assert.deepEqual(await service.store.webhooks.list(sandbox), []);
  assert.deepEqual(await service.store.webhooks.deliveries(id, 1_000n, 10), []);
});

test('a sandbox without room for its webhook is told whether its own are too many, or those of all', async (t) => {
  // Those of sandboxes may be half as many again, all together.
  const service = await start(t, { maxWebhooks: 7 });
  const [one, other] = [await getSandbox(service), await getSandbox(service)];
  const url = 'http://127.0.0.1:9/';
  for (let made = 0; made < 10; made++) await make(one.inSandbox, url);
  const add = ({ inSandbox }: typeof one) =>
    inSandbox('/webhooks', { method: 'POST', body: JSON.stringify({ url }) });
  await assertError(await add(one), 'conflict', /^There are 10 webhooks, and no more may be/);
  await make(other.inSandbox, url);
  await assertError(
    await add(other),
    'unavailable',
    /^The limit of webhooks of sandboxes is reached\. Try again in 60 seconds\.$/,
  );
});

/** How late a delivery is in turn, until one is late enough to be seen on this machine. */
const LATENCIES_MS = [900, 5_000, 20_000];

/** The event that is late in a round, each of which makes three. */
const lateIn = (round: number) => 4 + 3 * round;

test('rules for deliverEvent lose, double and delay what a receiver gets', async (t) => {
  const service = await start(t);
  const { inSandbox } = await getSandbox(service);
  const rule = (fault: string, from: number) => ({
    ...{ fault, operations: ['deliverEvent'] },
    ...{ from, times: 1 },
  });
  const rules = [
    ...[rule('events=lost', 2), rule('events=duplicate', 3)],
    ...LATENCIES_MS.map((ms, round) => rule(`latency=${ms}ms`, lateIn(round))),
  ];
  const set = await inSandbox('/faults', { method: 'PUT', body: JSON.stringify(rules) });
  assert.equal(set.status, 200);
  const receiver = await Receiver.start(t);
  const takenAt = new Map<string, number>();
  receiver.answer = ({ event }) => {
    takenAt.set(event.id, Date.now());
    return 204;
  };
  const { id } = await make(inSandbox, receiver.url);
  await create(inSandbox, 3);
  let isOvertaken = false;
  let last = 3;
  for (let round = 0; round < LATENCIES_MS.length && !isOvertaken; round++) {
    const late = lateIn(round);
    await create(inSandbox);
    // Of the same animal: it comes behind the one that is late.
    const body = '{"name":"Max"}';
    const headers = { 'content-type': 'application/merge-patch+json' };
    const path = `/pets/${4 + 2 * round}`;
    assert.equal((await inSandbox(path, { method: 'PATCH', body, headers })).status, 200);
    await create(inSandbox);
    last = late + 2;
    const events = [late, late + 1, last].map(String);
    await receiver.until(() => events.every((event) => receiver.ids().includes(event)));
    const order = receiver.ids().filter((event) => events.includes(event));
    assert.deepEqual(
      order.filter((event) => event !== `${last}`),
      [`${late}`, `${late + 1}`],
    );
    const told = receiver.received.find(({ event }) => event.id === `${late}`);
    const { createdAt } = JSON.parse(told?.body ?? '{}') as { createdAt: string };
    const tookMs = (takenAt.get(`${late}`) ?? 0) - Date.parse(createdAt);
    assert.ok(tookMs >= (LATENCIES_MS[round] ?? 0), `${tookMs} ms`);
    // What is of other animals does not wait. A slow machine tells it late all the same.
    isOvertaken = order[0] === `${last}`;
  }
  assert.ok(isOvertaken, 'what is of other animals did not wait');
  for (let state = ''; state !== 'enabled'; ) {
    const shown = (await (await inSandbox(`/webhooks/${id}`)).json()) as Record<string, string>;
    if (shown.lastEventId === `${last}`) state = shown.state ?? '';
  }
  const count = (event: number) => receiver.ids().filter((id) => id === `${event}`).length;
  const all = Array.from({ length: last }, (_, at) => at + 1);
  assert.deepEqual(all.map(count), [1, 0, 2, ...Array(last - 3).fill(1)]);
  const [first, second] = receiver.received.filter(({ event }) => event.id === '3');
  assert.equal(first?.webhookId, second?.webhookId, 'by which a receiver knows it again');
  const log = (await (await inSandbox('/events')).json()) as object[];
  assert.equal(log.length, last, 'the log stays right');
});

test('receivers of sandboxes that never respond hold up neither deliveries nor tests of others', async (t) => {
  const service = await start(t);
  const silent = new SilentReceivers();
  const host = await silent.start(t);
  silent.areSilent = false;
  const hooks: { inSandbox: InSandbox; id: string }[] = [];
  const sandboxes: InSandbox[] = [];
  for (let count = 0; count < 2; count++) {
    const { inSandbox } = await newSandbox(service, 0);
    sandboxes.push(inSandbox);
    for (let made = 0; made < 10; made++) {
      hooks.push({ inSandbox, id: (await make(inSandbox, host)).id });
    }
    // Each that was delivered lets one more be under way.
    await create(inSandbox, 8);
    await silent.until(hooks.length * 8);
  }
  silent.areSilent = true;
  const delivered = silent.taken;
  for (const inSandbox of sandboxes) await create(inSandbox, 8);
  await silent.until(delivered + 64);
  const own = (await (
    await service.post('/webhooks', JSON.stringify({ url: `${host}prompt` }))
  ).json()) as { id: string };
  assert.equal((await service.post('/pets', '{"name":"Own","categoryId":1}')).status, 201);
  while (silent.prompted < 1) await new Promise((resolve) => setTimeout(resolve, 10));
  // All that may be under way would be 128.
  assert.ok(silent.underWay < 128, 'half of what may be under way is for others');
  const before = silent.taken;

  const tests = hooks
    .slice(0, 4)
    .map(({ inSandbox, id }) =>
      inSandbox(`/webhooks/${id}/test`, { method: 'POST' }).catch(() => undefined),
    );
  await silent.until(before + 4);
  const tested = await service.call(`/webhooks/${own.id}/test`, { method: 'POST' });
  assert.equal(((await tested.json()) as { status: number }).status, 204);
  service.app.server.closeAllConnections();
  await Promise.all(tests);
});
