import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Connection } from '@petstore/postgres/connection.ts';
import { Pool } from '@petstore/postgres/pool.ts';
import { PostgresServer } from '@petstore/postgres/server.ts';
import { postgresAddress } from '@petstore/service/postgres-address.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { connectTo, type TestConnection } from '@petstore/test-support/postgres.ts';
import { coverNoPrograms } from '@petstore/test-support/program.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { type TcpProxy, tcpProxy } from '@petstore/test-support/tcp-proxy.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { assertTook, assertWithin, timeOf, timeUntil } from '@petstore/test-support/within.ts';
import sql from 'sql-template-tag';
import { ActiveKeys } from '../../src/store/postgres/active-keys.ts';
import { PostgresClient, serverOf } from '../../src/store/postgres/client.ts';
import { RevocationListener } from '../../src/store/postgres/revocation-listener.ts';
import { StoreUnavailableError } from '../../src/store/store-errors.ts';
import { assertError } from '../support/assert-error.ts';
import { serve } from '../support/program.ts';

coverNoPrograms();

/** How the connections to a database end: a server that stops in order, and one that is gone. */
const CUTS = {
  FIN: (proxy: TcpProxy) => proxy.end(),
  RST: (proxy: TcpProxy) => proxy.reset(),
};

/** A database, the address of a way to it that can be cut, and connections past that. */
async function database(t: TestContext) {
  const server = await sharedServer();
  const direct = await server.createDatabase();
  const proxy = await tcpProxy(t, server.port);
  // What a transaction sees of others' statements stays as it was when it first looked, so there are two.
  const raw = connectTo(direct);
  const holder = connectTo(direct);
  cleanUp(t, () => Promise.all([raw.end(), holder.end()]));
  return { url: direct.replace(`:${server.port}/`, `:${proxy.port}/`), proxy, raw, holder };
}

/** The service as a process, with an animal and a category. */
async function service(t: TestContext) {
  const { url, proxy, raw, holder } = await database(t);
  const program = await serve(t, await temporaryFolder(t), { PETSTORE_DATABASE_URL: url }, [
    '--first-key',
  ]);
  const key = /pk_live_\w{38}/.exec(program.output.stdout)?.[0];
  const call = (method: string, path: string, body?: string, more: Record<string, string> = {}) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more };
    return fetch(`${program.origin}/v1${path}`, { method, headers, ...(body && { body }) });
  };
  assert.equal((await call('POST', '/pets', '{"name":"Rex","categoryId":1}')).status, 201);
  assert.equal((await call('POST', '/categories', '{"name":"Dogs"}')).status, 201);
  return { program, proxy, raw, holder, call };
}

/** The sessions of the service that wait for a lock. */
async function waiting(raw: TestConnection): Promise<number[]> {
  const rows = await raw<{ pid: number }>`
    SELECT pid FROM pg_stat_activity WHERE datname = current_database()
    AND application_name = 'petstore' AND wait_event_type = 'Lock'`;
  return rows.map(({ pid }) => pid);
}

/** Whether one of these sessions is still there. */
async function isThere(raw: TestConnection, pids: readonly number[]): Promise<boolean> {
  const rows = await raw`SELECT 1 FROM pg_stat_activity WHERE pid = ANY(${pids}::int[])`;
  return rows.length > 0;
}

for (const [name, cut] of Object.entries(CUTS)) {
  test(`a service whose connections are cut by ${name}`, async (t) => {
    const { program, proxy, raw, holder, call } = await service(t);

    await t.test(
      `connections cut by ${name} in queries and transactions: 503, and the next ones succeed`,
      async () => {
        for (let round = 0; round < 3; round++) {
          // Queries, single writes, and transactions of two statements and more wait for the same lock.
          await holder.unsafe('BEGIN; LOCK TABLE pets, categories IN ACCESS EXCLUSIVE MODE');
          const createOnce = () =>
            call('POST', '/pets', `{"name":"once ${round}","categoryId":1}`, {
              'idempotency-key': `${round}`,
            });
          const underWay = [
            call('GET', '/pets/1'),
            call('GET', '/pets?limit=5'),
            call('POST', '/pets', '{"name":"Ada","categoryId":1}'),
            createOnce(),
            call('PATCH', '/pets/1', '{"name":"Max"}'),
            call('PATCH', '/categories/1', '{"name":"Cats"}'),
            call('DELETE', '/categories/1'),
            call('POST', '/store/orders', '{"petId":1}'),
          ];
          // The reads, and as many writes as there are connections for them; the others wait in line.
          let pids: number[] = [];
          await timeUntil(async () => {
            pids = await waiting(raw);
            return pids.length === 2 + 4;
          });
          cut(proxy);
          for (const answer of await Promise.all(underWay))
            await assertError(answer, 'unavailable');
          await holder.unsafe('ROLLBACK');
          assert.equal((await call('GET', '/pets/1')).status, 200);
          assert.equal((await call('PATCH', '/pets/1', `{"name":"Rex ${round}"}`)).status, 200);
          // Until the server has noticed that its client is gone, the former one has the key.
          await timeUntil(async () => !(await isThere(raw, pids)));
          assert.equal((await createOnce()).status, 201);
          const page = (await (await call('GET', '/pets')).json()) as { name: string }[];
          const times = (name: string) => page.filter((pet) => pet.name === name).length;
          assert.equal(times(`once ${round}`), 1);
          // A single statement that the server had already may still be carried out, and is so at most once.
          assert.ok(times('Ada') <= round + 1);
          assert.equal(
            (await call('GET', '/categories/1')).status,
            200,
            'no transaction was completed',
          );
          assert.equal(program.child.exitCode, null, program.output.stderr);
        }
      },
    );

    await t.test(
      `connections cut by ${name} at any moment under load: the process lives and all works again`,
      async () => {
        const statuses = new Map<number, number>();
        let answered = 0;
        let isOver = false;
        const clients = Array.from({ length: 12 }, async (_, at) => {
          for (let i = 0; !isOver; i++) {
            const answers = await Promise.all([
              call('PATCH', '/pets/1', `{"name":"${at} ${i}"}`),
              call('POST', '/pets', '{"name":"Ada","categoryId":1}', {
                'idempotency-key': `${at}-${i}`,
              }),
              call('GET', '/pets?limit=2'),
            ]);
            for (const answer of answers) {
              await answer.arrayBuffer();
              answered++;
              statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
            }
          }
        });
        for (let times = 0; times < 15; times++) {
          const enough = answered + Math.random() * 80;
          await timeUntil(async () => answered > enough);
          // A slow machine may not have come back by then, and what has come back is to be cut as well.
          const before = statuses.get(200) ?? 0;
          if (times % 3 === 0) await timeUntil(async () => (statuses.get(200) ?? 0) > before);
          cut(proxy);
        }
        isOver = true;
        await Promise.all(clients);
        assert.equal(program.child.exitCode, null, program.output.stderr);
        for (const status of statuses.keys())
          assert.ok([200, 201, 503].includes(status), `${status}`);
        const all = Array.from({ length: 30 }, () => call('PATCH', '/pets/1', '{"name":"Rex"}'));
        for (const answer of await Promise.all(all)) assert.equal(answer.status, 200);
      },
    );

    await t.test(
      `after the listener was cut by ${name} a revoked key is refused within a second`,
      async () => {
        const listeners = async () => {
          const rows = await raw<{ pid: number }>`SELECT pid FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE 'LISTEN%'`;
          return rows.map(({ pid }) => pid);
        };
        for (let times = 0; times < 5; times++) {
          const [former] = await listeners();
          cut(proxy);
          await timeUntil(async () => {
            const [now, ...more] = await listeners();
            return now !== undefined && now !== former && more.length === 0;
          });
        }
        const status = async () => (await call('GET', '/pets')).status;
        await assertWithin(
          1_000,
          async () => {
            await raw`UPDATE api_keys SET revoked_at = NULL`;
            await timeUntil(async () => (await status()) === 200);
            await raw.unsafe(`UPDATE api_keys SET revoked_at = now(); NOTIFY petstore_revocations`);
            return timeUntil(async () => (await status()) === 401);
          },
          'it',
        );
        assert.equal(program.child.exitCode, null, program.output.stderr);
      },
    );
  });

  test(`a transaction that is cut by ${name} between two statements does nothing more`, async (t) => {
    const { url, proxy, raw } = await database(t);
    await raw.unsafe('CREATE TABLE notes (text text)');
    const client = new PostgresClient(serverOf(postgresAddress('X', url)), 3);
    cleanUp(t, () => client.close());
    const write = client.transaction(async (db) => {
      await db.execute(sql`INSERT INTO notes VALUES ('first')`);
      cut(proxy);
      // Others open new connections, on which the rest must not be carried out.
      await timeUntil(async () => {
        const others = [1, 2, 3, 4].map(() => client.run((db) => db.row(sql`SELECT 1`)));
        return (await Promise.allSettled(others)).every(({ status }) => status === 'fulfilled');
      });
      await db.execute(sql`INSERT INTO notes VALUES ('second')`);
    });
    await assert.rejects(write, StoreUnavailableError);
    assert.equal((await raw`SELECT * FROM notes`).length, 0);
    const works = Array.from({ length: 9 }, () =>
      client.transaction((db) => db.execute(sql`INSERT INTO notes VALUES ('third')`)),
    );
    await Promise.all(works);
    assert.equal((await raw`SELECT * FROM notes`).length, 9);
  });
}

test('a server that ends each connection as it is made is a 503 at once, until it takes them again', async (t) => {
  const { program, proxy, call } = await service(t);
  proxy.endAtOnce();
  proxy.end();
  await timeUntil(async () => proxy.connections === 0);
  const begun = performance.now();
  const answers = await Promise.all([1, 2, 3].map(() => call('GET', '/pets/1')));
  for (const answer of answers) await assertError(answer, 'unavailable');
  await assertTook(performance.now() - begun, 3_000, 'to be told');
  proxy.restore();
  assert.equal((await call('GET', '/pets/1')).status, 200);
  assert.equal(program.child.exitCode, null, program.output.stderr);
});

/** All ways in which a connection ends. */
const ENDS = {
  ...CUTS,
  silence: (proxy: TcpProxy) => proxy.silence(),
  'half a message': (proxy: TcpProxy) => proxy.endInMessage(),
};

/** By how many pools at a time, and how often, each of them is seen. */
const ROUNDS: Record<keyof typeof ENDS, { readonly pools: number; readonly rounds: number }> = {
  FIN: { pools: 2, rounds: 24 },
  RST: { pools: 2, rounds: 24 },
  // Each takes as long as work may.
  silence: { pools: 8, rounds: 3 },
  'half a message': { pools: 3, rounds: 8 },
};

/** What work may take, in milliseconds, and what may be added by a machine with other work. */
const LIMIT_MS = 2_500;
const PATIENCE_MS = 1_500;

test('a thousand cuts in every state: all work ends in time, and each pool works again', async (t) => {
  const server = await sharedServer();
  const url = await server.createDatabase();
  const setUp = connectTo(url);
  await setUp.unsafe('CREATE TABLE notes (text text)');
  let cuts = 0;
  let players = 0;

  const play = async (end: keyof typeof ENDS, name: string, rounds: number) => {
    const lock = ++players;
    const holder = connectTo(url);
    const raw = connectTo(url);
    const proxy = await tcpProxy(t, server.port);
    const address = postgresAddress('X', url.replace(`:${server.port}/`, `:${proxy.port}/`));
    const way = new PostgresServer(address, { name, timeoutMs: 0, int8: BigInt });
    const pool = new Pool(way, { size: 7, maxWaiting: 10, limitMs: LIMIT_MS });
    const keys = new ActiveKeys();
    const proofs = t.mock.method(keys, 'confirm');
    const listener = new RevocationListener(way, keys, {
      log: undefined,
      onSilence: (isSilent) => pool.discardAll(isSilent),
    });
    cleanUp(t, async () => {
      await Promise.all([listener.close(), pool.close(), raw.end(), holder.end()]);
    });
    await listener.start();
    const busy = () => raw<{ pid: number; state: string }>`
      SELECT pid, state FROM pg_stat_activity WHERE application_name = ${name} AND state <> 'idle'`;

    const worksOnAll = async () => {
      const all = await Promise.allSettled(Array.from({ length: 14 }, () => pool.run(one)));
      return all.every(({ status }) => status === 'fulfilled');
    };

    /** Starts work in every state. Where its time is over before all of it is there, it begins again, a few times. */
    const startWork = async (
      tries = 5,
    ): Promise<{ settled: Promise<PromiseSettledResult<unknown>[]>; cut: () => void }> => {
      await holder.unsafe(`BEGIN; SELECT pg_advisory_xact_lock(${lock})`);
      // The server has not noticed yet that nobody waits for them.
      const old = new Set((await busy()).map(({ pid }) => pid));
      const isCut = Promise.withResolvers<void>();
      const underWay = STATES.map((work) => work(pool, isCut.promise, lock));
      const settled = Promise.allSettled(underWay);
      let early: PromiseSettledResult<unknown>[] | undefined;
      void settled.then((outcomes) => {
        early = outcomes;
      });
      await timeUntil(async () => {
        const states = (await busy()).flatMap(({ pid, state }) => (old.has(pid) ? [] : state));
        return states.sort().join() === 'active,active,active,idle in transaction' || !!early;
      });
      if (!early) return { settled, cut: isCut.resolve };
      for (const outcome of early) {
        assert.ok(outcome.status === 'rejected' && outcome.reason.name === 'TimeLimitError');
      }
      assert.ok(tries > 1, 'its time is always over before all of it is there');
      isCut.resolve();
      await holder.unsafe('ROLLBACK');
      await timeUntil(worksOnAll);
      return startWork(tries - 1);
    };

    for (let round = 0; round < rounds; round++) {
      const { settled, cut } = await startWork();
      // What is under way already has less time left.
      const begun = performance.now();
      // One takes the idle connection, the others make new ones.
      const beginning = Promise.allSettled([1, 2, 3].map(() => pool.run(one)));
      cuts += proxy.connections;
      ENDS[end](proxy);
      cut();
      // Of a statement that waits for a lock nothing is heard before it gets it.
      if (end === 'half a message') await holder.unsafe('ROLLBACK');
      const outcomes = await settled;
      await beginning;
      const ms = performance.now() - begun;
      await assertTook(ms, LIMIT_MS + PATIENCE_MS, end);
      for (const [at, { status }] of outcomes.entries()) {
        assert.equal(status, 'rejected', `${end}, state ${at}`);
      }
      if (end === 'half a message') {
        // What was idle ends with the next thing that it says.
        await Promise.allSettled(Array.from({ length: 7 }, () => pool.run(one)));
      }
      if (end !== 'half a message') await holder.unsafe('ROLLBACK');
      if (end === 'silence') {
        // What the server still does for them is over; here nobody hears of it.
        proxy.reset();
        proxy.restore();
      }
      await timeUntil(worksOnAll);
    }
    const before = proofs.mock.callCount();
    await timeUntil(async () => proofs.mock.callCount() > before);
  };

  const ms = await timeOf(() =>
    Promise.all(
      Object.entries(ROUNDS).flatMap(([end, { pools, rounds }]) =>
        Array.from({ length: pools }, (_, at) =>
          play(end as keyof typeof ENDS, `${end} ${at}`, rounds),
        ),
      ),
    ),
  );
  assert.deepEqual(await setUp`SELECT * FROM notes`, [], 'no transaction was completed');
  await setUp.end();
  assert.ok(cuts >= 1_000, `${cuts} cuts`);
  t.diagnostic(`${cuts} cuts in ${Math.round(ms)} ms`);
});

const one = (db: Connection) => db.row(sql`SELECT 1 AS one`);

/** Work in each state in which a connection can be cut. Besides these, some are idle, listen, and are being made. */
const STATES: readonly ((pool: Pool, isCut: Promise<void>, lock: number) => Promise<unknown>)[] = [
  // In a query, between two rows: each is sent as it comes.
  (pool) =>
    pool.run((db) =>
      db.rows(sql`SELECT repeat('x', 9000), pg_sleep(0.01) FROM generate_series(1, 1000)`),
    ),
  // Waiting for a lock.
  (pool, _, lock) => pool.run((db) => db.row(sql`SELECT pg_advisory_xact_lock(${lock}::int)`)),
  // In the middle of a COPY.
  (pool) =>
    pool.run((db) =>
      db.script(
        `COPY (SELECT repeat('x', 9000), pg_sleep(0.01) FROM generate_series(1, 1000)) TO STDOUT`,
      ),
    ),
  // In a transaction, between two statements.
  (pool, isCut) =>
    pool.transaction(async (db) => {
      await db.execute(sql`INSERT INTO notes VALUES ('first')`);
      await isCut;
      await db.execute(sql`INSERT INTO notes VALUES ('second')`);
    }),
];
