import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test as onPostgres } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import {
  onSharedEngines,
  POSTGRESQL,
  onEveryEngine as test,
} from '@petstore/test-support/engines.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import { hashKey } from '../../src/keys/key.ts';
import { isRefusal } from '../../src/refusal.ts';
import { openStore } from '../../src/store/open-store.ts';
import { OWN_STORE } from '../../src/store/own-store.ts';
import { encodeState } from '../../src/store/sandbox/encoded-state.ts';
import { MAX_RESULTS } from '../../src/store/sandbox/sandbox-draft.ts';
import { SandboxStores } from '../../src/store/sandbox/sandbox-stores.ts';
import type { ResourceStore } from '../../src/store/store.ts';
import {
  StoreFullError,
  StoreGoneError,
  StoreUnavailableError,
} from '../../src/store/store-errors.ts';
import type { StoredWebhook } from '../../src/webhooks/webhook.ts';
import { addSandbox, EMPTY, NOON, ONE } from '../support/sandboxes.ts';

// What every engine promises of the rows of sandboxes, and what the stores in them promise beyond the contract, which
// contract.test.ts holds them to.

const MINUTE_MS = 60_000;
const later = (minutes: number) => new Date(NOON.getTime() + minutes * MINUTE_MS);
const NONE = { count: 0, text: '' };
const rex = { name: 'Rex', categoryId: 1n, status: 'available' } as const;
const all = { limit: 100, after: undefined, status: undefined };

const webhookOf = (store: string): StoredWebhook => ({
  ...{ id: `of ${store}`, store, url: 'https://example.com', events: [], secret: 'whsec_eA==' },
  ...{ oldSecret: null, oldSecretUntil: null, createdAt: NOON.getTime(), disabledAt: null },
  ...{ disabledReason: null, position: 0n, failures: 0, failingSince: null, nextAt: null },
  ...{ lastError: null, recent: [], asked: 0n },
});

test('a sandbox is found by its key, is as it was made, and gone with all when it is deleted', async (t, engine) => {
  const store = await openStore(await engine.createDatabase(t));
  cleanUp(t, () => store.close());
  const { sandboxes } = store;
  const { key, row } = await addSandbox(store, { id: 'a', name: 'Übung 🐈', seed: 2 ** 32 - 1 });
  await addSandbox(store, { id: 'b', createdAt: later(-1) });
  const { keyHash, ...record } = row;
  assert.equal(keyHash, hashKey(key));
  assert.deepEqual(await sandboxes.findByKey(keyHash), {
    ...{ id: 'a', expiresAt: ONE.getTime(), faults: undefined },
  });
  assert.equal(await sandboxes.findByKey(hashKey('another')), undefined);
  assert.deepEqual(await sandboxes.get('a'), record);
  assert.deepEqual(
    (await sandboxes.list()).map(({ id }) => id),
    ['b', 'a'],
  );
  const seeded = { version: 0, seed: record.seed, pets: 20 };
  assert.deepEqual({ ...(await sandboxes.load('a', undefined)) }, { ...seeded, state: null });
  assert.deepEqual({ ...(await sandboxes.load('a', 0)) }, { ...seeded, state: undefined });

  assert.equal(await sandboxes.snapshots.save('a', 's', NOON, 5), 'saved');
  const { webhooks } = store;
  const bounds = { most: 10, mostOfStore: 5 };
  for (const name of ['a', 'b', OWN_STORE]) {
    assert.equal(await webhooks.add(webhookOf(name), bounds), 'added');
  }
  assert.equal(await sandboxes.remove('a'), true);
  const left = [await webhooks.list('a'), await webhooks.list('b'), await webhooks.list(OWN_STORE)];
  assert.deepEqual(
    left.map((own) => own.length),
    [0, 1, 1],
  );
  for (const name of ['a', 'never']) {
    assert.equal(await webhooks.add(webhookOf(name), bounds), 'gone');
    assert.deepEqual(await webhooks.list(name), []);
  }
  assert.equal(await sandboxes.remove('a'), false);
  assert.equal(await sandboxes.findByKey(keyHash), undefined);
  assert.equal(await sandboxes.get('a'), undefined);
  assert.equal(await sandboxes.load('a', undefined), undefined);
  assert.equal(
    await sandboxes.commit('a', { version: 0, next: 1 }, encodeState(EMPTY), NONE),
    false,
  );
  assert.equal(await sandboxes.reset('a'), false);
  assert.deepEqual(await sandboxes.snapshots.list('a'), []);
  assert.equal(await sandboxes.snapshots.save('a', 's', NOON, 5), 'not_found');
  assert.equal(await sandboxes.snapshots.restore('a', 's'), 'not_found');
  assert.deepEqual(
    (await sandboxes.list()).map(({ id }) => id),
    ['b'],
  );
});

test('a webhook that is made while its sandbox is deleted goes with it', async (t, engine) => {
  const store = await openStore(await engine.createDatabase(t));
  cleanUp(t, () => store.close());
  const { sandboxes, webhooks } = store;
  const bounds = { most: 1_000, mostOfStore: 1_000 };
  for (let round = 0; round < 10; round++) {
    const id = `s${round}`;
    await addSandbox(store, { id });
    const add = (_: unknown, at: number) =>
      webhooks.add({ ...webhookOf(id), id: `${id} ${at}` }, bounds);
    const [isRemoved, ...outcomes] = await Promise.all([
      // As many ask before it as behind it.
      ...[sandboxes.remove(id), ...Array.from({ length: 5 }, add)],
    ]);
    assert.equal(isRemoved, true);
    assert.ok(outcomes.every((outcome) => outcome === 'added' || outcome === 'gone'));
    assert.deepEqual(await webhooks.list(id), []);
  }
});

test('a commit counts only on the version that it was made from', async (t, engine) => {
  const store = await openStore(await engine.createDatabase(t));
  cleanUp(t, () => store.close());
  const { sandboxes } = store;
  await addSandbox(store, { id: 'a' });
  const state = encodeState(EMPTY);
  const commit = (version: number) =>
    sandboxes.commit('a', { version, next: version + 1 }, state, NONE);
  assert.equal(await commit(1), false);
  assert.equal(await commit(0), true);
  assert.equal(await commit(0), false);
  const row = await sandboxes.load('a', 0);
  assert.deepEqual([row?.version, Buffer.from(row?.state ?? [])], [1, state]);
  assert.equal(await sandboxes.reset('a'), true);
  assert.deepEqual(
    { ...(await sandboxes.load('a', 1)) },
    {
      ...{ version: 2, seed: 200, pets: 20 },
      state: null,
    },
  );
  assert.equal(await commit(1), false, 'a reset is a change');
});

test('snapshots bring data back, ids and all, and are bounded', async (t, engine) => {
  const store = await openStore(await engine.createDatabase(t));
  cleanUp(t, () => store.close());
  const { sandboxes } = store;
  await addSandbox(store, { id: 'a' });
  await addSandbox(store, { id: 'b' });
  const { pets } = new SandboxStores(sandboxes).storeOf('a');
  assert.equal(await sandboxes.snapshots.save('a', 'new', NOON, 2), 'saved');
  const { id } = await pets.create(rex);
  assert.equal(id, 21n);
  assert.equal(await sandboxes.snapshots.save('a', 'rex', later(1), 2), 'saved');
  assert.equal(await sandboxes.snapshots.save('a', 'more', later(2), 2), 'too_many');
  assert.equal(await sandboxes.snapshots.save('b', 'more', later(2), 2), 'saved');
  const kept = await sandboxes.snapshots.list('a');
  assert.deepEqual(
    kept.map(({ name, createdAt, bytes }) => [name, createdAt.getTime(), bytes > 0]),
    [
      ['new', NOON.getTime(), false],
      ['rex', later(1).getTime(), true],
    ],
  );
  assert.equal(await sandboxes.snapshots.restore('a', 'new'), 'restored');
  assert.equal(await pets.get(21n), undefined);
  assert.equal((await pets.create({ ...rex, name: 'Kim' })).id, 21n);
  assert.equal(await sandboxes.snapshots.restore('a', 'rex'), 'restored');
  assert.match((await pets.get(21n)) ?? '', /"Rex"/);
  assert.equal(await sandboxes.snapshots.restore('a', 'more'), 'not_found', "another's");
  assert.equal(await sandboxes.snapshots.save('a', 'new', later(3), 2), 'saved');
  await sandboxes.reset('a');
  assert.equal(await sandboxes.snapshots.restore('a', 'new'), 'restored');
  assert.match((await pets.get(21n)) ?? '', /"Rex"/, 'a name was used again');
  assert.equal(await sandboxes.snapshots.remove('a', 'more'), 'not_found');
  assert.equal(await sandboxes.snapshots.remove('a', 'rex'), 'removed');
  assert.equal((await sandboxes.snapshots.list('a')).length, 1);
});

test('bounds of all and of a maker hold, and those that were deleted count for their maker', async (t, engine) => {
  const store = await openStore(await engine.createDatabase(t));
  cleanUp(t, () => store.close());
  const { sandboxes } = store;
  const add = async (id: string, minute: number, total = 100, madeBy = 'key_a') =>
    sandboxes.add(
      {
        ...{ id, name: '', madeBy, seed: 1, pets: 1, createdAt: later(minute), expiresAt: ONE },
        keyHash: hashKey(id),
      },
      { total, ofMaker: { since: later(minute - 60), count: 2 } },
      undefined,
    );
  assert.equal(await add('a', 0), 'added');
  assert.equal(await add('b', 1), 'added');
  assert.deepEqual(await add('c', 2), { countedFrom: NOON });
  assert.equal(await sandboxes.remove('a'), true);
  assert.deepEqual(await add('c', 2), { countedFrom: NOON });
  assert.equal(await add('c', 2, 100, 'key_b'), 'added');
  assert.equal(await add('d', 61, 2), 'too_many');
  assert.equal(await add('d', 61, 3), 'added');
});

test('those that have ended are swept in steps that are bounded, and forgotten when they no longer count', async (t, engine) => {
  const store = await openStore(await engine.createDatabase(t));
  cleanUp(t, () => store.close());
  const { sandboxes } = store;
  for (let i = 0; i < 5; i++) await addSandbox(store, { id: `${i}`, expiresAt: later(i) });
  await sandboxes.snapshots.save('0', 's', NOON, 5);
  const idsLeft = async () => (await sandboxes.list()).map(({ id }) => id);
  assert.equal(await sandboxes.sweep(later(-1), later(-60), 10), 0);
  assert.equal(await sandboxes.sweep(later(3), later(-60), 3), 3);
  assert.deepEqual(await idsLeft(), ['3', '4']);
  assert.deepEqual(await sandboxes.snapshots.list('0'), []);
  assert.equal(await sandboxes.sweep(later(3), later(-60), 3), 1);
  assert.deepEqual(await idsLeft(), ['4']);
  assert.equal(await sandboxes.sweep(later(3), later(1), 3), 3, 'made before that');
  assert.equal(await sandboxes.sweep(later(3), later(1), 3), 1);
  assert.equal(await sandboxes.sweep(later(3), later(1), 3), 0);
  assert.deepEqual(await idsLeft(), ['4']);
});

test('a sandbox says when it is full, and has changed nothing; what is smaller still fits', async (t, engine) => {
  const store = await openStore(await engine.createDatabase(t));
  cleanUp(t, () => store.close());
  await addSandbox(store, { id: 'a', pets: 0 });
  const { pets, categories } = new SandboxStores(store.sandboxes).storeOf('a');
  const long = { ...rex, name: '🐈'.repeat(255) };
  const made = await Promise.allSettled(Array.from({ length: 200 }, () => pets.create(long)));
  const refused = made.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  assert.ok(refused.length > 50 && refused.length < 100, `${refused.length}`);
  assert.ok(refused.every(({ reason }) => reason instanceof StoreFullError));
  const last = BigInt(made.length - refused.length);
  assert.ok(await pets.get(last));
  assert.equal(await pets.get(last + 1n), undefined);
  assert.equal((await pets.create(rex)).id, last + 1n);
  await assert.rejects(pets.update(last + 1n, { name: long.name }), StoreFullError);
  await assert.rejects(categories.create({ name: long.name }), StoreFullError);
  assert.match((await pets.get(last + 1n)) ?? '', /"Rex"/);
  assert.equal(await pets.remove(1n), 'removed');
  assert.equal((await pets.create(long)).id, last + 2n);
});

test('it keeps the newest results of idempotent writes, and so many', async (t, engine) => {
  const store = await openStore(await engine.createDatabase(t));
  cleanUp(t, () => store.close());
  await addSandbox(store, { id: 'a', pets: 0 });
  const { pets } = new SandboxStores(store.sandboxes).storeOf('a');
  const once = async (key: number, at = NOON) => {
    const made = await pets.createIdempotently(
      {
        ...{ owner: 'a', key: `${key}`, fingerprint: 'AAAA', collectionUrl: 'x', at },
        since: new Date(at.getTime() - 60 * MINUTE_MS),
      },
      rex,
    );
    return isRefusal(made) ? made.refused : made.id;
  };
  for (let key = 0; key < MAX_RESULTS + 2; key++) await once(key);
  const total = BigInt(MAX_RESULTS + 2);
  assert.equal(await once(2), 3n);
  assert.equal(await once(1), total + 1n, 'forgotten');
  assert.equal(await once(2), total + 2n, 'for which this one had to go');
  assert.equal(await once(7, later(61)), total + 3n, 'too old');
});

test('what is gone rejects each call', async (t, engine) => {
  const store = await openStore(await engine.createDatabase(t));
  cleanUp(t, () => store.close());
  await addSandbox(store, { id: 'a' });
  const stores = new SandboxStores(store.sandboxes);
  const { pets, orders } = stores.storeOf('a');
  await pets.create(rex);
  await store.sandboxes.remove('a');
  for (const call of [
    async () => pets.get(1n),
    async () => pets.list(all),
    async () => pets.create(rex),
    async () => orders.place(1n, NOON),
    async () => stores.sizeOf('a'),
  ]) {
    await assert.rejects(call, StoreGoneError);
  }
});

test('a sandbox tells of its changes what the own store tells, in a log of its own that ends with it', async (t, engine) => {
  const store = await openStore(await engine.createDatabase(t));
  cleanUp(t, () => store.close());
  const { sandboxes, events } = store;
  await addSandbox(store, { id: 'a', pets: 0 });
  const told = async (name: string) => {
    const list = await events.of(name).list(0n, 1_000);
    assert.ok(Array.isArray(list));
    return list.map(({ id, type, data }) => `${id} ${type} ${data}`);
  };
  const change = async ({ pets, orders, categories }: ResourceStore) => {
    await pets.create(rex);
    await pets.update(1n, { name: 'Max' });
    await pets.update(1n, { name: 'Max' });
    await pets.update(9n, { name: 'Max' });
    for (const end of ['cancelled', 'completed'] as const) {
      const order = await orders.place(1n, NOON);
      assert.ok('id' in order);
      await orders.place(1n, NOON);
      await orders.end(order.id, end, NOON);
    }
    await categories.create({ name: 'Moles' });
    await pets.remove(1n);
  };
  const own = new SandboxStores(sandboxes).storeOf('a');
  await change(own);
  assert.deepEqual(await told(OWN_STORE), []);
  const told11 = await told('a');
  assert.equal(told11.length, 11);
  await change(store);
  assert.deepEqual(await told(OWN_STORE), told11);

  const { pets } = own;
  await sandboxes.reset('a');
  const long = { ...rex, name: 'x'.repeat(255) };
  for (let round = 0; round < 10; round++) {
    await Promise.all(Array.from({ length: 120 }, () => pets.create(long)));
    await sandboxes.reset('a');
  }
  const { oldest, newest } = await events.of('a').kept();
  assert.equal(newest, 11n + 1_200n, 'ids go on behind a reset');
  assert.ok(oldest > 1n && oldest < newest, 'the oldest are deleted');
  assert.deepEqual(await events.of(OWN_STORE).kept(), { oldest: 1n, newest: 11n });
  await sandboxes.remove('a');
  assert.deepEqual(await events.of('a').kept(), { oldest: 1n, newest: 0n });
  assert.deepEqual(await events.of(OWN_STORE).kept(), { oldest: 1n, newest: 11n });
});

onSharedEngines('processes that write to one sandbox at once lose nothing', async (t, engine) => {
  const url = await engine.createDatabase(t);
  const [one, two] = await Promise.all(
    [1, 2].map(async () => {
      const store = await openStore(url);
      cleanUp(t, () => store.close());
      return store;
    }),
  );
  assert.ok(one && two);
  await addSandbox(one, { id: 'a', pets: 0 });
  const stores = [one, two].map(({ sandboxes }) => new SandboxStores(sandboxes).storeOf('a'));
  const made = await Promise.all(
    stores.map(async ({ pets }) => {
      const ids: bigint[] = [];
      for (let i = 0; i < 25; i++) ids.push((await pets.create(rex)).id);
      return ids;
    }),
  );
  const upTo50 = Array.from({ length: 50 }, (_, i) => i + 1);
  const sorted = made
    .flat()
    .map(Number)
    .sort((a, b) => a - b);
  assert.deepEqual(sorted, upTo50);
  for (const { pets } of stores) {
    const { json } = await pets.list(all);
    assert.deepEqual(
      (JSON.parse(json) as { id: number }[]).map(({ id }) => id),
      upTo50,
    );
  }
});

onPostgres(
  'what a failover lost of a sandbox is not taken for what others wrote since [PostgreSQL]',
  async (t) => {
    const url = await POSTGRESQL.createDatabase(t);
    const raw = connectTo(url);
    cleanUp(t, () => raw.end());
    const [one, two] = [await openStore(url), await openStore(url)];
    cleanUp(t, () => Promise.all([one.close(), two.close()]));
    await addSandbox(one, { id: 'a', pets: 0 });
    const [a, b] = [one, two].map(({ sandboxes }) => new SandboxStores(sandboxes).storeOf('a'));
    assert.ok(a && b);
    const names = async ({ pets }: ResourceStore) =>
      (JSON.parse((await pets.list(all)).json) as { name: string }[]).map(({ name }) => name);
    /** Does work that `a` sees, and then makes the row what it was before. */
    const lose = async (work: () => Promise<unknown>) => {
      const [before] = await raw`SELECT version, state FROM sandboxes WHERE id = 'a'`;
      await work();
      await names(a);
      await raw`UPDATE sandboxes SET version = ${before?.version}, state = ${before?.state}
                WHERE id = 'a'`;
    };

    await lose(() => a.pets.create({ ...rex, name: 'Lost' }));
    await b.pets.create({ ...rex, name: 'Kept' });
    assert.deepEqual(await names(a), ['Kept']);
    await a.pets.create({ ...rex, name: 'Next' });
    assert.deepEqual(await names(b), ['Kept', 'Next']);

    const { snapshots } = one.sandboxes;
    await snapshots.save('a', 'two', NOON, 5);
    await b.pets.remove(1n);
    await snapshots.save('a', 'one', NOON, 5);
    await lose(() => snapshots.restore('a', 'one'));
    await snapshots.restore('a', 'two');
    assert.deepEqual(await names(a), ['Kept', 'Next']);
  },
);

test('a write that others get ahead of is tried again with pauses, and is a failure that lost nothing in the end', async (t, engine) => {
  const store = await openStore(await engine.createDatabase(t));
  cleanUp(t, () => store.close());
  const { sandboxes } = store;
  await addSandbox(store, { id: 'a', pets: 0 });
  let ahead = 19;
  const rows: typeof sandboxes = {
    ...sandboxes,
    commit: async (...change) => (ahead-- > 0 ? false : sandboxes.commit(...change)),
  };
  const { pets } = new SandboxStores(rows).storeOf('a');
  assert.equal((await pets.create(rex)).id, 1n, 'once, at the last try');
  ahead = 20;
  const [lost, next] = await Promise.allSettled([pets.create(rex), pets.create(rex)]);
  assert.ok(lost?.status === 'rejected' && lost.reason instanceof StoreUnavailableError);
  assert.equal(lost.reason.kind, 'busy');
  assert.ok(next?.status === 'fulfilled');
  assert.equal(next.value.id, 2n, 'nothing of the lost one was stored, and the next goes on');
});
