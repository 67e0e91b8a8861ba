import assert from 'node:assert/strict';
import { hostname, userInfo } from 'node:os';
import type { TestContext } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import {
  type Engine,
  onSharedEngines,
  onEveryEngine as test,
} from '@petstore/test-support/engines.ts';
import { assertTook, timeUntil } from '@petstore/test-support/within.ts';
import { generateKey, type NewKey } from '../../src/keys/key.ts';
import type { Rotation, RotationOrder } from '../../src/keys/key-rules.ts';
import { isRefusal, type Refusal } from '../../src/refusal.ts';
import type { KeyStore } from '../../src/store/contract/key-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';

// What every engine promises of keys and of the record of what is done to them.

const DAY_MS = 86_400_000;
const T0 = Date.parse('2026-11-22T12:00:00.123Z');
const at = (days: number) => new Date(T0 + days * DAY_MS);

async function newStore(t: TestContext, engine: Engine): Promise<Store> {
  const store = await openStore(await engine.createDatabase(t));
  cleanUp(t, () => store.close());
  return store;
}

async function addKey(
  keys: KeyStore,
  more: Parameters<typeof generateKey>[3] = {},
): Promise<NewKey> {
  const made = generateKey('Ada', 'staging', at(0), more);
  await keys.add(made);
  return made;
}

async function rotated(keys: KeyStore, id: string, order: RotationOrder): Promise<Rotation> {
  const outcome = await keys.rotate(id, order);
  assert.ok(!isRefusal(outcome));
  return outcome;
}

async function refused(keys: KeyStore, id: string, order: RotationOrder): Promise<Refusal> {
  const outcome = await keys.rotate(id, order);
  assert.ok(isRefusal(outcome));
  return outcome;
}

async function events({ audit }: Store, since?: Date): Promise<[string, string, object][]> {
  const all = await audit.list({ since, limit: 100 });
  return all.map(({ action, subject, detail }) => [action, subject, detail]);
}

test('a rotated key ends with the overlap; its successor has its name, scopes and environment', async (t, engine) => {
  const { keys } = await newStore(t, engine);
  const old = await addKey(keys, { scopes: ['orders:read', 'pets:read'] });
  const { successor, replaced, until } = await rotated(keys, old.record.id, {
    at: at(10),
    until: at(11),
  });
  assert.deepEqual([replaced, until], [old.record, at(11)]);
  const { id, name, environment, scopes, createdAt, expiresAt } = successor.record;
  assert.deepEqual([name, environment, scopes], ['Ada', 'staging', ['orders:read', 'pets:read']]);
  assert.deepEqual([createdAt, expiresAt], [at(10), undefined]);
  assert.match(successor.key, /^pk_test_/);
  assert.equal((await keys.findUnrevoked(old.hash))?.expiresAt, at(11).getTime());
  assert.equal((await keys.findUnrevoked(successor.hash))?.id, id);
  assert.deepEqual(await keys.list(), [
    { ...old.record, expiresAt: at(11), replacedBy: id },
    successor.record,
  ]);
});

test('a key that was created for a time gets a successor for as long, unless another end is wanted', async (t, engine) => {
  const { keys } = await newStore(t, engine);
  const ids = [];
  for (let i = 0; i < 2; i++) ids.push((await addKey(keys, { expiresAt: at(30) })).record.id);
  const [one = '', two = ''] = ids;
  const first = await rotated(keys, one, { at: at(20), until: at(40) });
  assert.deepEqual(first.until, at(30), 'an overlap makes no life longer');
  assert.deepEqual(first.successor.record.expiresAt, at(50));
  const second = await rotated(keys, two, { at: at(20), until: at(21), expiresAt: at(99) });
  assert.deepEqual(second.successor.record.expiresAt, at(99));
});

test('a key that is unknown, revoked, expired or rotated already is not rotated', async (t, engine) => {
  const store = await newStore(t, engine);
  const { keys } = store;
  const order = { at: at(10), until: at(11) };
  assert.equal((await refused(keys, 'key_none', order)).refused, 'not_found');
  const revoked = await addKey(keys);
  await keys.revoke(revoked.record.id, at(1));
  const expired = await addKey(keys, { expiresAt: at(10) });
  const replaced = await addKey(keys);
  const { successor } = await rotated(keys, replaced.record.id, order);
  const before = [await keys.list(), await events(store)];
  for (const [key, message] of [
    [revoked, /was revoked on 2026-11-23T12:00:00\.123Z\. Create a new one/],
    [expired, /expired on 2026-12-02T12:00:00\.123Z\. Create a new one/],
    [replaced, new RegExp(`was rotated already: ${successor.record.id} replaces it\\.`)],
  ] as const) {
    const outcome = await refused(keys, key.record.id, order);
    assert.equal(outcome.refused, 'conflict');
    assert.match(outcome.message, message);
  }
  assert.deepEqual([await keys.list(), await events(store)], before);
});

test('a rotation that is undone leaves the key as it was, and its successor revoked', async (t, engine) => {
  const store = await newStore(t, engine);
  const { keys } = store;
  const old = await addKey(keys, { expiresAt: at(30) });
  const rotation = await rotated(keys, old.record.id, { at: at(1), until: at(2) });
  await keys.undoRotation(rotation, at(1));
  const { successor } = rotation;
  assert.deepEqual(await keys.list(), [old.record, { ...successor.record, revokedAt: at(1) }]);
  assert.equal((await keys.findUnrevoked(old.hash))?.expiresAt, at(30).getTime());
  assert.equal(await keys.findUnrevoked(successor.hash), undefined);
  const subjects = (await events(store)).slice(-2).map(([action, subject]) => [action, subject]);
  assert.deepEqual(subjects, [
    ['key.rotation_undone', old.record.id],
    ['key.revoked', successor.record.id],
  ]);
});

test('when a key was last used moves on, never back, and belongs to keys that are there', async (t, engine) => {
  const { keys } = await newStore(t, engine);
  const [one, two] = [(await addKey(keys)).record, (await addKey(keys)).record];
  const uses = async () => (await keys.list()).map(({ lastUsedAt }) => lastUsedAt);
  assert.deepEqual(await uses(), [undefined, undefined]);
  await keys.noteUses(new Map([[one.id, at(2).getTime()]]));
  assert.deepEqual(await uses(), [at(2), undefined]);
  const later = [
    [one.id, at(1).getTime()],
    [two.id, at(3).getTime()],
    ['key_none', 1],
  ] as const;
  await keys.noteUses(new Map(later));
  assert.deepEqual(await uses(), [at(2), at(3)]);
});

test('whatever is done to a key is on record, who did it too, and never the key', async (t, engine) => {
  const store = await newStore(t, engine);
  const { keys, audit } = store;
  const first = generateKey('first', 'production', at(0));
  await keys.addFirst(first);
  await keys.addFirst(generateKey('second', 'production', at(0)));
  const made = await addKey(keys, { scopes: ['admin'], expiresAt: at(9) });
  const { successor } = await rotated(keys, made.record.id, { at: at(1), until: at(2) });
  await keys.revoke(made.record.id, at(3));
  await keys.revoke(made.record.id, at(4));
  await keys.revoke('key_none', at(4));
  const scopes = [
    ...['pets:read', 'pets:write', 'orders:read', 'orders:write'],
    ...['events:read', 'webhooks:read', 'webhooks:write'],
  ];
  const ada = { name: 'Ada', environment: 'staging', scopes: ['admin'] };
  const [oldId, newId] = [made.record.id, successor.record.id];
  assert.deepEqual(await events(store), [
    [
      'key.created',
      first.record.id,
      { name: 'first', environment: 'production', scopes, expiresAt: null, isFirst: true },
    ],
    ['key.created', oldId, { ...ada, expiresAt: at(9).toISOString() }],
    ['key.rotated', oldId, { name: 'Ada', successor: newId, until: at(2).toISOString() }],
    ['key.created', newId, { ...ada, expiresAt: at(10).toISOString(), replaces: oldId }],
    ['key.revoked', oldId, {}],
  ]);
  const all = await audit.list({ since: undefined, limit: 100 });
  const actor = `${userInfo().username}@${hostname()}`;
  assert.deepEqual(
    all.map((event) => [event.at, event.actor]),
    [0, 0, 1, 1, 3].map((day) => [at(day), actor]),
  );
  const text = JSON.stringify(all);
  for (const { key, hash } of [first, made, successor]) {
    assert.ok(!text.includes(key.slice(8, 20)) && !text.includes(hash));
  }
});

test('what cannot be put on record is not done', async (t, engine) => {
  const { keys } = await newStore(t, engine);
  const toJSON = () => {
    throw new Error('not for the record');
  };
  // Good for the table of keys, and no JSON.
  const scopes = Object.assign(['pets:read' as const], { toJSON });
  const made = generateKey('x', 'production', at(0), { scopes });
  await assert.rejects(async () => keys.add(made), /not for the record/);
  assert.equal(await keys.findUnrevoked(made.hash), undefined);
  assert.deepEqual(await keys.list(), []);
});

test('the record gives the newest events from a moment on, the newest last', async (t, engine) => {
  const { audit } = await newStore(t, engine);
  for (let day = 0; day < 5; day++) {
    const detail = { day, text: 'ä "quoted" \u2028', list: [1, null, { deep: true }] };
    await audit.add({ at: at(day), action: 'pets.imported', subject: `${day}`, detail });
  }
  const subjects = async (since: Date | undefined, limit: number) =>
    (await audit.list({ since, limit })).map(({ subject }) => subject);
  assert.deepEqual(await subjects(undefined, 100), ['0', '1', '2', '3', '4']);
  assert.deepEqual(await subjects(undefined, 2), ['3', '4']);
  assert.deepEqual(await subjects(at(3), 100), ['3', '4']);
  assert.deepEqual(await subjects(new Date(at(3).getTime() + 1), 100), ['4']);
  const [first, second] = await audit.list({ since: undefined, limit: 5 });
  assert.ok(first && second && first.id < second.id);
  assert.deepEqual(first.detail, {
    day: 0,
    text: 'ä "quoted" \u2028',
    list: [1, null, { deep: true }],
  });
});

onSharedEngines('a rotation counts in every process at once', async (t, engine) => {
  const url = await engine.createDatabase(t);
  const [one, two] = [await openStore(url), await openStore(url)];
  cleanUp(t, () => Promise.all([one.close(), two.close()]));
  const made = await addKey(one.keys);
  for (const { keys } of [one, two]) {
    assert.equal((await keys.findUnrevoked(made.hash))?.expiresAt, Number.POSITIVE_INFINITY);
  }
  const { successor } = await rotated(one.keys, made.record.id, { at: at(1), until: at(2) });
  assert.ok(await two.keys.findUnrevoked(successor.hash));
  assert.equal((await one.keys.findUnrevoked(made.hash))?.expiresAt, at(2).getTime());
  const ms = await timeUntil(
    async () => (await two.keys.findUnrevoked(made.hash))?.expiresAt === at(2).getTime(),
  );
  await assertTook(ms, 1_000);
});

onSharedEngines('of two who rotate the same key at once, one does', async (t, engine) => {
  const url = await engine.createDatabase(t);
  const stores = await Promise.all([1, 2].map(() => openStore(url)));
  cleanUp(t, () => Promise.all(stores.map((store) => store.close())));
  const [one] = stores;
  assert.ok(one);
  const { id } = (await addKey(one.keys)).record;
  const order = { at: at(1), until: at(2) };
  const outcomes = await Promise.all(stores.map(({ keys }) => keys.rotate(id, order)));
  assert.equal(outcomes.filter((outcome) => isRefusal(outcome)).length, 1);
  assert.equal((await one.keys.list()).length, 2);
});
