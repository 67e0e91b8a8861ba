import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { postgresAddress } from '@petstore/service/postgres-address.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { readDocument } from '@petstore/test-support/documents.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { assertTook, timeUntil } from '@petstore/test-support/within.ts';
import { openStore } from '../../src/store/open-store.ts';
import { serverOf } from '../../src/store/postgres/client.ts';
import { addPartition } from '../../src/store/postgres/partitions.ts';
import type { Store } from '../../src/store/store.ts';
import { ONE_TABLE } from '../support/postgres-forms.ts';

const rex = { name: 'Rex', categoryId: 1n, status: 'available' } as const;

/** Small enough for any table with a row. */
const SMALL = 1;

/** How often each statement is sent where it is counted what it reads. */
const ROUNDS = 60;

async function openDatabase(t: TestContext, url: string) {
  const store = await openStore(url);
  const raw = connectTo(url);
  cleanUp(t, () => Promise.all([store.close(), raw.end()]));
  return { store, raw, url, server: serverOf(postgresAddress('url', url)) };
}

const newDatabase = async (t: TestContext) =>
  openDatabase(t, await (await sharedServer()).createDatabase());

async function allIds({ pets }: Store): Promise<bigint[]> {
  const ids: bigint[] = [];
  let after: bigint | undefined;
  do {
    const page = await pets.list({ limit: 100, status: undefined, after });
    ids.push(...[...page.json.matchAll(/"id":(-?\d+)/g)].map(([, id]) => BigInt(id ?? '')));
    after = page.next;
  } while (after !== undefined);
  return ids;
}

const tableOf = async ({ raw }: { raw: ReturnType<typeof connectTo> }, id: bigint) =>
  (
    await raw<{ name: string }>`SELECT tableoid::regclass::text AS name FROM pets WHERE id = ${id}`
  )[0]?.name;

test('a partition is added before it is needed, while animals are created, and they go on into it', async (t) => {
  const database = await newDatabase(t);
  const { store, server } = database;
  await store.pets.create(rex);
  let isOver = false;
  const creating = Array.from({ length: 4 }, async () => {
    for (; !isOver; ) await store.pets.create(rex);
  });
  const end = await addPartition(server, SMALL);
  assert.equal(end, 20_000_000n);
  isOver = true;
  await Promise.all(creating);
  // The new one is empty, so there is nothing to do.
  assert.equal(await addPartition(server, SMALL), undefined);

  // As after many creates: the next ids are on both sides of the border.
  const imported = { ...rex, id: 19_999_997n };
  assert.deepEqual(await store.pets.addMany([imported]), ['added']);
  const created = await Promise.all(Array.from({ length: 6 }, () => store.pets.create(rex)));
  const ids = created.map(({ id }) => id);
  assert.deepEqual(
    ids,
    Array.from({ length: 6 }, (_, i) => 19_999_998n + BigInt(i)),
  );
  assert.equal(await tableOf(database, 19_999_999n), 'pets_1');
  assert.equal(await tableOf(database, 20_000_000n), 'pets_2');
  const all = await allIds(store);
  assert.deepEqual(all.slice(-7), [19_999_997n, ...ids]);
  assert.deepEqual(
    all,
    [...all].sort((a, b) => (a < b ? -1 : 1)),
  );
  assert.equal(await addPartition(server, SMALL), 40_000_000n);
});

test('ids from anywhere find their place, and a partition is added behind the last of them', async (t) => {
  const database = await newDatabase(t);
  const { store, raw, server } = database;
  const far = [-(2n ** 63n), -1n, 0n, 5n, 10n ** 12n, 10n ** 15n].map((id) => ({ ...rex, id }));
  const outcomes = await store.pets.addMany(far);
  assert.deepEqual(new Set(outcomes), new Set(['added']));
  assert.equal(await addPartition(server, SMALL), 10n ** 15n + 20_000_000n);
  assert.equal((await store.pets.create(rex)).id, 10n ** 15n + 1n);
  assert.deepEqual(await store.pets.addMany(far.slice(0, 1)), ['present']);
  assert.deepEqual(await store.pets.addMany([{ ...rex, id: 2n ** 63n - 2n }]), ['added']);
  // No id is left to begin another one with.
  assert.equal(await addPartition(server, SMALL), undefined);
  assert.equal((await raw`SELECT count(*) AS n FROM pets`)[0]?.n, 8n);
});

test('what a process that was killed in the middle left behind is done away with by the next one', async (t) => {
  const { store, raw, server } = await newDatabase(t);
  await store.pets.create(rex);
  await raw.unsafe('ALTER TABLE pets_1 ADD CONSTRAINT pets_closing CHECK (id < 100) NOT VALID');
  await assert.rejects(store.pets.addMany([{ ...rex, id: 100n }]), {
    name: 'StoreUnavailableError',
  });
  assert.equal(await addPartition(server, SMALL), 20_000_000n);
  assert.deepEqual(await store.pets.addMany([{ ...rex, id: 100n }]), ['added']);
});

test('who uses the animals for long is not waited for, and keeps nobody else waiting', async (t) => {
  const { store, raw, server } = await newDatabase(t);
  await store.pets.create(rex);
  await raw.unsafe('BEGIN; SELECT FROM pets');
  const adding = assert.rejects(addPartition(server, SMALL), { code: '55P03' });
  const begun = performance.now();
  let slowest = 0;
  while (performance.now() - begun < 3_000) {
    const from = performance.now();
    await store.pets.create(rex);
    slowest = Math.max(slowest, performance.now() - from);
  }
  await adding;
  await assertTook(slowest, 4_000, 'a create');
  await raw.unsafe('COMMIT');
  assert.ok(await addPartition(server, SMALL));
});

test('a page is read from the partitions that it is in, and from no others', async (t) => {
  const database = await newDatabase(t);
  const { store, raw, server, url } = database;
  for (let partition = 0; partition < 3; partition++) {
    await store.pets.create(rex);
    const end = (await addPartition(server, SMALL)) as bigint;
    await store.pets.addMany([{ ...rex, id: end }]);
  }
  await raw.unsafe(`INSERT INTO pets (id, name, category_id, status)
    SELECT i, 'Rex', 1, 'available' FROM generate_series(20000002, 20000500) AS i`);
  await raw.unsafe('ANALYZE pets; SELECT pg_stat_reset()');
  const reader = await openStore(url, { poolSize: 2 });
  for (let i = 0; i < ROUNDS; i++) {
    await reader.pets.list({ limit: 20, status: undefined, after: 20_000_100n });
    await reader.pets.list({ limit: 20, status: 'available', after: 20_000_100n });
    await reader.pets.get(20_000_007n);
  }
  await reader.close();
  const scans = async () => {
    const rows = await raw<{ name: string; scans: bigint }>`
      SELECT relname AS name, coalesce(seq_scan, 0) + coalesce(idx_scan, 0) AS scans
      FROM pg_stat_user_tables WHERE relname LIKE 'pets\\_%'`;
    return new Map(rows.map(({ name, scans }) => [name, Number(scans)]));
  };
  // They are there when the reader's session has ended on the server.
  await timeUntil(async () => ((await scans()).get('pets_2') ?? 0) >= 3 * ROUNDS);
  for (const [name, count] of await scans()) {
    // Who plans a statement looks for the greatest id of each partition, and a statement is soon planned for good.
    if (name !== 'pets_2') assert.ok(count < ROUNDS / 2, `${name} was read ${count} times`);
  }
});

/** What a database's animals are kept in: columns, checks, indexes and triggers of each table. */
async function formOf({ raw }: { raw: ReturnType<typeof connectTo> }): Promise<unknown> {
  return raw`
      SELECT relname, pg_get_expr(relpartbound, oid) AS bounds,
             (SELECT array_agg(attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull
                               || attidentity::text ORDER BY attnum)
              FROM pg_attribute WHERE attrelid = pg_class.oid AND attnum > 0) AS columns,
             (SELECT array_agg(conname || ' ' || pg_get_constraintdef(oid) ORDER BY conname)
              FROM pg_constraint WHERE conrelid = pg_class.oid AND contype = 'c') AS checks,
             (SELECT array_agg(pg_get_indexdef(indexrelid) ORDER BY indexrelid::regclass::text)
              FROM pg_index WHERE indrelid = pg_class.oid) AS indexes,
             (SELECT array_agg(pg_get_triggerdef(oid) ORDER BY tgname)
              FROM pg_trigger WHERE tgrelid = pg_class.oid) AS triggers
      FROM pg_class WHERE relname ~ '^pets(_[0-9]+)?$' ORDER BY relname`;
}

test("the manual's SQL divides one table while animals are created, into what a new database has", async (t) => {
  const manual = await readDocument('docs/operations.md');
  const [, script = ''] = /^### Partitions of animals$.*?^```sql\n(.*?)^```/ms.exec(manual) ?? [];
  const statements = script.split(/;\n/).filter((each) => each.trim() !== '');
  assert.ok(statements.length > 10);
  const database = await openDatabase(t, await ONE_TABLE.createDatabase(t));
  const { store, server } = database;
  const ids: bigint[] = [];
  let isOver = false;
  const creating = Array.from({ length: 4 }, async () => {
    for (; !isOver; ) ids.push((await store.pets.create(rex)).id);
  });
  await timeUntil(async () => ids.length > 50);
  const operator = connectTo(database.url);
  for (const statement of statements) await operator.unsafe(statement);
  await operator.end();
  const count = ids.length;
  await timeUntil(async () => ids.length > count + 50);
  isOver = true;
  await Promise.all(creating);
  const ascending = [...ids].sort((a, b) => (a < b ? -1 : 1));
  assert.deepEqual(await allIds(store), ascending);

  const made = await newDatabase(t);
  await made.store.pets.create(rex);
  assert.equal(await addPartition(made.server, SMALL), 20_000_000n);
  assert.deepEqual(await formOf(database), await formOf(made));
  assert.deepEqual(await store.pets.addMany([{ ...rex, id: 20_000_000n }]), ['added']);
  assert.equal(await tableOf(database, 20_000_000n), 'pets_2');
  assert.equal(await addPartition(server, SMALL), 40_000_000n);
});

test('where the animals are in one table nothing is added', async (t) => {
  const { store, server } = await openDatabase(t, await ONE_TABLE.createDatabase(t));
  await store.pets.create(rex);
  assert.equal(await addPartition(server, SMALL), undefined);
});
