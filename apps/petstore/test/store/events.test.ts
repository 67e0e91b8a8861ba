import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { type Body, type Engine, onEveryEngine } from '@petstore/test-support/engines.ts';
import { animalOf, type StoredEvent } from '../../src/events/event.ts';
import { INT64_MAX } from '../../src/int64.ts';
import { petJson } from '../../src/pets/pet-rules.ts';
import type { EventLog } from '../../src/store/contract/event-logs.ts';
import { openStore } from '../../src/store/open-store.ts';
import { OWN_STORE } from '../../src/store/own-store.ts';
import type { Store } from '../../src/store/store.ts';
import { ONE_TABLE } from '../support/postgres-forms.ts';

// What every engine tells of its writes.

const test = (title: string, body: Body) => onEveryEngine(title, body, [ONE_TABLE]);

const rex = { name: 'Rex\n"ÿ🐈', categoryId: 1n, status: 'available' } as const;
const at = new Date('2026-11-26T12:00:00.000Z');

async function newStore(t: TestContext, engine: Engine): Promise<{ store: Store; log: EventLog }> {
  const store = await openStore(await engine.createDatabase(t));
  cleanUp(t, () => store.close());
  return { store, log: store.events.of(OWN_STORE) };
}

async function told(log: EventLog, after = 0n, limit = 1_000): Promise<StoredEvent[]> {
  const events = await log.list(after, limit);
  assert.ok(Array.isArray(events), 'the log has not got these any more');
  return events;
}

const short = (events: StoredEvent[]) =>
  events.map(({ id, type, data }) => `${id} ${type} ${data}`);

test('each change of an animal or an order is told once, with what it is now', async (t, engine) => {
  const { store, log } = await newStore(t, engine);
  const { pets, orders } = store;
  assert.deepEqual(await told(log), []);
  assert.deepEqual(await log.kept(), { oldest: 1n, newest: 0n });

  const begunAt = Date.now();
  const { json: created } = await pets.create(rex);
  await pets.update(1n, { name: 'Max' });
  const max = { ...rex, name: 'Max' };
  const order = await orders.place(1n, at);
  assert.ok('json' in order);
  const cancelled = await orders.end(order.id, 'cancelled', at);
  const next = await orders.place(1n, at);
  assert.ok('json' in next);
  const completed = await orders.end(next.id, 'completed', at);
  await pets.remove(1n);

  const events = await told(log);
  assert.deepEqual(short(events), [
    `1 pet.created ${created}`,
    `2 pet.updated ${petJson(1n, max)}`,
    `3 order.placed ${order.json}`,
    `4 pet.updated ${petJson(1n, { ...max, status: 'pending' })}`,
    `5 order.cancelled ${cancelled}`,
    `6 pet.updated ${petJson(1n, max)}`,
    `7 order.placed ${next.json}`,
    `8 pet.updated ${petJson(1n, { ...max, status: 'pending' })}`,
    `9 order.completed ${completed}`,
    `10 pet.updated ${petJson(1n, { ...max, status: 'sold' })}`,
    `11 pet.deleted ${petJson(1n, { ...max, status: 'sold' })}`,
  ]);
  assert.ok(events.every((event) => animalOf(event) === '1'));
  // The clock of the database may be another one.
  assert.ok(events.every((event) => Math.abs(event.at - begunAt) < 3_600_000));
});

test('what was refused, changes nothing, or was brought in from outside is not told', async (t, engine) => {
  const { store, log } = await newStore(t, engine);
  const { pets, orders, categories } = store;
  await pets.addMany([
    { ...rex, id: 5n },
    { ...rex, id: undefined },
  ]);
  await categories.create({ name: 'Cats' });
  await pets.update(5n, { name: rex.name });
  await pets.update(7n, { name: 'Max' });
  await pets.remove(7n);
  await orders.place(7n, at);
  await orders.end(1n, 'completed', at);
  await pets.update(5n, { name: 'Max' }, { ifMatch: '"another"', ifNoneMatch: undefined });
  assert.deepEqual(await told(log), []);
});

test('a write that is repeated with its key is told the first time', async (t, engine) => {
  const { store, log } = await newStore(t, engine);
  const { pets, orders } = store;
  const once = (key: string, collectionUrl: string) => ({
    ...{ owner: 'key_1', key, fingerprint: Buffer.alloc(32).toString('base64') },
    ...{ at, since: new Date(0), collectionUrl },
  });
  await Promise.all([
    pets.create(rex),
    pets.createIdempotently(once('a', '/pets'), rex),
    pets.createIdempotently(once('b', '/pets'), rex),
  ]);
  for (let time = 0; time < 2; time++) {
    await pets.createIdempotently(once('a', '/pets'), rex);
    const placed = await orders.placeIdempotently(once('c', '/orders'), 2n);
    assert.ok('id' in placed);
    await orders.endIdempotently(once('d', '/orders'), placed.id, 'cancelled');
  }
  const types = (await told(log)).map(({ id, type }) => `${id} ${type}`);
  assert.deepEqual(types, [
    ...['1 pet.created', '2 pet.created', '3 pet.created'],
    ...['4 order.placed', '5 pet.updated', '6 order.cancelled', '7 pet.updated'],
  ]);
});

test('an event has the animal to the letter, however many are written at once', async (t, engine) => {
  const { store, log } = await newStore(t, engine);
  const { pets } = store;
  const names = [
    ...['Rex', 'two\nlines', '"quoted" \\ "', '\u2028\u2029', 'Ünï 猫 🐈', '{"id":9}'],
    ...['7 available "Max"', 'pet.deleted 3 7 sold "x"', ' ', 'x'.repeat(255)],
  ];
  const many = Array.from({ length: 60 }, (_, i) => ({
    name: names[i % names.length] ?? '',
    categoryId: [1n, INT64_MAX, 7n][i % 3] ?? 0n,
    status: i % 2 === 0 ? ('available' as const) : ('pending' as const),
  }));
  const written = await Promise.all(many.map((pet) => pets.create(pet)));
  const ids = written.map(({ id }) => id);
  // Three neighbours in turn, then a gap.
  const isChanged = (place: number) => place % 4 !== 3;
  const changes = ids.map((id, i) => isChanged(i) && pets.update(id, { name: `${i}\n` }));
  await Promise.all([...changes, pets.create(rex)]);
  await Promise.all(ids.slice(-5).map((id) => pets.remove(id)));

  const expected = ids.flatMap((id, i) => {
    const pet = many[i] ?? rex;
    const changed = isChanged(i) ? { ...pet, name: `${i}\n` } : pet;
    return [
      `pet.created ${petJson(id, pet)}`,
      ...(isChanged(i) ? [`pet.updated ${petJson(id, changed)}`] : []),
      ...(i >= 55 ? [`pet.deleted ${petJson(id, changed)}`] : []),
    ];
  });
  const byAnimal = Map.groupBy(await told(log), animalOf);
  const inOrder = [...ids, 61n].flatMap((id) => byAnimal.get(`${id}`) ?? []);
  assert.deepEqual(
    inOrder.map(({ type, data }) => `${type} ${data}`),
    [...expected, `pet.created ${petJson(61n, rex)}`],
  );
});

test('a write that fails when it has told of itself is not told, and those beside it are', async (t, engine) => {
  const { store, log } = await newStore(t, engine);
  const { pets, orders } = store;
  for (const name of ['One', 'Two']) await pets.create({ ...rex, name });
  const order = await orders.place(1n, at);
  assert.ok('id' in order);
  const before = (await log.kept()).newest;
  // The database refuses a fingerprint of such a length, and is asked when the write itself is done.
  const refused = (key: string) => ({
    ...{ owner: 'key_1', key, fingerprint: Buffer.alloc(5).toString('base64') },
    ...{ at, since: new Date(0), collectionUrl: '/' },
  });
  const outcomes = await Promise.allSettled([
    pets.create({ ...rex, name: 'Three' }),
    pets.createIdempotently(refused('a'), { ...rex, name: 'Nobody' }),
    orders.placeIdempotently(refused('b'), 2n),
    orders.endIdempotently(refused('c'), order.id, 'completed'),
    pets.update(2n, { name: 'Four' }),
    orders.endIdempotently(refused('d'), order.id, 'cancelled'),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', ...Array(3).fill('rejected'), ...['fulfilled', 'rejected']],
  );
  const { json } = await pets.create({ ...rex, name: 'Last' });
  const events = await told(log, before);
  assert.deepEqual(
    events.map(({ id }) => id),
    [1n, 2n, 3n].map((added) => before + added),
  );
  assert.deepEqual(
    events.map(({ type, data }) => `${type} ${(JSON.parse(data) as { name: string }).name}`).sort(),
    ['pet.created Last', 'pet.created Three', 'pet.updated Four'],
  );
  assert.equal(events.at(-1)?.data, json);
});

test('what many change of one animal is told in the order in which it happened', async (t, engine) => {
  const { store, log } = await newStore(t, engine);
  const { pets, orders } = store;
  await pets.create(rex);
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let round = 0; round < 6; round++) {
      // Each changes a member that no other one changes, or the one that all change.
      await pets.update(
        1n,
        round % 2 ? { name: `${client}.${round}` } : { categoryId: BigInt(client) },
      );
      const order = await orders.place(1n, at);
      if ('id' in order) await orders.end(order.id, 'cancelled', at);
    }
  });
  await Promise.all(clients);
  const events = (await told(log)).filter(({ type }) => type.startsWith('pet.'));
  assert.equal(events.at(-1)?.data, await pets.get(1n));
  // A change is of one member: what is told as of one moment has all that was told before.
  for (const [place, { id, data }] of events.entries()) {
    const earlier = events[place - 1];
    if (!earlier) continue;
    const [was, is] = [earlier.data, data].map((text) => JSON.parse(text)) as [object, object];
    const changed = Object.entries(is).filter(
      ([name, value]) => !Object.is(value, (was as Record<string, unknown>)[name]),
    );
    assert.equal(changed.length, 1, `${id}: ${earlier.data} became ${data}`);
  }
});

test('many at once: ids have no gaps, and a reader that follows misses nothing', async (t, engine) => {
  const { store, log } = await newStore(t, engine);
  const { pets } = store;
  let isOver = false;
  const read: StoredEvent[] = [];
  const following = (async () => {
    for (;;) {
      const wasOver = isOver;
      const events = await told(log, read.at(-1)?.id ?? 0n, 7);
      read.push(...events);
      if (wasOver && events.length === 0) return;
      if (events.length === 0) await new Promise(setImmediate);
    }
  })();
  const clients = Array.from({ length: 8 }, async () => {
    for (let i = 0; i < 12; i++) {
      const { id } = await pets.create(rex);
      await pets.update(id, { name: `${i}` });
      if (i % 3 === 0) await pets.remove(id);
    }
  });
  await Promise.all(clients);
  isOver = true;
  await following;
  const expected = 8 * (12 + 12 + 4);
  assert.deepEqual(
    read.map(({ id }) => id),
    Array.from({ length: expected }, (_, i) => BigInt(i + 1)),
  );
  const byAnimal = Map.groupBy(read, animalOf);
  for (const events of byAnimal.values()) {
    const types = events.map(({ type }) => type).join(' ');
    assert.match(types, /^pet.created pet.updated( pet.deleted)?$/);
  }
});

test('a list begins after any id, within a group too, and has at most what was asked for', async (t, engine) => {
  const { store, log } = await newStore(t, engine);
  await Promise.all(Array.from({ length: 20 }, () => store.pets.create(rex)));
  await store.pets.remove(1n);
  for (const after of [0n, 1n, 7n, 19n, 20n, 21n]) {
    for (const limit of [1, 5, 100]) {
      const ids = (await told(log, after, limit)).map(({ id }) => id);
      const wanted = Array.from({ length: 21 }, (_, i) => BigInt(i + 1));
      assert.deepEqual(ids, wanted.slice(Number(after), Number(after) + limit));
    }
  }
  assert.deepEqual(await log.list(22n, 5), { oldest: 1n, newest: 21n });
});

test('old events and those beyond the bound go, the oldest first; the newest stays, and ids go on', async (t, engine) => {
  const { store, log } = await newStore(t, engine);
  const { pets, events } = store;
  const bytes = 255;
  for (let i = 0; i < 6; i++) await pets.create({ ...rex, name: 'x'.repeat(bytes) });
  const future = new Date(Date.now() + 86_400_000);
  const past = new Date(0);
  assert.equal(await events.sweep(OWN_STORE, { before: past, maxBytes: 1_000_000 }, 10), 0);
  // An event takes its name, and less than a third as much beside it.
  assert.equal(await events.sweep(OWN_STORE, { before: past, maxBytes: 4 * bytes }, 10), 2);
  assert.deepEqual(await log.kept(), { oldest: 3n, newest: 6n });
  assert.deepEqual(await log.list(1n, 5), { oldest: 3n, newest: 6n });
  assert.deepEqual(
    (await told(log, 2n)).map(({ id }) => id),
    [3n, 4n, 5n, 6n],
  );
  // Without a position it begins with the oldest that is kept.
  assert.deepEqual(
    (await told(log, 0n, 2)).map(({ id }) => id),
    [3n, 4n],
  );
  assert.equal(await events.sweep(OWN_STORE, { before: future, maxBytes: 1_000_000 }, 1), 1);
  assert.equal(await events.sweep(OWN_STORE, { before: future, maxBytes: 1_000_000 }, 10), 2);
  assert.equal(await events.sweep(OWN_STORE, { before: future, maxBytes: 0 }, 10), 0);
  assert.deepEqual(await log.kept(), { oldest: 6n, newest: 6n });
  await pets.create(rex);
  assert.deepEqual(
    (await told(log)).map(({ id }) => id),
    [6n, 7n],
  );
});
