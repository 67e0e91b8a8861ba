import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import { assertTook, timeOf, timeUntil } from '@petstore/test-support/within.ts';
import { openStore } from '../../src/store/open-store.ts';
import { MIGRATIONS } from '../../src/store/postgres/migrations.ts';
import { stepsFrom } from '../../src/store/postgres/steps.ts';
import { databaseOf } from '../support/old-schema.ts';

const INSERT = "INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'available')";

/** A database of an earlier version, and connections past the service. */
async function oldDatabase(t: TestContext, version: number) {
  const { url, raw } = await databaseOf(t, version);
  // What a transaction sees of others' statements stays as it was when it first looked, so there are three.
  const [other, observer] = [connectTo(url), connectTo(url)];
  cleanUp(t, () => Promise.all([other.end(), observer.end()]));
  return { url, raw, other, observer };
}

async function versionOf(raw: ReturnType<typeof connectTo>) {
  return (await raw<{ version: number }>`SELECT version FROM petstore_schema`)[0]?.version;
}

/** Whether an index is being built. */
async function isIndexed(raw: ReturnType<typeof connectTo>): Promise<boolean> {
  const [build] =
    await raw`SELECT 1 FROM pg_stat_progress_create_index WHERE datname = current_database()`;
  return build !== undefined;
}

test('a large table is migrated from each version', async (t) => {
  for (const version of MIGRATIONS.keys()) {
    if (version === 0) continue;
    const { url, raw } = await oldDatabase(t, version);
    await raw.unsafe(`INSERT INTO pets (name, category_id, status)
      SELECT 'Rex', i % 7, 'available' FROM generate_series(1, 100000) AS i`);
    const store = await openStore(url);
    cleanUp(t, () => store.close());
    assert.equal(await versionOf(raw), MIGRATIONS.length);
    assert.equal(
      (await store.pets.create({ name: 'Ada', categoryId: 1n, status: 'sold' })).id,
      100_001n,
    );
    const [index] = await raw`
      SELECT 1 FROM pg_index WHERE indexrelid = 'pets_by_category'::regclass AND indisvalid`;
    assert.ok(index);
  }
});

test('a migration takes as long as it takes, however short statements are', async (t) => {
  const limitMs = 1_000;
  const { url, raw, other } = await oldDatabase(t, 1);
  await raw.unsafe("BEGIN; UPDATE pets SET name = 'Max'");
  const migrating = openStore(`${url}?statement_timeout=${limitMs}`);
  await timeUntil(() => isIndexed(other));
  await other`SELECT pg_sleep(${(limitMs + 100) / 1_000}::float8)`;
  await raw.unsafe('COMMIT');
  await (await migrating).close();
  assert.equal(await versionOf(raw), MIGRATIONS.length);
});

test('animals are added while an index is built, and several processes that start wait for the one that builds it', async (t) => {
  const { url, raw, other } = await oldDatabase(t, 1);
  await raw.unsafe(INSERT);
  // The build waits until this transaction has ended. Where it held a lock, the insert would wait behind it.
  await raw.unsafe("BEGIN; UPDATE pets SET name = 'Max'");
  const stores = [openStore(url), openStore(url), openStore(url)];
  await timeUntil(() => isIndexed(other));
  await other.unsafe(`SET lock_timeout = '1s'; ${INSERT}`);
  assert.ok(await isIndexed(other));
  assert.equal(await versionOf(other), 1);
  await raw.unsafe('COMMIT');
  for (const store of await Promise.all(stores)) {
    cleanUp(t, () => store.close());
    assert.ok(await store.pets.get(2n));
  }
  assert.equal(await versionOf(raw), MIGRATIONS.length);
});

test('an index whose build was cut short is built anew', async (t) => {
  const { url, raw, other, observer } = await oldDatabase(t, 1);
  await raw.unsafe(INSERT);
  await raw.unsafe("BEGIN; UPDATE pets SET name = 'Max'");
  const cut = assert.rejects(
    other.unsafe('CREATE INDEX CONCURRENTLY pets_by_category ON pets (category_id)'),
  );
  await timeUntil(
    async () =>
      (
        await observer`SELECT 1 FROM pg_stat_progress_create_index WHERE datname = current_database()`
      ).length === 1,
  );
  await observer`SELECT pg_cancel_backend(pid) FROM pg_stat_progress_create_index
    WHERE datname = current_database()`;
  await cut;
  await raw.unsafe('COMMIT');
  const store = await openStore(url);
  cleanUp(t, () => store.close());
  const [index] = await raw`
    SELECT indisvalid FROM pg_index WHERE indexrelid = 'pets_by_category'::regclass`;
  assert.equal(index?.indisvalid, true);
});

test('a table that is in use for a while is changed when it is free', async (t) => {
  const version = MIGRATIONS.findLastIndex(({ locks = [] }) => locks.includes('pets'));
  const { url, raw, other, observer } = await oldDatabase(t, version);
  await raw.unsafe('BEGIN; LOCK TABLE pets IN ACCESS SHARE MODE');
  const opening = openStore(url);
  await timeUntil(async () => {
    const waiting = await observer`
      SELECT 1 FROM pg_locks WHERE relation = 'pets'::regclass AND NOT granted`;
    return waiting.length === 1;
  });
  // Whoever comes behind the change waits, and goes on when that gives up for the moment, within two seconds.
  await assertTook(await timeOf(() => other.unsafe(INSERT)), 3_000, 'an insert behind the change');
  assert.equal(await versionOf(observer), version);
  await raw.unsafe('COMMIT');
  const store = await opening;
  cleanUp(t, () => store.close());
  assert.equal(await versionOf(raw), MIGRATIONS.length);
});

test('a process of the version before is told that all it sees is settled', async (t) => {
  const { url, raw } = await oldDatabase(t, 3);
  const store = await openStore(url);
  cleanUp(t, () => store.close());
  const [row] =
    await raw`SELECT petstore_settled_id(${0x50657473}::int, ${'pets_id_seq'}::text::regclass) AS id`;
  assert.equal(row?.id, 2n ** 63n - 1n);
});

test('a step locks the tables that it says it locks, and no others', async (t) => {
  const { raw } = await oldDatabase(t, 1);
  for (const step of stepsFrom(1)) {
    if (step.kind === 'index') {
      const { name, table, columns } = step.index;
      await raw.unsafe(`CREATE INDEX ${name} ON ${table} (${columns})`);
      continue;
    }
    const there = (
      await raw<{ oid: string }>`
      SELECT oid::text FROM pg_class WHERE relkind IN ('r', 'p')`
    ).map(({ oid }) => oid);
    await raw.unsafe(`BEGIN; ${step.script}`);
    const locked = await raw<{ table: string }>`
      SELECT relation::regclass::text AS "table" FROM pg_locks
      WHERE pid = pg_backend_pid() AND mode ~ '^(Share|Exclusive|Access(?!Share))'
            AND mode <> 'ShareUpdateExclusiveLock'
            AND relation::text = ANY (${there}::text[])
            AND relation::regclass::text NOT LIKE 'pg\\_%'`;
    await raw.unsafe('COMMIT');
    const names = [...new Set(locked.map(({ table }) => table))];
    assert.deepEqual(names.sort(), [...step.locks].sort(), `to version ${step.version}`);
  }
});
