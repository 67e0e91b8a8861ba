import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { UserError } from '@petstore/service/user-error.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import {
  type Body,
  type Engine,
  onEveryEngine,
  onSharedEngines,
} from '@petstore/test-support/engines.ts';
import { assertWithin, timeUntil } from '@petstore/test-support/within.ts';
import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '../../src/int64.ts';
import { generateKey } from '../../src/keys/key.ts';
import { petJson } from '../../src/pets/pet-rules.ts';
import type { Page } from '../../src/store/contract/page.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { ResourceStore, Store } from '../../src/store/store.ts';
import { StoreUnavailableError } from '../../src/store/store-errors.ts';
import { ONE_TABLE, SMALL_PARTITIONS } from '../support/postgres-forms.ts';
import { openResources, SANDBOXES } from '../support/sandboxes.ts';

// What every engine promises, as src/store/store.ts has it.

const test = (title: string, body: Body) =>
  onEveryEngine(title, body, [ONE_TABLE, SMALL_PARTITIONS]);

/** What sandboxes promise, too. */
const testOfResources = (title: string, body: Body) =>
  onEveryEngine(title, body, [ONE_TABLE, SMALL_PARTITIONS, ...SANDBOXES]);

const rex = { name: 'Rex', categoryId: 1n, status: 'available' } as const;
const everything = { limit: 100, status: undefined, after: undefined };

async function open(t: TestContext, url: string): Promise<Store> {
  const store = await openStore(url);
  cleanUp(t, () => store.close());
  return store;
}

async function newStore(t: TestContext, engine: Engine): Promise<Store> {
  return open(t, await engine.createDatabase(t));
}

async function newResources(t: TestContext, engine: Engine): Promise<ResourceStore> {
  return openResources(t, engine, await engine.createDatabase(t));
}

function idsIn({ json }: Page): bigint[] {
  return [...json.matchAll(/"id":(-?\d+)/g)].map(([, id]) => BigInt(id ?? ''));
}

async function idsOnAllPages({ pets }: ResourceStore, limit: number): Promise<bigint[]> {
  const ids: bigint[] = [];
  let after: bigint | undefined;
  do {
    const page = await pets.list({ limit, status: undefined, after });
    ids.push(...idsIn(page));
    after = page.next;
  } while (after !== undefined);
  return ids;
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => BigInt(i + 1));

testOfResources('a new animal gets the next id, and can be read at once', async (t, engine) => {
  const { pets } = await newResources(t, engine);
  assert.equal(await pets.get(1n), undefined);
  for (const id of upTo(3)) {
    assert.deepEqual(await pets.create(rex), { id, json: petJson(id, rex) });
    assert.equal(await pets.get(id), petJson(id, rex));
    assert.ok((await pets.list(everything)).json.includes(petJson(id, rex)));
  }
});

testOfResources(
  'an animal reads the same to the letter from create, get and list',
  async (t, engine) => {
    const { pets } = await newResources(t, engine);
    const name = fc
      .string({ minLength: 1, maxLength: 60, unit: 'binary' })
      .filter((text) => text.isWellFormed() && !text.includes('\u0000'));
    const categoryId = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
    const status = fc.constantFrom('available', 'pending', 'sold');
    await fc.assert(
      fc.asyncProperty(fc.record({ name, categoryId, status }), async (pet) => {
        const { id, json } = await pets.create(pet);
        assert.equal(json, petJson(id, pet));
        assert.equal(await pets.get(id), json);
        assert.deepEqual((await pets.list({ ...everything, after: id - 1n })).json, `[${json}]`);
      }),
      {
        numRuns: 100,
        examples: [
          [{ name: '"\\/\b\f\n\r\t\u001f\u007f\u2028\uffff🐈', categoryId: 0n, status: 'sold' }],
        ],
      },
    );
  },
);

testOfResources(
  'a page holds what was asked for in ascending order, and leads to the next',
  async (t, engine) => {
    const store = await newResources(t, engine);
    const { pets } = store;
    assert.deepEqual(await pets.list(everything), { json: '[]', next: undefined });
    for (let i = 0; i < 10; i++) {
      await pets.create({ ...rex, status: i % 2 ? 'sold' : 'available' });
    }
    assert.deepEqual(idsIn(await pets.list(everything)), upTo(10));
    assert.equal((await pets.list({ ...everything, limit: 10 })).next, undefined);
    assert.equal((await pets.list({ ...everything, limit: 9 })).next, 9n);
    for (const limit of [1, 3, 5]) assert.deepEqual(await idsOnAllPages(store, limit), upTo(10));

    const sold = await pets.list({ limit: 3, status: 'sold', after: undefined });
    assert.deepEqual([idsIn(sold), sold.next], [[2n, 4n, 6n], 6n]);
    const rest = await pets.list({ limit: 3, status: 'sold', after: 6n });
    assert.deepEqual([idsIn(rest), rest.next], [[8n, 10n], undefined]);
    assert.equal((await pets.list({ limit: 3, status: 'pending', after: undefined })).json, '[]');
  },
);

testOfResources(
  'a search looks at no more animals than it may, and leads on to the rest',
  async (t, engine) => {
    const { pets } = await newResources(t, engine);
    for (const i of upTo(9)) await pets.create({ ...rex, name: i % 4n === 0n ? 'Ada' : 'Rex' });
    const search = {
      ...{ prefix: 'A', categories: undefined, statuses: undefined, from: undefined },
      ...{ to: undefined, limit: 20, after: undefined, maxExamined: 3 },
    };
    const found = async (more: object): Promise<[bigint[], bigint | undefined]> => {
      const page = await pets.query({ ...search, ...more });
      return [idsIn(page), page.next];
    };
    assert.deepEqual(await found({}), [[], 3n]);
    assert.deepEqual(await found({ after: 3n }), [[4n], 6n]);
    assert.deepEqual(await found({ after: 6n }), [[8n], undefined]);
    assert.deepEqual(await found({ to: 3n }), [[], undefined]);
    assert.deepEqual(await found({ from: 2n, to: 5n }), [[4n], 4n]);
    assert.deepEqual(await found({ maxExamined: 100, limit: 1 }), [[4n], 4n]);
    assert.deepEqual(await found({ maxExamined: 100, limit: 2 }), [[4n, 8n], undefined]);
    assert.deepEqual(await found({ after: INT64_MAX }), [[], undefined]);
    assert.deepEqual(await found({ from: 2n, to: 1n }), [[], undefined]);
  },
);

test('rows are what the list shows, each on its own, with where to go on', async (t, engine) => {
  const { pets } = await newStore(t, engine);
  assert.deepEqual(await pets.rows(undefined, 10), { lines: [], next: undefined });
  const odd = { ...rex, name: '"\\/\b\f\n\r\t\u001f\u007f\u2028\uffff🐈', categoryId: INT64_MIN };
  for (let i = 0; i < 5; i++) await pets.create(odd);
  const lines = upTo(5).map((id) => petJson(id, odd));
  assert.deepEqual(await pets.rows(undefined, 5), { lines, next: undefined });
  assert.deepEqual(await pets.rows(undefined, 3), { lines: lines.slice(0, 3), next: 3n });
  assert.deepEqual(await pets.rows(3n, 3), { lines: lines.slice(3), next: undefined });
});

testOfResources('animals that are created at once get an id each', async (t, engine) => {
  const store = await newResources(t, engine);
  const names = Array.from({ length: 1_000 }, (_, i) => `pet ${i}`);
  const made = await Promise.all(names.map((name) => store.pets.create({ ...rex, name })));
  for (const [at, { id, json }] of made.entries()) {
    assert.equal(json, petJson(id, { ...rex, name: names[at] ?? '' }));
  }
  for (const { id, json } of made.slice(0, 50)) assert.equal(await store.pets.get(id), json);
  const ids = made.map(({ id }) => id).sort((a, b) => Number(a - b));
  assert.deepEqual(await idsOnAllPages(store, 100), ids);
});

testOfResources('following pages while others create shows each animal once', async (t, engine) => {
  const store = await newResources(t, engine);
  let isDone = false;
  const writers = Array.from({ length: 8 }, async () => {
    const ids: bigint[] = [];
    for (let i = 0; i < 30; i++) ids.push((await store.pets.create(rex)).id);
    return ids;
  });
  const seen: bigint[] = [];
  const reading = (async () => {
    let after: bigint | undefined;
    for (;;) {
      // SQLite answers at once: the writers need a turn.
      await new Promise((resolve) => setImmediate(resolve));
      const isLast = isDone;
      const page = await store.pets.list({ limit: 2, status: undefined, after });
      if (page.next !== undefined) {
        seen.push(...idsIn(page));
        after = page.next;
      } else if (isLast) {
        seen.push(...idsIn(page));
        return;
      }
    }
  })();
  const created = (await Promise.all(writers)).flat();
  isDone = true;
  await reading;
  assert.deepEqual(
    seen,
    created.sort((a, b) => Number(a - b)),
  );
});

test('an animal that the database refuses fails alone', async (t, engine) => {
  const store = await newStore(t, engine);
  // The database's own constraint refuses the empty name: it stands in for any rule that a row breaks.
  const outcomes = await Promise.allSettled(
    ['a', 'b', '', 'c'].map((name) => store.pets.create({ ...rex, name })),
  );
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  );
  const { reason } = outcomes[2] as PromiseRejectedResult;
  assert.ok(reason instanceof Error && !(reason instanceof StoreUnavailableError));
  assert.equal((await idsOnAllPages(store, 100)).length, 3);
});

test('many animals keep the ids they bring, unless another one has it', async (t, engine) => {
  const { pets } = await newStore(t, engine);
  await pets.create(rex);
  await pets.create({ ...rex, name: 'Ada' });
  const added = await pets.addMany([
    { ...rex, id: 1n },
    { ...rex, id: 2n },
    { ...rex, id: INT64_MIN },
    { ...rex, id: 50n, categoryId: INT64_MAX },
    { ...rex, id: undefined },
    { ...rex, id: 7n },
    { ...rex, id: 7n },
    { ...rex, id: 7n, name: 'Kim' },
  ]);
  assert.deepEqual(added, [
    'present',
    'conflict',
    'added',
    'added',
    'added',
    'added',
    'present',
    'conflict',
  ]);
  assert.equal(await pets.get(50n), petJson(50n, { ...rex, categoryId: INT64_MAX }));
  const { lines } = await pets.rows(7n, 10);
  assert.equal(lines.length, 2, 'what had no id got one behind all others');
  const { id } = await pets.create(rex);
  assert.ok(id > 50n);
  assert.deepEqual(idsIn(await pets.list({ ...everything, limit: 1 })), [INT64_MIN]);
  assert.deepEqual(await pets.addMany([]), []);
});

test('of many animals all are added or, when one is refused, none', async (t, engine) => {
  const store = await newStore(t, engine);
  await assert.rejects(
    store.pets.addMany([
      { ...rex, id: 3n },
      { ...rex, id: undefined },
      { ...rex, id: 5n, name: '' },
    ]),
  );
  assert.deepEqual(await idsOnAllPages(store, 100), []);
  assert.deepEqual(await store.pets.addMany([{ ...rex, id: 3n }]), ['added']);
});

test('the last id that there is can be given, and after it an honest refusal', async (t, engine) => {
  const { pets } = await newStore(t, engine);
  await pets.addMany([{ ...rex, id: INT64_MAX - 1n }]);
  assert.equal((await pets.create(rex)).id, INT64_MAX);
  await assert.rejects(pets.create(rex), StoreUnavailableError);
  assert.equal(await pets.get(INT64_MAX), petJson(INT64_MAX, rex));
});

test('a key is active from when it was added until it is revoked', async (t, engine) => {
  const { keys } = await newStore(t, engine);
  const made = generateKey('Ada Løve 🐈', 'staging', new Date(1_700_000_000_123), {
    scopes: ['pets:read'],
    expiresAt: new Date(1_900_000_000_456),
  });
  assert.equal(await keys.findUnrevoked(made.hash), undefined);
  assert.equal(await keys.idOf(made.hash), undefined);
  await keys.add(made);
  const active = { id: made.record.id, scopes: ['pets:read'], expiresAt: 1_900_000_000_456 };
  for (let i = 0; i < 3; i++) assert.deepEqual(await keys.findUnrevoked(made.hash), active);
  assert.equal(await keys.idOf(made.hash), made.record.id);
  assert.deepEqual(await keys.list(), [made.record]);

  const first = new Date(1_700_000_001_456);
  assert.equal(await keys.revoke('key_none', first), 'not_found');
  assert.deepEqual(await keys.findUnrevoked(made.hash), active);
  assert.equal(await keys.revoke(made.record.id, first), 'revoked');
  assert.equal(await keys.findUnrevoked(made.hash), undefined);
  assert.equal(await keys.revoke(made.record.id, new Date()), 'already_revoked');
  assert.deepEqual(await keys.list(), [{ ...made.record, revokedAt: first }]);
  assert.equal(await keys.idOf(made.hash), made.record.id);
});

test('keys are listed by age, and those of one moment in the order in which they came', async (t, engine) => {
  const { keys } = await newStore(t, engine);
  const made = [5, 3, 5, 5, 1].map((at, i) => generateKey(`${i}`, 'production', new Date(at)));
  for (const key of made) await keys.add(key);
  const names = (await keys.list()).map(({ name }) => name);
  assert.deepEqual(names, ['4', '1', '0', '2', '3']);
});

test('the first key is added once, and not when there was one, revoked or not', async (t, engine) => {
  const { keys } = await newStore(t, engine);
  const [one, two] = [1, 2].map(() => generateKey('x', 'production', new Date()));
  assert.ok(one && two);
  assert.equal(await keys.addFirst(one), true);
  assert.equal(await keys.addFirst(two), false);
  await keys.revoke(one.record.id, new Date());
  assert.equal(await keys.addFirst(two), false);
  assert.equal((await keys.list()).length, 1);
});

test('a store that is open is in good health, one that is closed returns nothing', async (t, engine) => {
  const store = await openStore(await engine.createDatabase(t));
  for (const check of Object.values(store.checks)) assert.equal(await check(), undefined);
  await store.close();
  for (const check of Object.values(store.checks)) assert.ok((await check())?.message);
  const { hash } = generateKey('x', 'production', new Date());
  for (const call of [
    async () => store.pets.get(1n),
    async () => store.pets.list(everything),
    async () => store.keys.findUnrevoked(hash),
    async () => store.keys.list(),
  ]) {
    await assert.rejects(call, StoreUnavailableError);
  }
});

onSharedEngines('what one store has written every other sees at once', async (t, engine) => {
  const url = await engine.createDatabase(t);
  const [one, two] = [await open(t, url), await open(t, url)];
  for (let i = 1; i <= 20; i++) {
    const [writer, reader] = i % 2 ? [one, two] : [two, one];
    const { id, json } = await writer.pets.create(rex);
    assert.equal(await reader.pets.get(id), json);
    assert.equal(idsIn(await reader.pets.list(everything)).length, i);
  }
});

onSharedEngines('ids never collide, however many stores give them', async (t, engine) => {
  const url = await engine.createDatabase(t);
  const stores = await Promise.all([1, 2, 3, 4].map(() => open(t, url)));
  const made = await Promise.all(
    Array.from({ length: 200 }, (_, i) => stores[i % 4]?.pets.create(rex)),
  );
  assert.equal(new Set(made.map((pet) => pet?.id)).size, 200);
});

onSharedEngines('of many that add the first key at once, one does', async (t, engine) => {
  const url = await engine.createDatabase(t);
  const stores = await Promise.all([1, 2, 3, 4].map(() => open(t, url)));
  const added = await Promise.all(
    stores.map(({ keys }, i) => keys.addFirst(generateKey(`k${i}`, 'production', new Date()))),
  );
  assert.deepEqual(added.filter(Boolean), [true]);
});

onSharedEngines(
  'a key works in every store at once, and in none after it was revoked',
  async (t, engine) => {
    const url = await engine.createDatabase(t);
    const [one, two] = [await open(t, url), await open(t, url)];
    await assertWithin(1_000, async () => {
      const made = generateKey('x', 'production', new Date());
      await one.keys.add(made);
      assert.ok(await two.keys.findUnrevoked(made.hash));
      assert.ok(await one.keys.findUnrevoked(made.hash));
      await one.keys.revoke(made.record.id, new Date());
      assert.equal(await one.keys.findUnrevoked(made.hash), undefined);
      return timeUntil(async () => !(await two.keys.findUnrevoked(made.hash)));
    });
  },
);

onSharedEngines('what was stored is there when the database is opened again', async (t, engine) => {
  const url = await engine.createDatabase(t);
  const first = await openStore(url);
  const { id, json } = await first.pets.create(rex);
  await first.close();
  const second = await open(t, url);
  assert.equal(await second.pets.get(id), json);
  assert.ok((await second.pets.create(rex)).id > id);
});

onSharedEngines(
  'a command that needs a petstore refuses a place without one',
  async (t, engine) => {
    const url = await engine.createDatabase(t);
    await assert.rejects(openStore(url, { mustExist: true }), UserError);
    await assert.rejects(
      openStore(url, { mustExist: true }),
      UserError,
      'it was not made meanwhile',
    );
    await (await openStore(url)).close();
    await (await openStore(url, { mustExist: true })).close();
  },
);
