import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import type { TestContext } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import {
  type Body,
  onSharedEngines,
  onEveryEngine as test,
} from '@petstore/test-support/engines.ts';
import type { PetFields } from '../../src/pets/pet.ts';
import { petJson } from '../../src/pets/pet-rules.ts';
import { isRefusal, type Refusal } from '../../src/refusal.ts';
import type { Idempotency, IdempotentResult } from '../../src/store/contract/idempotency.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { ResourceStore, Store } from '../../src/store/store.ts';
import { openResources, SANDBOXES } from '../support/sandboxes.ts';

// What every engine promises of writes that happen once: Idempotency in src/store/contract/idempotency.ts.

/** What sandboxes promise, too: each has one owner, and bounds what it keeps itself. */
const testOfResources = (title: string, body: Body) => test(title, body, SANDBOXES);

const rex: PetFields = { name: 'Rex', categoryId: 9007199254740993n, status: 'available' };
const NOON = Date.parse('2026-11-21T12:00:00.000Z');
const DAY_MS = 86_400_000;

function withKey(
  key: string,
  { at = NOON, owner = 'key_a', asked = 'x', collectionUrl = 'a' } = {},
): Idempotency {
  return {
    owner,
    key,
    fingerprint: hash('sha256', asked, 'base64'),
    at: new Date(at),
    since: new Date(at - DAY_MS),
    collectionUrl,
  };
}

async function open(t: TestContext, url: string): Promise<Store> {
  const store = await openStore(url);
  cleanUp(t, () => store.close());
  return store;
}

async function namesIn({ pets }: ResourceStore): Promise<string[]> {
  const { json } = await pets.list({ limit: 100, after: undefined, status: undefined });
  return (JSON.parse(json) as { name: string }[]).map(({ name }) => name);
}

function written(result: IdempotentResult | Refusal | undefined): IdempotentResult {
  assert.ok(result);
  if (isRefusal(result)) assert.fail(result.message);
  return result;
}

function refused(result: IdempotentResult | Refusal | undefined): string {
  assert.ok(isRefusal(result));
  return result.refused;
}

testOfResources(
  'a write that was done once has the result of then, whatever has become of it',
  async (t, engine) => {
    const { pets, categories, orders } = await openResources(
      t,
      engine,
      await engine.createDatabase(t),
    );
    const pet = written(await pets.createIdempotently(withKey('p'), rex));
    assert.deepEqual(pet, { id: 1n, json: petJson(1n, rex), collectionUrl: 'a' });
    const category = written(
      await categories.createIdempotently(withKey('c'), { name: 'Dogs "ß" 🐈' }),
    );
    const order = written(await orders.placeIdempotently(withKey('o'), pet.id));
    const ended = written(await orders.endIdempotently(withKey('e'), order.id, 'cancelled'));
    assert.equal(await orders.get(order.id), ended.json);

    await pets.update(pet.id, { name: 'Ada' });
    await categories.update(category.id, { name: 'Hounds' });
    assert.equal(await pets.remove(pet.id), 'removed');
    const later = { at: NOON + DAY_MS - 1, collectionUrl: 'b' };
    assert.deepEqual(await pets.createIdempotently(withKey('p', later), rex), pet);
    assert.deepEqual(
      await categories.createIdempotently(withKey('c', later), { name: 'Dogs "ß" 🐈' }),
      category,
    );
    assert.deepEqual(await orders.placeIdempotently(withKey('o', later), pet.id), order);
    assert.deepEqual(
      await orders.endIdempotently(withKey('e', later), order.id, 'cancelled'),
      ended,
    );
    assert.equal(await pets.get(pet.id), undefined, 'nothing was made anew');
  },
);

testOfResources('what a rule refused stays refused with the same words', async (t, engine) => {
  const { pets, categories, orders } = await openResources(
    t,
    engine,
    await engine.createDatabase(t),
  );
  const noPet = await orders.placeIdempotently(withKey('o'), 1n);
  assert.equal(refused(noPet), 'not_found');
  await pets.create({ ...rex, status: 'sold' });
  assert.deepEqual(await orders.placeIdempotently(withKey('o'), 1n), noPet);
  const sold = await orders.placeIdempotently(withKey('o2'), 1n);
  assert.equal(refused(sold), 'conflict');
  await pets.update(1n, { status: 'available' });
  assert.deepEqual(await orders.placeIdempotently(withKey('o2'), 1n), sold);
  assert.equal(refused(await orders.endIdempotently(withKey('e'), 5n, 'completed')), 'not_found');
  await categories.create({ name: 'Dogs' });
  assert.equal(
    refused(await categories.createIdempotently(withKey('c'), { name: 'DOGS' })),
    'conflict',
  );
  assert.ok(!isRefusal(await orders.placeIdempotently(withKey('o3'), 1n)));
});

test('a key belongs to one request of one owner', async (t, engine) => {
  const store = await open(t, await engine.createDatabase(t));
  await store.pets.createIdempotently(withKey('k'), rex);
  const other = await store.pets.createIdempotently(withKey('k', { asked: 'y' }), {
    ...rex,
    name: 'Ada',
  });
  assert.equal(refused(other), 'idempotency_mismatch');
  assert.equal(
    refused(await store.orders.placeIdempotently(withKey('k', { asked: 'z' }), 1n)),
    refused(other),
  );
  assert.deepEqual(await namesIn(store), ['Rex']);
  const theirs = await store.pets.createIdempotently(
    withKey('k', { owner: 'key_b', asked: 'y' }),
    rex,
  );
  assert.equal(written(theirs).id, 2n);
  assert.equal(
    written(await store.pets.createIdempotently(withKey('K'), rex)).id,
    3n,
    'case counts',
  );
});

testOfResources('a key counts for as long as it is told to, and then anew', async (t, engine) => {
  const store = await openResources(t, engine, await engine.createDatabase(t));
  const first = written(await store.pets.createIdempotently(withKey('k'), rex));
  const at = NOON + DAY_MS;
  assert.deepEqual(await store.pets.createIdempotently(withKey('k', { at }), rex), first);
  const asked = { at: at + 1, asked: 'y' };
  const second = written(
    await store.pets.createIdempotently(withKey('k', asked), { ...rex, name: 'Ada' }),
  );
  assert.equal(second.id, 2n);
  assert.deepEqual(
    await store.pets.createIdempotently(withKey('k', { ...asked, at: at + DAY_MS }), rex),
    second,
  );
});

testOfResources(
  'while the first of a key is under way, a second is told to come again',
  async (t, engine) => {
    const store = await openResources(t, engine, await engine.createDatabase(t));
    const results = await Promise.all(
      ['x', 'x', 'y'].map((asked) => store.pets.createIdempotently(withKey('k', { asked }), rex)),
    );
    const first = written(results[0]);
    assert.deepEqual(results.slice(1).map(refused), [
      'idempotency_conflict',
      'idempotency_conflict',
    ]);
    assert.deepEqual(await store.pets.createIdempotently(withKey('k'), rex), first);
    assert.equal((await namesIn(store)).length, 1);
  },
);

test('a write that the database refuses keeps nothing, not even beside others', async (t, engine) => {
  const store = await open(t, await engine.createDatabase(t));
  const [bad, good] = await Promise.allSettled([
    store.pets.createIdempotently(withKey('bad'), { ...rex, name: '' }),
    store.pets.createIdempotently(withKey('good'), rex),
  ]);
  assert.equal(bad.status, 'rejected');
  assert.ok(good.status === 'fulfilled');
  written(await store.pets.createIdempotently(withKey('bad'), rex));
  assert.equal((await namesIn(store)).length, 2);
});

test('animals that arrive together are each made once for their own key, with ids in their order', async (t, engine) => {
  const { pets } = await open(t, await engine.createDatabase(t));
  const odd = { ...rex, name: '100 % of "%1$s" \\ 🐈', categoryId: -5n };
  const make = (key: string, asked: Parameters<typeof withKey>[1], pet = rex) =>
    pets.createIdempotently(withKey(key, asked), pet);
  const kept = written(await make('kept', { at: NOON + DAY_MS }));
  written(await make('too old', {}));
  const at = NOON + DAY_MS + 1;
  const collectionUrl = 'https://example.com/%2$s%';
  const [plain, again, strange, other, theirs, renewed] = await Promise.all([
    pets.create(odd),
    make('kept', { at }),
    make('strange', { at, collectionUrl }, odd),
    make('kept', { at, asked: 'y' }),
    make('kept', { at, owner: 'key_b' }),
    make('too old', { at, asked: 'y' }, odd),
  ]);
  assert.deepEqual(plain, { id: 3n, json: petJson(3n, odd) });
  assert.deepEqual(again, kept);
  assert.deepEqual(strange, { id: 4n, json: petJson(4n, odd), collectionUrl });
  assert.equal(refused(other), 'idempotency_conflict', 'the first of its key is under way');
  assert.deepEqual([written(theirs).id, written(renewed).id], [5n, 6n]);
  assert.deepEqual(
    await Promise.all([
      make('strange', { at: at + 1 }),
      make('too old', { at: at + 1, asked: 'y' }),
      make('kept', { at, asked: 'y' }).then(refused),
    ]),
    [strange, renewed, 'idempotency_mismatch'],
  );
});

test('results are forgotten by age, the oldest first, in steps that are bounded', async (t, engine) => {
  const { pets, idempotentResults } = await open(t, await engine.createDatabase(t));
  for (let i = 0; i < 5; i++)
    await pets.createIdempotently(withKey(`k${i}`, { at: NOON + i }), rex);
  assert.equal(await idempotentResults.deleteBefore(new Date(NOON), 10), 0);
  assert.equal(await idempotentResults.deleteBefore(new Date(NOON + 3), 2), 2);
  assert.equal(await idempotentResults.deleteBefore(new Date(NOON + 3), 2), 1);
  assert.equal(await idempotentResults.deleteBefore(new Date(NOON + 3), 2), 0);
  const again = async (i: number) =>
    written(await pets.createIdempotently(withKey(`k${i}`, { at: NOON + 5 }), rex)).id;
  assert.deepEqual([await again(3), await again(4)], [4n, 5n]);
  assert.equal(await again(2), 6n);
});

test('results beyond a number are forgotten, the oldest first, and nobody else’s', async (t, engine) => {
  const { pets, idempotentResults } = await open(t, await engine.createDatabase(t));
  await pets.createIdempotently(withKey('k', { owner: 'key_b' }), rex);
  for (let i = 0; i < 6; i++) await pets.createIdempotently(withKey(`k${i}`), rex);
  assert.equal(await idempotentResults.placeBeyond('key_a', 6), undefined);
  const place = (await idempotentResults.placeBeyond('key_a', 3)) ?? 0n;
  assert.equal(await idempotentResults.deleteUpTo('key_a', place, 2), 2);
  assert.equal(await idempotentResults.deleteUpTo('key_a', place, 2), 1);
  assert.equal(await idempotentResults.deleteUpTo('key_a', place, 2), 0);
  assert.equal(await idempotentResults.placeBeyond('key_a', 3), undefined);
  const isKept = async (i: number) =>
    written(await pets.createIdempotently(withKey(`k${i}`), rex)).id <= 7n;
  assert.deepEqual([await isKept(3), await isKept(4), await isKept(5)], [true, true, true]);
  assert.equal(await isKept(2), false);
  assert.equal(
    written(await pets.createIdempotently(withKey('k', { owner: 'key_b' }), rex)).id,
    1n,
  );
});

test('a result that replaced an older one is as young as it is', async (t, engine) => {
  const { pets, idempotentResults } = await open(t, await engine.createDatabase(t));
  const later = { at: NOON + DAY_MS + 1 };
  for (const key of ['k1', 'k2']) await pets.createIdempotently(withKey(key), rex);
  const renewed = await pets.createIdempotently(withKey('k1', later), rex);
  const place = (await idempotentResults.placeBeyond('key_a', 1)) ?? 0n;
  assert.equal(await idempotentResults.deleteUpTo('key_a', place, 10), 1);
  assert.deepEqual(await pets.createIdempotently(withKey('k1', later), rex), renewed);
});

onSharedEngines(
  'of many stores that are asked for the same at once, one does it',
  async (t, engine) => {
    const url = await engine.createDatabase(t);
    const stores = await Promise.all([1, 2, 3].map(() => open(t, url)));
    const KEYS = 60;
    const asked = await Promise.all(
      Array.from({ length: 3 * KEYS }, async (_, i) => {
        const store = stores[i % 3] as Store;
        const key = Math.floor(i / 3);
        for (;;) {
          const result = await store.pets.createIdempotently(withKey(`k${key}`), {
            ...rex,
            name: `${key}`,
          });
          if (!isRefusal(result)) return result;
          assert.equal(result.refused, 'idempotency_conflict');
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      }),
    );
    for (let key = 0; key < KEYS; key++) {
      const [one, two, three] = asked.slice(3 * key, 3 * key + 3);
      assert.deepEqual(two, one);
      assert.deepEqual(three, one);
    }
    const names = await namesIn(stores[0] as Store);
    assert.deepEqual([names.length, new Set(names).size], [KEYS, KEYS]);
  },
);

onSharedEngines('answers are there when the database is opened again', async (t, engine) => {
  const url = await engine.createDatabase(t);
  const store = await openStore(url);
  const first = await store.pets.createIdempotently(withKey('k'), rex);
  await store.close();
  assert.deepEqual(await (await open(t, url)).pets.createIdempotently(withKey('k'), rex), first);
});
