import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { holdTimers } from '@petstore/test-support/hold-timers.ts';
import { connectTo, type TestConnection } from '@petstore/test-support/postgres.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { openStore } from '../../src/store/open-store.ts';
import { OWN_STORE } from '../../src/store/own-store.ts';
import type { Store } from '../../src/store/store.ts';
import { makeSchema } from '../support/old-schema.ts';

// How events on PostgreSQL get their ids after the commit of what they tell.

const rex = { name: 'Rex', categoryId: 1n, status: 'available' } as const;

/** The schema before events waited for their ids. */
const BEFORE_THE_INBOX = 12;

async function newDatabase(t: TestContext) {
  const url = await (await sharedServer()).createDatabase();
  const raw = connectTo(url);
  cleanUp(t, () => raw.end());
  return { url, raw };
}

async function open(t: TestContext, url: string): Promise<Store> {
  const store = await openStore(url);
  cleanUp(t, () => store.close());
  return store;
}

async function told({ events }: Store, after = 0n): Promise<string[]> {
  const list = await events.of(OWN_STORE).list(after, 1_000);
  assert.ok(Array.isArray(list), 'the log has not got these any more');
  return list.map(({ id, type, data }) => `${id} ${type} ${/"id":(\d+)/.exec(data)?.[1]}`);
}

/** Two processes on one database, in which the changes of the first animal are held up in their commits until `go`. */
async function withSlowCommits(t: TestContext) {
  const { url, raw } = await newDatabase(t);
  // A statement whose commit is held up may wait for as long as the test takes: for the server, and for its client.
  holdTimers(t, (ms) => ms > 6_000 && ms <= 7_000);
  const slow = await open(t, `${url}?statement_timeout=0`);
  const other = await open(t, url);
  for (let i = 0; i < 3; i++) await slow.pets.create(rex);
  await raw.unsafe(`
    CREATE FUNCTION wait_in_commit() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock_shared(1, 1); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER wait_in_commit AFTER UPDATE ON pets
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.id = 1)
      EXECUTE FUNCTION wait_in_commit();
    SELECT pg_advisory_lock(1, 1)`);
  const isWaiting = async () => {
    const waiting = await raw`SELECT FROM pg_locks
      WHERE locktype = 'advisory' AND classid = 1 AND objid = 1 AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    return waiting.length > 0;
  };
  const go = () => raw`SELECT pg_advisory_unlock(1, 1)`;
  return { slow, other, raw, isWaiting, go };
}

const CREATED = ['1 pet.created 1', '2 pet.created 2', '3 pet.created 3'];

test('a change of an animal waits for no commit of another, and is told before it', async (t) => {
  const { slow, other, isWaiting, go } = await withSlowCommits(t);
  let isDone = false;
  const first = slow.pets.update(1n, { name: 'Max' }).then(() => {
    isDone = true;
  });
  await timeUntil(isWaiting);
  await other.pets.update(2n, { name: 'Moritz' });
  const order = await other.orders.place(2n, new Date());
  assert.ok('id' in order);
  await other.pets.create(rex);
  await slow.pets.remove(3n);
  assert.ok(!isDone);
  const before = [
    ...CREATED,
    ...['4 pet.updated 2', '5 order.placed 1', '6 pet.updated 2', '7 pet.created 4'],
    '8 pet.deleted 3',
  ];
  assert.deepEqual(await told(other), before);
  await go();
  await first;
  // It took its place before the others, and a reader who is behind them sees it all the same.
  assert.deepEqual(await told(other, 8n), ['9 pet.updated 1']);
  assert.deepEqual(await told(slow), [...before, '9 pet.updated 1']);
});

test('a reader sees what was acknowledged before, also when another process numbers it meanwhile', async (t) => {
  const { url, raw } = await newDatabase(t);
  const store = await open(t, url);
  await store.pets.create(rex);
  // Whoever looks into the inbox waits until it is empty.
  await raw.unsafe('BEGIN; LOCK TABLE event_inbox IN ACCESS EXCLUSIVE MODE');
  const listed = told(store);
  await timeUntil(async () => {
    const waiting = await raw`SELECT FROM pg_locks
      WHERE relation = 'event_inbox'::regclass AND NOT granted`;
    return waiting.length > 0;
  });
  await raw.unsafe('SELECT petstore_number_events(1000); COMMIT');
  assert.deepEqual(await listed, ['1 pet.created 1']);
});

/** Waits until somebody who uses the database waits for a lock in it. */
function untilWaiting(raw: TestConnection): Promise<unknown> {
  return timeUntil(async () => {
    const waiting = await raw`SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return waiting.length > 0;
  });
}

test('two who number at once double, lose and swap no event, and neither fails', async (t) => {
  const { url, raw } = await newDatabase(t);
  const store = await open(t, url);
  const [first, late] = [connectTo(url), connectTo(url)];
  cleanUp(t, () => Promise.all([first.end(), late.end()]));
  const tell = (by: TestConnection, animal: number, count = 1) => by`
    INSERT INTO event_inbox (count, events)
    SELECT 1, 'pet.deleted {"id":' || ${animal}::int || '}' FROM generate_series(1, ${count}::int)`;
  // The first place is of a change that is not committed yet.
  await late.unsafe('BEGIN');
  await tell(late, 7);
  await tell(raw, 9, 1_500);
  // The first who numbers takes all that is there, and moves the start of the inbox on.
  await first.unsafe('BEGIN; SELECT petstore_number_events(10000)');
  await tell(raw, 8);
  const listed = told(store, 1_498n);
  await untilWaiting(raw);
  await first.unsafe('COMMIT');
  assert.deepEqual(await listed, [
    ...['1499 pet.deleted 9', '1500 pet.deleted 9', '1501 pet.deleted 8'],
  ]);
  await late.unsafe('COMMIT');
  assert.deepEqual(await told(store, 1_501n), ['1502 pet.deleted 7']);

  // Where the first leaves nothing to the second.
  await tell(raw, 6);
  await first.unsafe('BEGIN; SELECT petstore_number_events(10000)');
  const last = told(store, 1_501n);
  await untilWaiting(raw);
  await first.unsafe('COMMIT');
  assert.deepEqual(await last, ['1502 pet.deleted 7', '1503 pet.deleted 6']);
  assert.deepEqual(await raw`SELECT FROM event_inbox`, []);
  const [sums] = await raw`SELECT sum(count)::int AS events, count(DISTINCT first_id)::int AS ids,
    max(first_id)::int AS newest FROM event_groups`;
  assert.deepEqual(sums, { events: 1_503, ids: 1_503, newest: 1_503 });
});

/** Tells many events past the service, has them numbered, and gives the id of the newest. */
async function tellMany(raw: TestConnection, { events }: Store): Promise<bigint> {
  await raw`INSERT INTO event_inbox (count, events)
            SELECT 1, 'pet.deleted {"id":9}' FROM generate_series(1, 1500)`;
  return (await events.of(OWN_STORE).kept()).newest;
}

/** The place in the inbox from which on it is looked through. */
async function start(raw: TestConnection): Promise<bigint> {
  return (await raw`SELECT place FROM event_inbox_start`)[0]?.place as bigint;
}

test('what has been numbered is not read over again, and no commit that comes late is passed over', async (t) => {
  const { slow, other, raw, isWaiting, go } = await withSlowCommits(t);
  assert.deepEqual(await told(other), CREATED);
  const first = slow.pets.update(1n, { name: 'Max' });
  await timeUntil(isWaiting);
  for (let time = 1n; time <= 4n; time++) {
    assert.equal(await tellMany(raw, other), 3n + 1_500n * time);
  }
  // The places after that of the late one are numbered, and are looked through as long as it may come.
  assert.ok((await start(raw)) <= 4n);
  await go();
  await first;
  assert.deepEqual(await told(other, 6_003n), ['6004 pet.updated 1']);
  // As soon as all has ended that was under way on the server, for whatever database.
  let newest = 0n;
  await timeUntil(async () => {
    newest = await tellMany(raw, other);
    return (await start(raw)) > 6_004n;
  });
  assert.deepEqual(await raw`SELECT FROM event_inbox`, []);
  await other.pets.update(1n, { name: 'Rex' });
  assert.deepEqual(await told(other, newest), [`${newest + 1n} pet.updated 1`]);
});

test('what is more than one transaction numbers is left for the next, however much comes meanwhile', async (t) => {
  const { url, raw } = await newDatabase(t);
  const store = await open(t, url);
  const tell = (count: number) => raw`INSERT INTO event_inbox (count, events)
    SELECT 1, 'pet.deleted {"id":9}' FROM generate_series(1, ${count}::int)`;
  for (let step = 0; step < 3; step++) {
    await tell(2_500);
    await raw`SELECT petstore_number_events(1000)`;
  }
  assert.equal((await store.events.of(OWN_STORE).kept()).newest, 7_500n);
  assert.deepEqual(await raw`SELECT FROM event_inbox`, []);
});

test('a database that was restored on another server numbers on, whatever ids transactions have there', async (t) => {
  const { url, raw } = await newDatabase(t);
  const store = await open(t, url);
  await raw`UPDATE event_inbox_start SET next_xid = '9223372036854775807'::xid8`;
  let told = 0n;
  await timeUntil(async () => {
    told += 1_500n;
    assert.equal(await tellMany(raw, store), told);
    return (await start(raw)) > 1_500n;
  });
});

test('a log that an earlier version wrote goes on', async (t) => {
  const { url, raw } = await newDatabase(t);
  await makeSchema(raw, BEFORE_THE_INBOX);
  await raw.unsafe(`
    INSERT INTO event_groups VALUES ('', 1, 2, now(), 41, 'pet.deleted {"id":1}' || chr(10) || 'pet.deleted {"id":2}');
    UPDATE event_logs SET last_id = 2, bytes = 41 WHERE store = ''`);
  const store = await open(t, url);
  await store.pets.create(rex);
  await store.pets.update(1n, { name: 'Max' });
  assert.deepEqual(await told(store), [
    ...['1 pet.deleted 1', '2 pet.deleted 2'],
    ...['3 pet.created 1', '4 pet.updated 1'],
  ]);
  const [log] = await raw`SELECT bytes - log_bytes AS "beyondTheNewest", count FROM event_groups
    JOIN event_logs USING (store) WHERE store = '' ORDER BY first_id DESC LIMIT 1`;
  assert.deepEqual(log, { beyondTheNewest: 0n, count: 1 });
});
