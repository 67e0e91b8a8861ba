import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Connection } from '@petstore/postgres/connection.ts';
import type { PostgresServer } from '@petstore/postgres/server.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { holdTimers } from '@petstore/test-support/hold-timers.ts';
import {
  connectTo,
  freePort,
  PostgresServer as TestServer,
} from '@petstore/test-support/postgres.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { tcpProxy } from '@petstore/test-support/tcp-proxy.ts';
import { assertTook, assertWithin, timeOf } from '@petstore/test-support/within.ts';
import sql from 'sql-template-tag';
import { serverOf, through } from './support/server.ts';

/** The longest time limit of a connection; what is left of one, when it has logged in, is shorter. */
const CONNECT_TIMEOUT_MS = 3_000;

/** A connection that is gone when the test ends. */
async function connect(t: TestContext, server: PostgresServer): Promise<Connection> {
  const connection = await server.connect();
  cleanUp(t, () => connection.destroy());
  return connection;
}

/** How long it takes to make a connection that works, in milliseconds. */
function timeToConnect(t: TestContext, server: PostgresServer): Promise<number> {
  return timeOf(async () => {
    const connection = await connect(t, server);
    assert.deepEqual(await connection.row(sql`SELECT 1 AS one`), { one: 1 });
  });
}

/**
 * Has connections take as long as they need, for tests of what a server's response leads to: a busy machine may take
 * longer for twenty logins at once than a connection may.
 */
function withoutLimits(t: TestContext): void {
  holdTimers(t, (ms) => ms <= CONNECT_TIMEOUT_MS);
}

/** Databases of the same name on two servers, of which the first is read-only, as a standby is. */
async function primaryAndReadOnly(t: TestContext) {
  const readOnly = await TestServer.start(t);
  const primary = await sharedServer();
  const url = await primary.createDatabase();
  const name = new URL(url).pathname.slice(1);
  const raw = connectTo(readOnly.url('postgres'));
  await raw.unsafe(`CREATE DATABASE ${name}`);
  const makeReadOnly = (value: 'on' | 'off') =>
    raw.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
  await makeReadOnly('on');
  cleanUp(t, () => raw.end());
  return { readOnly, primary, url, makeReadOnly };
}

const portOf = async (connection: Connection) =>
  (await connection.row<{ port: string }>(sql`SELECT current_setting('port') AS port`))?.port;

test('a session has the name and the settings of the program, or those that the address names', async (t) => {
  const url = await (await sharedServer()).createDatabase();
  const read = async (rest: string) => {
    const connection = await connect(t, serverOf(`${url}${rest}`));
    return connection.row(sql`
      SELECT current_setting('application_name') AS name, current_setting('work_mem') AS memory,
             current_setting('search_path') AS path, 7::int8 AS number`);
  };
  assert.deepEqual(await read(''), {
    name: 'tested',
    memory: '4MB',
    path: '"$user", public',
    number: 7,
  });
  const rest = '?application_name=other&options=-c%20work_mem%3D8MB&search_path=public';
  assert.deepEqual(await read(rest), { name: 'other', memory: '8MB', path: 'public', number: 7 });
});

test('a host that is closed is passed over', async (t) => {
  withoutLimits(t);
  const { createDatabase, port } = await shared();
  const server = serverOf(through(await createDatabase(), await freePort(), port));
  await assertTook(await timeToConnect(t, server), 5_000);
});

test('a host that is silent is passed over within five seconds, and not waited for again', async (t) => {
  const { createDatabase, port } = await shared();
  const proxy = await tcpProxy(t, port);
  proxy.silence();
  const url = through(await createDatabase(), proxy.port, port);
  await assertWithin(5_000, () => timeToConnect(t, serverOf(url)), 'the first');
  const server = serverOf(url);
  await connect(t, server);
  await assertWithin(1_000, () => timeToConnect(t, server), 'the next one');
});

test('a host that falls silent as soon as it lets one in is passed over within five seconds', async (t) => {
  const { createDatabase, port } = await shared();
  const proxy = await tcpProxy(t, port);
  proxy.silenceAfterLogin();
  const url = through(await createDatabase(), proxy.port, port);
  await assertWithin(5_000, () => timeToConnect(t, serverOf(url)), 'it');
});

test('a single server that is silent, from the start or from the login on, is given up within five seconds', async (t) => {
  const { createDatabase, port } = await shared();
  const url = await createDatabase();
  for (const silence of ['silence', 'silenceAfterLogin'] as const) {
    const proxy = await tcpProxy(t, port);
    proxy[silence]();
    const server = serverOf(through(url, proxy.port));
    const measure = () =>
      timeOf(() =>
        assert.rejects(server.connect(), {
          name: 'ConnectionLostError',
          code: 'CONNECT_TIMEOUT',
        }),
      );
    await assertWithin(5_000, measure, silence);
  }
});

test('a process that stands still while it connects is not taken for a silent server', async (t) => {
  const server = serverOf(await (await sharedServer()).createDatabase());
  const connecting = connect(t, server);
  // The socket is being connected; nothing that the server says is read before the time is over.
  await nextTurn();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, CONNECT_TIMEOUT_MS + 200);
  assert.deepEqual(await (await connecting).row(sql`SELECT 1 AS one`), { one: 1 });
});

test('of many connections at once, one finds out whether a host of several fits, and the others wait for it', async (t) => {
  withoutLimits(t);
  const { readOnly, url, makeReadOnly } = await primaryAndReadOnly(t);
  const proxy = await tcpProxy(t, readOnly.port);
  const hosts = through(url, await freePort(), proxy.port);
  const server = serverOf(`${hosts}?target_session_attrs=read-only`);
  const connectAll = () => Promise.allSettled(Array.from({ length: 20 }, () => connect(t, server)));
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, proxy.connections);
  });
  cleanUp(t, () => clearInterval(timer));

  await makeReadOnly('off');
  for (const { status } of await connectAll()) assert.equal(status, 'rejected');
  assert.equal(most, 1);
  await makeReadOnly('on');
  for (const { status } of await connectAll()) assert.equal(status, 'fulfilled');
  assert.equal(proxy.connections, 20);
});

test('a host that only reads is passed over for one that takes writes, and taken where that will do', async (t) => {
  withoutLimits(t);
  const { readOnly, primary, url } = await primaryAndReadOnly(t);
  const both = through(url, readOnly.port, primary.port);
  const expected = {
    '': primary,
    '?target_session_attrs=read-write': primary,
    '?target_session_attrs=any': readOnly,
    '?target_session_attrs=read-only': readOnly,
    '?target_session_attrs=primary': readOnly,
  };
  for (const [rest, { port }] of Object.entries(expected)) {
    const connection = await connect(t, serverOf(`${both}${rest}`));
    assert.equal(await portOf(connection), `${port}`, rest);
  }
});

test('where no host is what the address asks for, it says so', async (t) => {
  withoutLimits(t);
  const { readOnly, primary, url, makeReadOnly } = await primaryAndReadOnly(t);
  const refusal = (hosts: readonly number[], target: string) => ({
    name: 'ConnectionLostError',
    code: 'NO_FIT_SERVER',
    message: `no server of ${hosts.map((port) => `127.0.0.1:${port}`).join(',')} is ${target} now`,
  });
  const both = [primary.port, readOnly.port];
  const standby = serverOf(`${through(url, ...both)}?target_session_attrs=standby`);
  await assert.rejects(standby.connect(), refusal(both, 'standby'));
  const alone = serverOf(`${through(url, primary.port)}?target_session_attrs=read-only`);
  await assert.rejects(alone.connect(), refusal([primary.port], 'read-only'));

  const hosts = [await freePort(), readOnly.port];
  const server = serverOf(through(url, ...hosts));
  await assert.rejects(server.connect(), refusal(hosts, 'read-write'));
  await makeReadOnly('off');
  assert.ok(await connect(t, server), 'it is asked anew each time');
});

test('sessions that do not fit are not left behind on the server', async (t) => {
  withoutLimits(t);
  const { createDatabase, port } = await shared();
  const url = await createDatabase();
  const server = serverOf(`${through(url, port)}?target_session_attrs=standby`, 'unfit');
  for (let times = 0; times < 20; times++) await assert.rejects(server.connect());
  const raw = connectTo(url);
  cleanUp(t, () => raw.end());
  const left = () => raw`SELECT 1 FROM pg_stat_activity WHERE application_name = 'unfit'`;
  const deadline = Date.now() + 60_000;
  while ((await left()).length > 0) assert.ok(Date.now() < deadline, 'they stay');
});

test('the host of the last connection is tried first, and the others when it fails', async (t) => {
  const { createDatabase, port } = await shared();
  const database = await createDatabase();
  const proxies = await Promise.all([tcpProxy(t, port), tcpProxy(t, port)]);
  const [first, second] = proxies;
  const hosts = proxies.map((proxy) => proxy.port);
  const server = serverOf(through(database, ...hosts));
  first.silence();
  await connect(t, server);
  // It would be taken if it came first.
  first.restore();
  second.silence();
  // What is asked first is silent and costs its time.
  const ms = await timeToConnect(t, server);
  assert.ok(ms > 1_000, `the second one was to be tried first: ${ms} ms`);
  await assertTook(ms, 5_000);
  // From here on no silent host is asked.
  withoutLimits(t);
  await assertWithin(1_000, () => timeToConnect(t, server), 'then the first is');
});

test('when all hosts fail another one comes first the next time', async (t) => {
  const { createDatabase, port } = await shared();
  const proxies = await Promise.all([tcpProxy(t, port), tcpProxy(t, port)]);
  const [first, second] = proxies;
  const server = serverOf(through(await createDatabase(), first.port, second.port));
  first.silence();
  second.refuse();
  await assert.rejects(server.connect());
  second.restore();
  // The first one, which is gone for good, is waited for once.
  const ms = await timeToConnect(t, server);
  await assertTook(ms, 1_000);
});

async function shared() {
  const server = await sharedServer();
  return { port: server.port, createDatabase: () => server.createDatabase() };
}
