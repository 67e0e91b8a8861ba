import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { type TcpProxy, tcpProxy } from '@petstore/test-support/tcp-proxy.ts';
import { assertTook, assertWithin, timeUntil } from '@petstore/test-support/within.ts';
import { sql } from 'kysely';
import { isUnavailable } from '../../server/src/store/errors.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import type { Db } from '../../server/src/store/schema.ts';
import { assertError, startService } from '../support/service.ts';
import { lockWaits, UP_TO_DATE } from '../support/store.ts';

const POOL_SIZE = 4;

/** The address of a database, and of a way to it that the test can break. */
async function addressBehindProxy(t: TestContext) {
  const server = await sharedServer();
  const proxy = await tcpProxy(t, server.port);
  const directUrl = await server.copyDatabase(UP_TO_DATE);
  return { directUrl, url: directUrl.replace(`:${server.port}/`, `:${proxy.port}/`), proxy };
}

async function databaseBehindProxy(t: TestContext) {
  const { directUrl, url, proxy } = await addressBehindProxy(t);
  const [behind, direct] = await Promise.all([
    openDatabase(url, POOL_SIZE),
    openDatabase(directUrl, 1),
  ]);
  cleanUp(t, behind.close);
  cleanUp(t, direct.close);
  return { db: behind.db, direct: direct.db, proxy };
}

/** Waits until the pool and the server have noticed that all connections but the one that asks are cut. */
async function noticed(direct: Db, proxy: TcpProxy): Promise<void> {
  await timeUntil(async () => proxy.sockets === 0);
  const others = sql`
    SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  await timeUntil(async () => (await others.execute(direct)).rows.length === 0);
}

/** Each takes a connection, for several statements. */
function transactions(db: Db, count: number): Promise<unknown>[] {
  return Array.from({ length: count }, (_, at) =>
    db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ at: number }>`SELECT ${at}::int AS at`.execute(trx);
      await trx.selectFrom('users').select('id').execute();
      return rows[0]?.at;
    }),
  );
}

/** All work, and none hangs, on whatever connections the pool has now. */
async function assertWorks(db: Db): Promise<void> {
  const late = sleep(60_000, 'late', { ref: false });
  const answers = await Promise.race([Promise.all(transactions(db, 50)), late]);
  assert.deepEqual(
    answers,
    Array.from({ length: 50 }, (_, at) => at),
  );
}

/** Whatever fails of `work` fails with what is answered with 503, and `least` do. */
async function assertUnavailable(work: Promise<unknown>[], least: number): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
  for (const { reason } of failures) assert.ok(isUnavailable(reason), String(reason));
  assert.ok(failures.length >= least, `${failures.length} failed`);
}

// At once: they wait until the time for a connection or a statement is over.
describe('a database that is silent', { concurrency: true }, () => {
  for (const way of ['refuse', 'silence'] as const) {
    test(`after connections could not be made (${way}) every transaction gets one`, async (t) => {
      const { db, proxy } = await databaseBehindProxy(t);
      proxy.reset();
      proxy[way]();
      // Where the way is silent, until the pool's time for a connection is over.
      await assertUnavailable(transactions(db, 3 * POOL_SIZE), POOL_SIZE);
      proxy.restore();
      await assertWorks(db);
    });
  }

  test('while the database is silent no request hangs, and once it speaks again all work at once', async (t) => {
    const { url, proxy } = await addressBehindProxy(t);
    const service = await startService(t, { databaseUrl: url, databasePoolSize: POOL_SIZE });
    const owner = await service.signUp('owner@example.com');
    const request = async () => {
      const begun = performance.now();
      const { status } = await owner.call('GET', '/api/projects');
      return { status, ms: performance.now() - begun };
    };
    assert.equal((await request()).status, 200);
    proxy.silence();
    // More than there are connections: those in line have the same limit.
    const silent = await Promise.all(Array.from({ length: 3 * POOL_SIZE }, request));
    for (const { status, ms } of silent) {
      assert.equal(status, 503);
      await assertTook(ms, 20_000);
    }
    proxy.restore();
    await assertWithin(5_000, () => timeUntil(async () => (await request()).status === 200));
    const back = await Promise.all(Array.from({ length: 3 * POOL_SIZE }, request));
    assert.deepEqual(new Set(back.map(({ status }) => status)), new Set([200]));
  });
});

test('while the database is unavailable requests get 503, and afterwards they are served as before', async (t) => {
  const { url, proxy } = await addressBehindProxy(t);
  const service = await startService(t, { databaseUrl: url });
  const wrong = { email: 'nobody@example.com', password: 'not the right one' };
  const signIn = async () => {
    return (await service.visitor().call('POST', '/api/session', wrong)).status;
  };
  assert.equal(await signIn(), 401);
  proxy.refuse();
  proxy.reset();
  assert.deepEqual(await Promise.all([signIn(), signIn(), signIn()]), [503, 503, 503]);
  const message = await assertError(
    await service.visitor().call('POST', '/api/session', wrong),
    503,
    'unavailable',
  );
  assert.equal(message, 'The database cannot do this right now. Try again shortly.');
  proxy.restore();
  assert.deepEqual(await Promise.all([signIn(), signIn(), signIn()]), [401, 401, 401]);
});

test('a server that takes no writes is a 503, and one that takes them again is found at once', async (t) => {
  const { directUrl, url, proxy } = await addressBehindProxy(t);
  const service = await startService(t, { databaseUrl: url });
  const owner = await service.signUp('owner@example.com');
  const create = async (slug: string) =>
    (await owner.call('POST', '/api/projects', { name: slug, slug })).status;
  assert.equal(await create('first'), 201);
  const raw = connectTo(directUrl);
  cleanUp(t, () => raw.end());
  const database = new URL(directUrl).pathname.slice(1);
  const demote = async (isReadOnly: boolean) =>
    raw.unsafe(`ALTER DATABASE ${database} SET default_transaction_read_only = ${isReadOnly}`);
  // No connection from before is left, nor one that began then.
  proxy.refuse();
  proxy.reset();
  const others = () => raw`
    SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  await timeUntil(async () => proxy.sockets === 0 && (await others()).length === 0);
  await demote(true);
  proxy.restore();
  await timeUntil(async () => (await owner.call('GET', '/api/projects')).status === 200);
  assert.deepEqual(await Promise.all(['second', 'third'].map(create)), [503, 503]);
  // These connections are read-only, and stay so.
  const list = () => owner.call('GET', '/api/projects');
  await Promise.all(Array.from({ length: 5 }, list));
  await raw.unsafe('SET default_transaction_read_only = off');
  await demote(false);
  assert.deepEqual(await Promise.all(['second', 'third'].map(create)), [201, 201]);
});

for (const cut of ['end', 'reset'] as const) {
  test(`connections that break when idle (${cut}) are replaced`, async (t) => {
    const { db, direct, proxy } = await databaseBehindProxy(t);
    for (let times = 0; times < 3; times++) {
      await assertWorks(db);
      proxy[cut]();
      await noticed(direct, proxy);
    }
    await assertWorks(db);
  });

  test(`a connection that breaks in a transaction (${cut}) fails that transaction alone`, async (t) => {
    const { db, direct, proxy } = await databaseBehindProxy(t);
    const between = db.transaction().execute(async (trx) => {
      await trx.selectFrom('users').select('id').execute();
      proxy[cut]();
      await noticed(direct, proxy);
      await trx.selectFrom('users').select('id').execute();
    });
    await assertUnavailable([between], 1);
    const waiting = db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ isIn: boolean }>`
      SELECT pg_try_advisory_xact_lock(1) AS "isIn"`.execute(trx);
      assert.ok(rows[0]?.isIn);
      const lock = sql`SELECT pg_advisory_xact_lock(1)`;
      const failed = assertUnavailable(
        [db.transaction().execute((other) => lock.execute(other))],
        1,
      );
      await lockWaits(direct);
      proxy[cut]();
      await failed;
      await lock.execute(trx);
    });
    await assertUnavailable([waiting], 1);
    const during = assertUnavailable([sql`SELECT pg_sleep(20)`.execute(db)], 1);
    await lockWaits(direct, 1, 'Timeout');
    proxy[cut]();
    await during;
    await assertWorks(db);
  });
}
