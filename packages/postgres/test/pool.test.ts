import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@petstore/postgres/connection.ts';
import { Pool, type PoolOptions } from '@petstore/postgres/pool.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { connectTo, PostgresServer, type TestConnection } from '@petstore/test-support/postgres.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { tcpProxy } from '@petstore/test-support/tcp-proxy.ts';
import { assertTook, assertWithin, timeOf, timeUntil } from '@petstore/test-support/within.ts';
import sql from 'sql-template-tag';
import { serverOf, through } from './support/server.ts';

const LOST = { name: 'ConnectionLostError', code: 'CONNECTION_CLOSED' };
const TOO_LATE = { name: 'TimeLimitError' };
const CANCELLED_BY_ADMIN = { code: '57P01' };

/** A pool on a new database, and a connection past it. */
async function poolOf(t: TestContext, options: Partial<PoolOptions> = {}) {
  const server = await sharedServer();
  const url = await server.createDatabase();
  const raw = connectTo(url);
  cleanUp(t, () => raw.end());
  const pool = openPool(t, url, options);
  await raw.unsafe('CREATE TABLE notes (text text)');
  const notes = async () =>
    (await raw<{ text: string }>`SELECT text FROM notes`).map((row) => row.text);
  return { pool, raw, notes, url, database: new URL(url).pathname.slice(1) };
}

/** A pool by way of a proxy, which stands still when this process does. */
async function poolByProxy(t: TestContext, options: Partial<PoolOptions>) {
  const { url } = await poolOf(t);
  const proxy = await tcpProxy(t, Number(new URL(url).port));
  return { proxy, pool: openPool(t, through(url, proxy.port), options) };
}

function openPool(
  t: TestContext,
  url: string,
  options: Partial<PoolOptions>,
  name = 'tested',
): Pool {
  const pool = new Pool(serverOf(url, name), {
    size: 2,
    maxWaiting: 100,
    limitMs: 5_000,
    ...options,
  });
  cleanUp(t, () => pool.close());
  return pool;
}

/** The pool's sessions on the server. */
const sessions = (raw: TestConnection) =>
  raw<{ pid: number; state: string; query: string }>`
    SELECT pid, state, query FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'tested'`;

const working = async (raw: TestConnection) =>
  (await sessions(raw)).filter(({ state }) => state === 'active');

/** Does work until it is in time: on a busy machine the limit of a test may be too short even for a connection. */
const untilDone = <T>(pool: Pool, work: (db: Connection) => Promise<T>): Promise<T> =>
  pool.run(work).catch((error) => {
    if (error.name !== TOO_LATE.name) throw error;
    return untilDone(pool, work);
  });

const nap = (seconds: number) => (db: Connection) =>
  db.row(sql`SELECT pg_sleep(${seconds}::float8)`);
const one = (db: Connection) => db.row(sql`SELECT 1 AS one`);
const pid = async (db: Connection) =>
  (await db.row<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`))?.pid;
const note = (text: string) => (db: Connection) =>
  db.execute(sql`INSERT INTO notes VALUES (${text})`);

/** Work that goes on until the test says so. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, release: resolve };
}

/** Has this process do nothing for a while, in milliseconds. */
const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** The most that a number was while something was under way. */
async function mostWhile(count: () => Promise<number>, work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  let most = 0;
  while (!isOver) most = Math.max(most, await count());
  await over;
  return most;
}

test('work that takes too long is told in time, its statement is cancelled, and its place is free', async (t) => {
  const { pool, raw } = await poolOf(t, { size: 1, limitMs: 300 });
  await untilDone(pool, one);
  const ms = await timeOf(() => assert.rejects(pool.run(nap(30)), TOO_LATE));
  assert.ok(ms >= 290, `${ms} ms`);
  await assertWithin(
    1_000,
    async () => timeUntil(async () => (await working(raw)).length === 0),
    'the end of the statement',
  );
  assert.deepEqual(await untilDone(pool, one), { one: 1 });
  await assertWithin(
    700,
    () => timeOf(() => assert.rejects(pool.run(nap(30)), TOO_LATE)),
    'the limit',
  );
});

test('work whose reply has arrived is in time, though this process stood still past the limit', async (t) => {
  const { pool } = await poolOf(t, { size: 1, limitMs: 1_000 });
  let isInTime = false;
  // A server that stands still itself responds after that.
  for (let tries = 0; tries < 5 && !isInTime; tries++) {
    await untilDone(pool, one);
    const replied = pool.run(nap(0.1)).then(
      () => true,
      () => false,
    );
    await nextTurn();
    standStill(2_000);
    isInTime = await replied;
  }
  assert.ok(isInTime);
});

test('a request to cancel has arrived, though this process stood still past its time', async (t) => {
  const { pool } = await poolOf(t, { size: 1, limitMs: 20_000 });
  await pool.run(async (db) => {
    // Before it has connected, and after.
    for (const turns of [0, 2]) {
      const arrived = db.cancel();
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      standStill(1_500);
      assert.ok(await arrived, `after ${turns} turns`);
    }
  });
});

test('the error of a statement is told when the server has undone it, so that its locks are free', async (t) => {
  const { pool, proxy } = await poolByProxy(t, { size: 1 });
  await pool.run(one);
  proxy.delayReady(200);
  const divide = (db: Connection) => db.row(sql`SELECT 1 / 0`);
  const ms = await timeOf(() => assert.rejects(pool.run(divide), { code: '22012' }));
  assert.ok(ms >= 190, `${ms} ms`);
});

test('there are never more sessions at work than the size, whatever is abandoned', async (t) => {
  const { pool, raw } = await poolOf(t, { size: 3, limitMs: 150 });
  const rounds = async () => {
    for (let round = 0; round < 12; round++) {
      const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => pool.run(nap(30))));
      for (const outcome of outcomes) {
        assert.ok(outcome.status === 'rejected' && outcome.reason.name === 'TimeLimitError');
      }
    }
  };
  // On a busy machine it may take a while until all of them are seen at work in one look.
  let most = 0;
  for (let tries = 0; tries < 10 && most < 3; tries++) {
    most = Math.max(most, await mostWhile(async () => (await working(raw)).length, rounds()));
  }
  assert.equal(most, 3);
  await timeUntil(async () => pool.load.active === 0);
  assert.deepEqual(
    await Promise.all([1, 2, 3].map(() => untilDone(pool, one))),
    Array(3).fill({ one: 1 }),
  );
});

test('work that is late between two statements sends no more of them', async (t) => {
  const { pool, raw, notes } = await poolOf(t, { size: 1, limitMs: 200 });
  for (const how of ['run', 'transaction'] as const) {
    // So that there is a connection: to make one may take longer than the limit, and the work would not begin.
    await untilDone(pool, one);
    const { work, release } = held();
    let sent: Promise<unknown> | undefined;
    const late = async (db: Connection) => {
      await work();
      sent = note('late')(db);
      await sent;
    };
    await assert.rejects(pool[how](late), TOO_LATE);
    release();
    await timeUntil(async () => sent !== undefined);
    await assert.rejects(async () => sent, LOST);
  }
  // A server that stands still may not have carried out BEGIN yet.
  await timeUntil(async () => pool.load.active === 0);
  assert.deepEqual(await working(raw), []);
  assert.deepEqual(await notes(), []);
  assert.deepEqual(await untilDone(pool, one), { one: 1 });
});

test('of several statements that were sent together none goes on when their work is late, though this process stands still', async (t) => {
  const { pool, raw } = await poolOf(t, { size: 1, limitMs: 200 });
  const naps = (db: Connection) => Promise.all([nap(30)(db), nap(30)(db), nap(30)(db)]);
  // Longer than they may take to end, too: each is cancelled by itself.
  for (const stillMs of [0, 2_500]) {
    await untilDone(pool, one);
    await assert.rejects(pool.run(naps), TOO_LATE);
    standStill(stillMs);
    await timeUntil(async () => pool.load.active === 0);
    assert.deepEqual(await working(raw), []);
  }
});

test('the place of late work is free when the server has undone it, not when it says that it will', async (t) => {
  const { pool, raw } = await poolOf(t, { size: 1, limitMs: 3_000 });
  const tables = sql`DO $$ BEGIN
    FOR i IN 1..2000 LOOP EXECUTE format('CREATE TABLE t%s (i int)', i); END LOOP;
    PERFORM pg_sleep(30);
  END $$`;
  await assert.rejects(
    pool.run((db) => db.execute(tables)),
    TOO_LATE,
  );
  await timeUntil(async () => pool.load.active === 0);
  assert.deepEqual(await working(raw), []);
});

test('a session that takes its time to end has its place until it is gone', async (t) => {
  const { pool, raw, url } = await poolOf(t, { size: 1, limitMs: 10_000 });
  const other = openPool(t, url, { size: 1 }, 'other');
  const holder = connectTo(url);
  cleanUp(t, () => holder.end());
  // A session drops its temporary tables when it ends, for which nobody may have a lock on them.
  const hold = () =>
    holder.unsafe(`BEGIN; DO $$ BEGIN EXECUTE format('LOCK TABLE %s IN ACCESS SHARE MODE',
      (SELECT oid::regclass FROM pg_class WHERE relname = 'held')); END $$`);
  const ending = () => raw`SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  const ends = {
    'cut by an administrator': (db: Connection) =>
      db.script('SELECT pg_terminate_backend(pg_backend_pid())'),
    'on a server that takes no writes': (db: Connection) =>
      db.script("DO $$ BEGIN RAISE EXCEPTION 'demoted' USING ERRCODE = '25006'; END $$"),
    'given up for a newer one': async (db: Connection, of: Pool) => {
      await db.script('SELECT 1');
      of.renew();
    },
  };
  type End = (db: Connection, of: Pool) => Promise<unknown>;
  const endAndGoOn = (of: Pool, end: End) =>
    of
      .run((db) => end(db, of))
      .catch(() => {})
      .then(() => of.run(one));
  /** How many sessions there are at most until the next work is done, and how long that takes, in milliseconds. */
  const mostAtEnd = async (end: End) => {
    await pool.run((db) => db.script('CREATE TEMPORARY TABLE held ()'));
    await hold();
    const begun = performance.now();
    const next = endAndGoOn(pool, end);
    await timeUntil(async () => (await ending()).length === 1);
    // As long as it takes where nothing holds the session.
    await endAndGoOn(other, end);
    const before = (await sessions(raw)).length;
    await holder.unsafe('COMMIT');
    await next;
    const most = Math.max(before, (await sessions(raw)).length);
    return { most, ms: performance.now() - begun };
  };
  for (const [how, end] of Object.entries(ends)) {
    let seen = await mostAtEnd(end);
    // A session that has not ended after a second is no longer waited for: it may still be there, and so its table.
    while (seen.ms >= 1_000) {
      await timeUntil(async () => (await sessions(raw)).length === 1);
      seen = await mostAtEnd(end);
    }
    assert.equal(seen.most, 1, how);
  }
});

test('the time limit counts while a connection is made', async (t) => {
  const { pool, proxy } = await poolByProxy(t, { size: 1, limitMs: 300 });
  proxy.silence();
  await assertWithin(900, () => timeOf(() => assert.rejects(pool.run(one), TOO_LATE)), 'the limit');
  proxy.restore();
  await timeUntil(async () => pool.load.active === 0);
  assert.deepEqual(await untilDone(pool, one), { one: 1 });
});

test('work beyond those that may wait is refused at once, and what waits has the same limit', async (t) => {
  const { pool } = await poolOf(t, { size: 1, maxWaiting: 2, limitMs: 400 });
  await untilDone(pool, one);
  const busy = pool.run(nap(30));
  const waiting = [pool.run(one), pool.run(one)];
  assert.deepEqual(pool.load, { active: 1, waiting: 2 });
  await assert.rejects(pool.run(one), { name: 'PoolFullError' });
  assert.deepEqual(pool.load, { active: 1, waiting: 2 });
  // They began to wait when the work that they wait for began.
  await Promise.all([busy, ...waiting].map((work) => assert.rejects(work, TOO_LATE)));
  assert.equal(pool.load.waiting, 0);
  await timeUntil(async () => pool.load.active === 0);
  assert.deepEqual(await untilDone(pool, one), { one: 1 });
});

test('work that waits begins in its order as soon as there is a place', async (t) => {
  const { pool } = await poolOf(t, { size: 1 });
  const begun: number[] = [];
  await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      pool.run(async (db) => {
        begun.push(at);
        await one(db);
      }),
    ),
  );
  assert.deepEqual(
    begun,
    Array.from({ length: 20 }, (_, at) => at),
  );
});

test('a connection is used again, and no longer when the server ends it', async (t) => {
  const { pool, raw } = await poolOf(t, { size: 1 });
  const first = await pool.run(pid);
  assert.equal(await pool.run(pid), first);
  // While nobody uses it.
  await raw`SELECT pg_terminate_backend(${first}::int)`;
  // Whoever is quicker than the news of it is told so.
  const second = await pool.run(pid).catch(() => pool.run(pid));
  assert.notEqual(second, first);
  // While a statement is under way.
  const asleep = pool.run(nap(30));
  await timeUntil(async () => (await working(raw)).length === 1);
  await Promise.all([
    assert.rejects(asleep, CANCELLED_BY_ADMIN),
    raw`SELECT pg_terminate_backend(${second}::int)`,
  ]);
  const third = await pool.run(pid);
  assert.ok(third !== first && third !== second);
});

test('a write on a connection from before a promotion is done on a new one', async (t) => {
  const { pool, raw, database, notes } = await poolOf(t, { size: 1 });
  const setReadOnly = (value: 'on' | 'off') =>
    raw.unsafe(`ALTER DATABASE ${database} SET default_transaction_read_only = ${value}`);
  await setReadOnly('on');
  const readOnly = await pool.run(pid);
  await setReadOnly('off');
  assert.equal(await pool.run(pid), readOnly);
  await pool.run(note('alone'));
  assert.notEqual(await pool.run(pid), readOnly);

  const demoted = await pool.run(async (db) => {
    await db.script('SET default_transaction_read_only = on');
    return pid(db);
  });
  await pool.transaction(note('in a transaction'));
  assert.notEqual(await pool.run(pid), demoted);
  assert.deepEqual(await notes(), ['alone', 'in a transaction']);
});

test('a server that takes no writes is asked twice', async (t) => {
  const { pool, raw, database, notes } = await poolOf(t, { size: 1 });
  await raw.unsafe(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
  const asked: unknown[] = [];
  const refused = pool.transaction(async (db) => {
    asked.push(db);
    await note('refused')(db);
  });
  await assert.rejects(refused, { code: '25006' });
  assert.equal(new Set(asked).size, 2);
  assert.equal(asked.length, 2);
  assert.deepEqual(await notes(), []);
});

test('a failure of the work itself costs no connection', async (t) => {
  const { pool } = await poolOf(t, { size: 1 });
  const first = await pool.run(pid);
  await assert.rejects(
    pool.run((db) => db.script('SELECT 1 / 0')),
    { code: '22012' },
  );
  await assert.rejects(
    pool.transaction((db) => db.script('SELECT 1 / 0')),
    { code: '22012' },
  );
  await assert.rejects(
    pool.run(async () => {
      throw new RangeError('mine');
    }),
    RangeError,
  );
  assert.equal(await pool.run(pid), first);
});

test('a commit whose wait for a standby was cancelled is not a success', async (t) => {
  const server = await PostgresServer.start(t);
  const administrator = connectTo(server.url('postgres'));
  cleanUp(t, () => administrator.end());
  await administrator.unsafe('CREATE TABLE notes (text text)');
  await administrator.unsafe(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`);
  // No reload: commits wait when the checkpointer has read the setting, whose time nobody sees.
  await server.stopAtOnce();
  await server.resume();
  const raw = connectTo(server.url('postgres'));
  cleanUp(t, () => raw.end());
  const pool = openPool(t, server.url('postgres'), { size: 1, limitMs: 20_000 });
  const waiting = () =>
    raw<{ pid: number }>`SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
  // One that is ended says nothing more.
  const ends = { pg_cancel_backend: 'COMMIT_UNCERTAIN', pg_terminate_backend: 'CONNECTION_CLOSED' };
  for (const [end, code] of Object.entries(ends)) {
    for (const write of [() => pool.run(note(end)), () => pool.transaction(note(end))]) {
      const refused = assert.rejects(write(), { name: 'ConnectionLostError', code });
      await timeUntil(async () => (await waiting()).length === 1);
      const [found] = await waiting();
      await raw.unsafe(`SELECT ${end}(${found?.pid})`);
      await refused;
    }
  }
  // It is there, on this server alone.
  const [rows] = await raw<{ count: bigint }>`SELECT count(*) FROM notes`;
  assert.equal(rows?.count, 4n);
});

test('a transaction is kept when its work resolves, and undone when it rejects', async (t) => {
  const { pool, raw, notes } = await poolOf(t, { size: 1 });
  const result = await pool.transaction(async (db) => {
    await note('kept')(db);
    await note('kept')(db);
    return 'done';
  });
  assert.equal(result, 'done');
  const refused = pool.transaction(async (db) => {
    await note('undone')(db);
    throw new RangeError('mine');
  });
  await assert.rejects(refused, RangeError);
  assert.deepEqual(await pool.run(one), { one: 1 });
  assert.deepEqual(await notes(), ['kept', 'kept']);
  assert.equal((await sessions(raw))[0]?.state, 'idle', 'no transaction is left open');
});

test('a transaction in which a statement failed rejects, even where its work took no notice', async (t) => {
  const { pool, notes } = await poolOf(t, { size: 1 });
  const swallowed = pool.transaction(async (db) => {
    await note('undone')(db);
    await db.script('SELECT 1 / 0').catch(() => {});
    return 'done';
  });
  await assert.rejects(swallowed, /a statement failed, so its transaction was rolled back/);
  assert.deepEqual(await notes(), []);
  assert.deepEqual(await pool.run(one), { one: 1 });
});

test('where a transaction could not begin, what its work goes on with is not carried out', async (t) => {
  const { pool, notes } = await poolOf(t);
  await pool.transaction(note('begun'));
  const { script } = Connection.prototype;
  t.mock.method(Connection.prototype, 'script', function (this: Connection, text: string) {
    if (text !== 'BEGIN') return script.call(this, text);
    return Promise.reject(Object.assign(new Error('canceled by somebody'), { code: '57014' }));
  });
  const outside = pool.transaction(async (db) => {
    await one(db);
    await note('lost')(db);
  });
  await assert.rejects(outside, { code: '57014' });
  // As long as it would take.
  await pool.run(nap(0.1));
  assert.deepEqual(await notes(), ['begun']);
});

test('a transaction that another one undid is done again, and given up within bounds', async (t) => {
  const { pool, notes } = await poolOf(t, { size: 1 });
  let times = 0;
  const failing = (fails: number) => async (db: Connection) => {
    await note('once')(db);
    if (times++ < fails) {
      await db.script(`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$`);
    }
  };
  await pool.transaction(failing(3));
  assert.equal(times, 4);
  times = 0;
  await assert.rejects(pool.transaction(failing(1_000)), { code: '40001' });
  assert.equal(times, 5);
  assert.deepEqual(await notes(), ['once']);
});

test('discardAll gives up every connection, with what is under way on it', async (t) => {
  const { pool, raw } = await poolOf(t, { size: 2, limitMs: 20_000 });
  const [idle, busy] = await Promise.all([pool.run(pid), pool.run(pid)]);
  const asleep = pool.run(nap(10));
  await timeUntil(async () => (await working(raw)).length === 1);
  pool.discardAll();
  await assert.rejects(asleep, LOST);
  const next = await Promise.all([pool.run(pid), pool.run(pid)]);
  for (const each of next) assert.ok(each !== idle && each !== busy);
});

test('close waits for the work under way, refuses new work and ends the sessions', async (t) => {
  const { pool, raw, notes } = await poolOf(t, { size: 1 });
  const { work, release } = held();
  const underWay = pool.transaction(async (db) => {
    await note('first')(db);
    await work();
    await note('second')(db);
  });
  const waiting = assert.rejects(pool.run(one), LOST);
  await timeUntil(async () => (await sessions(raw))[0]?.state === 'idle in transaction');
  let isClosed = false;
  const closing = pool.close().then(() => {
    isClosed = true;
  });
  await assert.rejects(pool.run(one), LOST);
  await waiting;
  await sleep(50);
  assert.ok(!isClosed, 'it waits');
  release();
  await underWay;
  await closing;
  assert.deepEqual(await notes(), ['first', 'second']);
  await timeUntil(async () => (await sessions(raw)).length === 0);
});

test('close ends in time, whatever the server does and whoever keeps a connection', async (t) => {
  const { pool, proxy } = await poolByProxy(t, { size: 2, limitMs: 500 });
  await Promise.all([untilDone(pool, one), untilDone(pool, one)]);
  const lease = await pool.lease();
  proxy.silence();
  const ms = await timeOf(() => pool.close());
  await assertTook(ms, 3_000);
  await assert.rejects(lease.query('SELECT 1'), LOST);
  lease.release();
});

test('a lease has a connection for itself until it is released', async (t) => {
  const { pool } = await poolOf(t, { size: 1, limitMs: 1_000 });
  await untilDone(pool, one);
  const lease = await pool.lease();
  const { rows } = await lease.query('SELECT $1::int + 1 AS sum', [2]);
  assert.deepEqual(rows, [{ sum: 3 }]);
  // Its limit is that of each statement, not of the lease.
  await sleep(1_200);
  await lease.query('SELECT 1');
  await assert.rejects(pool.run(one), TOO_LATE);
  await assert.rejects(pool.lease(), TOO_LATE);
  const next = pool.run(one);
  lease.release();
  assert.deepEqual(await next, { one: 1 });
  assert.deepEqual(pool.load, { active: 0, waiting: 0 });
});

test('a late statement takes the connection of its lease with it', async (t) => {
  const { pool, raw } = await poolOf(t, { size: 1, limitMs: 300 });
  const late = await untilDone(pool, pid);
  // The same connection: there is one.
  const lease = await pool.lease();
  await assert.rejects(lease.query('SELECT pg_sleep(30)'), TOO_LATE);
  await assert.rejects(lease.query('ROLLBACK'), { name: 'ConnectionLostError' });
  lease.release();
  await timeUntil(async () => pool.load.active === 0);
  assert.deepEqual(await working(raw), []);
  assert.notEqual(await untilDone(pool, pid), late);
});

test('a lease of which several statements are late has one place all the same', async (t) => {
  const { pool, raw } = await poolOf(t, { size: 1, limitMs: 300 });
  await untilDone(pool, one);
  const lease = await pool.lease();
  const naps = [1, 2, 3].map(() => assert.rejects(lease.query('SELECT pg_sleep(30)')));
  await Promise.all(naps);
  lease.release();
  await timeUntil(async () => pool.load.active === 0);
  await sleep(100);
  assert.equal(pool.load.active, 0);
  // Long enough to be seen on a busy machine.
  const most = await mostWhile(
    async () => (await working(raw)).length,
    Promise.all([1, 2, 3, 4].map(() => untilDone(pool, nap(0.15)))),
  );
  assert.equal(most, 1);
});

test('work whose statements were prepared before a table changed is done on new connections', async (t) => {
  const { pool, raw } = await poolOf(t);
  const all = (db: Connection) => db.rows(sql`SELECT * FROM notes`);
  await raw.unsafe("INSERT INTO notes VALUES ('a')");
  const both = () => Promise.all([pool.run(all), pool.transaction(all)]);
  await both();
  await raw.unsafe('ALTER TABLE notes ADD COLUMN number int');
  const now = [{ text: 'a', number: null }];
  assert.deepEqual(await both(), [now, now]);
  await raw.unsafe('ALTER TABLE notes DROP COLUMN number');
  assert.deepEqual(await pool.transaction(all), [{ text: 'a' }]);
});
