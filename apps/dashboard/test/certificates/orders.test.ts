import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import timers from 'node:timers/promises';
import type { AcmeClient, Order } from '../../server/src/certificates/acme-client.ts';
import { ProblemError, UnreachableError } from '../../server/src/certificates/acme-transport.ts';
import {
  abandonOrder,
  abandonOrphanedOrders,
  currentOrder,
  findLostOrder,
  OrderDeferredError,
  orderFailed,
  placeOrder,
  poll,
} from '../../server/src/certificates/order.ts';
import { certificateKeyContext } from '../../server/src/certificates/sealing.ts';
import { insertOrder } from '../../server/src/store/acme-orders.ts';
import type { IssuanceChange } from '../../server/src/store/issuances.ts';
import { HERE, type Made, NOW, openAttempt, orderWith, STAGING } from './support/attempt.ts';
import { acmeConfig, eventsOf, HOST, putCertificateRow, SEALER } from './support/lab.ts';

const refused = (type: string, status = 400) =>
  new ProblemError({ type, detail: `about ${type}`, status });

const ordersOf = ({ db }: Made) => db.selectFrom('acme_orders').selectAll().orderBy('id').execute();

const withAri = {
  directory: { renewalInfo: 'https://authority.test/ari' } as AcmeClient['directory'],
};

test('an order is counted and its key is stored before the authority is asked', async (t) => {
  const seen: unknown[] = [];
  const client = {
    newOrder: async () => {
      const [order] = await ordersOf(made);
      const row = await made.row();
      seen.push(order, row?.step, row?.order_url, row?.sealed_key);
      return orderWith('order-1');
    },
  };
  const made: Made = await openAttempt(t, { client });
  await placeOrder(made.attempt);
  assert.equal(made.attempt.isIssued, false);
  const [order, step, url, sealed] = seen as [object, string, null, string];
  assert.deepEqual([step, url], ['account', null]);
  assert.match(SEALER.open(sealed, certificateKeyContext(made.id)), /^-----BEGIN PRIVATE KEY-----/);
  const expected = {
    ...{ directory_url: HERE, hostname: HOST, registered_domain: 'example.test', at: NOW },
    ...{ project_id: 'petstore', domain_id: made.id, is_renewal: 0, state: 'open' },
    ...{ order_url: null, ended_at: null, is_exempt: 0 },
  };
  assert.deepEqual({ ...order }, { id: 1, ...expected });
  assert.deepEqual(made.asked, [`newOrder ${HOST} undefined`]);
  const row = await made.row();
  assert.deepEqual([row?.step, row?.order_url, row?.sealed_key], ['challenge', 'order-1', sealed]);
  assert.equal(made.attempt.row.order_url, 'order-1');
  assert.equal((await ordersOf(made))[0]?.order_url, 'order-1');
  assert.equal((await eventsOf(made.db, made.id)).at(-1)?.kind, 'certificate.step');
});

test('an order that the limits do not allow is not placed, and nothing is stored of it', async (t) => {
  const made = await openAttempt(t);
  for (let n = 0; n < 4; n++) {
    await made.db
      .insertInto('acme_orders')
      .values({
        ...{ directory_url: HERE, hostname: HOST, registered_domain: 'example.test', at: NOW },
        ...{ project_id: 'other', domain_id: `${n}`, is_renewal: 0, state: 'failed' },
        ...{ order_url: null, ended_at: NOW },
      })
      .execute();
  }
  await assert.rejects(placeOrder(made.attempt), (error) => {
    assert.ok(error instanceof OrderDeferredError);
    assert.equal(error.name, 'OrderDeferredError');
    assert.equal(error.until, NOW + 3_600_000);
    assert.equal(error.isOfAuthority, false, 'another authority would find the same');
    assert.equal(error.message, `4 orders for ${HOST} failed within an hour`);
    return true;
  });
  assert.deepEqual(made.asked, []);
  assert.equal((await made.row())?.sealed_key, null);
  assert.equal((await ordersOf(made)).length, 4);
});

test('an order that the account has no room for may go to another authority', async (t) => {
  const [authority] = acmeConfig({ directoryUrl: HERE, caFile: '' }).authorities;
  const made = await openAttempt(t, {
    acme: { authorities: [{ ...authority, ordersPer3Hours: 10 }] },
  });
  for (let n = 0; n < 9; n++) {
    const name = `other-${n}.test`;
    await made.db.transaction().execute((trx) =>
      insertOrder(trx, {
        ...{ directory_url: HERE, hostname: name, registered_domain: name, at: NOW },
        ...{ project_id: 'other', domain_id: name, is_renewal: 0 },
      }),
    );
  }
  await assert.rejects(placeOrder(made.attempt), {
    name: 'OrderDeferredError',
    message: '9 certificates were ordered within 3 hours',
    until: NOW + 3 * 3_600_000,
    isOfAuthority: true,
  });
  assert.deepEqual(made.asked, []);
});

test('an order that could not be stored is known all the same, so that it is not left open', async (t) => {
  const made: Made = await openAttempt(t, {
    client: {
      newOrder: async () => {
        // The domain is removed while the authority makes the order.
        await made.db.deleteFrom('issuances').execute();
        return orderWith('order-1');
      },
      getOrder: async (url) => orderWith(url),
    },
  });
  await assert.rejects(placeOrder(made.attempt), { name: 'LeaseLostError' });
  await abandonOrder(made.attempt);
  assert.deepEqual(made.asked.slice(1), ['getOrder order-1', 'abandon order-1']);
});

test('a certificate is ordered with the profile of the installation, where the directory has it', async (t) => {
  const placed = async (profile: string | undefined, profiles: readonly string[] | undefined) => {
    const directory = { profiles } as AcmeClient['directory'];
    const newOrder = async () => orderWith('order-1');
    const made = await openAttempt(t, { client: { directory, newOrder }, acme: { profile } });
    await placeOrder(made.attempt);
    return made.asked;
  };
  assert.deepEqual(await placed('shortlived', ['classic', 'shortlived']), [
    `newOrder ${HOST} shortlived`,
  ]);
  for (const profiles of [undefined, [], ['classic']]) {
    assert.deepEqual(await placed(undefined, profiles), [`newOrder ${HOST} undefined`]);
  }
});

test('where the directory does not have the profile, nothing is ordered, and operators read which ones it has', async (t) => {
  const offers: [readonly string[] | undefined, string][] = [
    [['classic', 'tlsserver'], 'It offers classic, tlsserver; configured: shortlived.'],
    [[], 'It offers none; configured: shortlived.'],
    [undefined, 'It offers none; configured: shortlived.'],
  ];
  for (const [profiles, detail] of offers) {
    const directory = { profiles } as AcmeClient['directory'];
    const made = await openAttempt(t, { client: { directory }, acme: { profile: 'shortlived' } });
    await assert.rejects(placeOrder(made.attempt), {
      name: 'ProblemError',
      document: { type: 'invalidProfile', detail, status: 0 },
    });
    assert.deepEqual(made.asked, []);
    assert.deepEqual(await ordersOf(made), [], 'what is not ordered does not count');
    assert.equal((await made.row())?.sealed_key, null);
  }
});

test('the order of a process that died is found again; others for the name are abandoned', async (t) => {
  const other = { identifiers: [{ type: 'dns', value: 'other.example.test' }] };
  const two = { identifiers: [...orderWith('').identifiers, ...other.identifiers] };
  const orders: Record<string, Partial<Order>> = {
    'too-old': {},
    other,
    two,
    none: { identifiers: [] },
    invalid: { status: 'invalid' },
    valid: { status: 'valid' },
    first: { status: 'ready' },
    second: {},
  };
  const filler = Array.from({ length: 43 }, () => 'other');
  const made = await openAttempt(t, {
    row: { sealed_key: 'sealed' },
    client: {
      listOrders: async () => ['too-old', ...filler, ...Object.keys(orders).slice(1)],
      getOrder: async (url) => orderWith(url, orders[url]),
    },
  });
  await placeOrder(made.attempt);
  assert.ok(!made.asked.includes('getOrder too-old'), 'the last fifty are searched');
  assert.deepEqual(
    made.asked.filter((call) => /abandon|newOrder/.test(call)),
    ['abandon second'],
  );
  const row = await made.row();
  assert.deepEqual([row?.order_url, row?.sealed_key], ['first', 'sealed']);
  assert.deepEqual(await ordersOf(made), [], 'it was counted when it was made');
  const none = await openAttempt(t, {
    row: { sealed_key: 'sealed' },
    client: { newOrder: async () => orderWith('new') },
  });
  await placeOrder(none.attempt);
  assert.deepEqual(none.asked, ['listOrders', `newOrder ${HOST} undefined`]);
  assert.notEqual((await none.row())?.sealed_key, 'sealed');
});

test('an order for some of the names is not taken for the lost one of all', async () => {
  const named = (...values: string[]) => ({
    identifiers: values.map((value) => ({ type: 'dns', value })),
  });
  const orders: Record<string, Partial<Order>> = {
    otherSecond: named('a.test', 'c.test'),
    otherFirst: named('c.test', 'b.test'),
    onlyOne: named('a.test'),
    whole: named('b.test', 'a.test'),
  };
  const client = {
    listOrders: async () => Object.keys(orders),
    getOrder: async (url: string) => orderWith(url, orders[url]),
    abandon: async ({ url }: Order) => assert.fail(`${url} is of others`),
  } as unknown as AcmeClient;
  assert.equal((await findLostOrder(client, ['a.test', 'b.test']))?.url, 'whole');
});

test('a renewal names the certificate that it replaces, where the authority takes that', async (t) => {
  const replaced = async (
    row: IssuanceChange,
    client: Partial<AcmeClient>,
    ari: string | null | undefined = 'ari',
  ) => {
    const made = await openAttempt(t, {
      row,
      client: { newOrder: async () => orderWith('order-1'), ...client },
      acme: { stagingDirectoryUrl: STAGING },
    });
    if (ari !== undefined) await putCertificateRow(made.db, made.id, { ari_id: ari });
    await placeOrder(made.attempt);
    const [order] = await ordersOf(made);
    assert.equal(order?.is_renewal, row.kind === 'renewal' ? 1 : 0);
    const isAsked = made.asked.includes(`newOrder ${HOST} ari`);
    assert.equal(order?.is_exempt, isAsked ? 1 : 0, 'exempt where it names what it replaces');
    return made.asked.find((call) => call.startsWith('newOrder'))?.split(' ')[2];
  };
  assert.equal(await replaced({ kind: 'renewal' }, withAri), 'ari');
  assert.equal(await replaced({ kind: 'renewal' }, {}), 'undefined');
  assert.equal(await replaced({ kind: 'first' }, withAri), 'undefined');
  assert.equal(await replaced({ kind: 'renewal' }, withAri, null), 'undefined');
  const there = { kind: 'renewal', directory_url: STAGING } as const;
  assert.equal(await replaced(there, withAri), 'undefined');
});

test('an order is placed without the certificate that it replaces where only that is refused', async (t) => {
  const place = async (type: string, ari: string | null) => {
    let asked = 0;
    const newOrder = async () => {
      if (asked++ === 0) throw refused(type);
      return orderWith('order-1');
    };
    const made = await openAttempt(t, {
      row: { kind: 'renewal' },
      client: { ...withAri, newOrder },
    });
    await putCertificateRow(made.db, made.id, { ari_id: ari });
    await placeOrder(made.attempt);
    assert.equal((await ordersOf(made))[0]?.is_exempt, 0, 'it counts after all');
    return made.asked;
  };
  for (const type of ['alreadyReplaced', 'malformed', 'unauthorized']) {
    assert.deepEqual(await place(type, 'ari'), [
      `newOrder ${HOST} ari`,
      `newOrder ${HOST} undefined`,
    ]);
    await assert.rejects(place(type, null), { name: 'ProblemError' });
  }
  await assert.rejects(place('rateLimited', 'ari'), { name: 'ProblemError' });
});

test('an order that the authority does not know any more is told from one that it cannot read now', async (t) => {
  const made = await openAttempt(t);
  const client = (getOrder: AcmeClient['getOrder']) => ({ getOrder }) as AcmeClient;
  const order = orderWith('order-1');
  const current = (getOrder: AcmeClient['getOrder'], order_url: string | null = 'order-1') =>
    currentOrder({ ...made.attempt, row: { ...made.attempt.row, order_url } }, client(getOrder));
  assert.equal(await current(async () => order), order);
  const gone = (detail: string) => ({ problem: { type: 'orderGone', detail, at: NOW } });
  await assert.rejects(
    current(async () => order, null),
    gone('There is no order.'),
  );
  for (const status of [403, 404]) {
    await assert.rejects(
      current(() => Promise.reject(refused('x', status))),
      gone('about x'),
    );
  }
  await assert.rejects(
    current(() => Promise.reject(refused('x', 500))),
    { name: 'ProblemError' },
  );
  const away = new UnreachableError('away', { isTimeout: false });
  await assert.rejects(
    current(() => Promise.reject(away)),
    away,
  );
});

test('an order that failed says why in the words of the authority, or that there are none', () => {
  const error = { type: 'urn:ietf:params:acme:error:caa', detail: 'forbidden' };
  const { problem } = orderFailed(orderWith('order-1', { status: 'invalid', error }), 5);
  assert.deepEqual(problem, { type: 'caa', detail: 'forbidden', at: 5 });
  const silent = orderFailed(orderWith('order-1', { status: 'invalid' }), 5).problem;
  assert.equal(silent.detail, 'The authority gave no reason.');
});

/**
 * Polls a resource until it was read so often, on a clock that its waits alone move. `pauses`: what the authority asks
 * for after each look.
 */
async function polled(t: TestContext, reads: number, pauses: readonly number[] = []) {
  const waits: number[] = [];
  let count = 0;
  let now = 500;
  t.mock.method(performance, 'now', () => now);
  t.mock.method(timers, 'setTimeout', async (ms: number) => {
    waits.push(ms);
    now += ms;
  });
  syncBuiltinESMExports();
  try {
    const result = await poll(
      async () => ++count,
      (read) => read === reads,
      (read) => pauses[read - 1],
      new AbortController().signal,
    ).catch((error: unknown) => error);
    return { result, count, waits };
  } finally {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  }
}

test('a resource is read until it is settled, less and less often or as often as the authority says', async (t) => {
  assert.deepEqual(await polled(t, 1), { result: 1, count: 1, waits: [] });
  const { result, waits } = await polled(t, 12);
  assert.equal(result, 12);
  assert.deepEqual(waits.slice(0, 4), [100, 150, 225, 337.5]);
  assert.deepEqual(waits.slice(-3), [2562.890625, 3_000, 3_000]);
  assert.deepEqual((await polled(t, 4, [7, 5_000, 9])).waits, [7, 5_000, 9]);
});

test('a resource is waited for until a minute is over', async (t) => {
  const { result, count } = await polled(t, 9, [59_999, 1, 1]);
  assert.ok(result instanceof UnreachableError);
  assert.equal(result.message, 'the authority has not come to an end yet');
  assert.equal(result.isTimeout, true);
  assert.equal(count, 3);
});

test('a process that stops does not wait for the next look', async () => {
  const controller = new AbortController();
  const pending = poll(
    async () => 1,
    () => false,
    () => 30_000,
    controller.signal,
  );
  setImmediate(() => controller.abort());
  await assert.rejects(pending, { name: 'AbortError' });
});

test('an order is abandoned while it is open; a failure is logged and does no harm', async (t) => {
  const abandoned = async (
    row: IssuanceChange,
    order: Partial<Order> = {},
    client: Partial<AcmeClient> = {},
  ) => {
    const getOrder = async (url: string) => orderWith(url, order);
    const made = await openAttempt(t, { row, client: { getOrder, ...client } });
    await abandonOrder(made.attempt);
    return [...made.asked, ...made.logged];
  };
  assert.deepEqual(await abandoned({}), []);
  const url = { order_url: 'order-1' };
  for (const status of ['pending', 'ready'] as const) {
    assert.deepEqual(await abandoned(url, { status }), ['getOrder order-1', 'abandon order-1']);
  }
  for (const status of ['processing', 'valid', 'invalid'] as const) {
    assert.deepEqual(await abandoned(url, { status }), ['getOrder order-1']);
  }
  const sealed = { sealed_key: 'sealed' };
  assert.deepEqual(await abandoned(sealed), ['listOrders']);
  const listed = { listOrders: async () => ['order-2'] };
  assert.deepEqual(await abandoned(sealed, {}, listed), [
    ...['listOrders', 'getOrder order-2', 'abandon order-2'],
  ]);
  const away = { getOrder: () => Promise.reject(new Error('away')) };
  assert.deepEqual(await abandoned(url, {}, away), [
    ...['getOrder order-1', `${HOST}: an order could not be abandoned`],
  ]);
});

test('orders of domains that were deleted are abandoned, or counted where they became certificates', async (t) => {
  const orders: Record<string, [Order['status'], string]> = {
    pending: ['pending', 'ended'],
    ready: ['ready', 'ended'],
    invalid: ['invalid', 'ended'],
    valid: ['valid', 'issued'],
    processing: ['processing', 'issued'],
  };
  const getOrder = async (url: string) => {
    if (!orders[url]) throw new Error('away');
    return orderWith(url, { status: orders[url][0] });
  };
  const made = await openAttempt(t, { client: { getOrder } });
  const put = async (url: string | null) => {
    await made.db.transaction().execute((trx) =>
      insertOrder(trx, {
        ...{ directory_url: HERE, hostname: HOST, registered_domain: 'example.test', at: NOW },
        ...{ project_id: 'gone', domain_id: `${url}`, is_renewal: 0 },
      }),
    );
    const change = { order_url: url };
    await made.db
      .updateTable('acme_orders')
      .set(change)
      .where('domain_id', '=', `${url}`)
      .execute();
  };
  for (const url of ['away', null, ...Object.keys(orders)]) await put(url);
  await abandonOrphanedOrders(made.deps, made.accounts);
  const asked = ['away', ...Object.keys(orders)].flatMap((url) => [
    `getOrder ${url}`,
    ...(url === 'pending' || url === 'ready' ? [`abandon ${url}`] : []),
  ]);
  assert.deepEqual(made.asked.toSorted(), asked.toSorted());
  assert.deepEqual(made.logged, [`${HOST}: an order could not be abandoned`]);
  for (const { order_url, state } of await ordersOf(made)) {
    assert.equal(state, orders[order_url ?? '']?.[1] ?? 'ended', `${order_url}`);
  }
});
