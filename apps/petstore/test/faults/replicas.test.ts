import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { connectTo, PostgresServer } from '@petstore/test-support/postgres.ts';
import { coverNoPrograms } from '@petstore/test-support/program.ts';
import { tcpProxy } from '@petstore/test-support/tcp-proxy.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { assertWithin, timeOf, timeUntil } from '@petstore/test-support/within.ts';
import { concurrentClients } from '../support/concurrent-clients.ts';
import { readMetrics } from '../support/metrics.ts';
import { petstore, serve } from '../support/program.ts';

coverNoPrograms();

const SOME_READS = 20;

function rawConnection(t: TestContext, url: string) {
  const sql = connectTo(url);
  cleanUp(t, () => sql.end());
  return sql;
}

/** Addresses as a list in one variable. */
const replicas = (...urls: string[]) => ({ PETSTORE_DATABASE_REPLICA_URL: urls.join(' ') });

async function startProcesses(t: TestContext, url: string, ...envs: Record<string, string>[]) {
  const folder = await temporaryFolder(t);
  const common = { PETSTORE_DATABASE_URL: url, PETSTORE_RATE_LIMIT: '0' };
  const { code, stdout, stderr } = await petstore(
    folder,
    ['keys', 'create', '--name', 'x', '--json'],
    common,
  );
  assert.equal(code, 0, stderr);
  const { key } = JSON.parse(stdout) as { key: string };
  const programs = await Promise.all(envs.map((env) => serve(t, folder, { ...common, ...env })));
  return { key, origins: programs.map(({ origin }) => origin) };
}

/** What a process counted of a replica. */
async function counted(origin: string, name: string, labels: Record<string, string>) {
  return (await readMetrics(origin)).value(`petstore_replica_${name}`, labels) ?? 0;
}

const nameOf = (url: string) => new URL(url).host;

test('reads over several processes and standbys that pause, lag, die and are cut off are as from one place', async (t) => {
  const server = await PostgresServer.start(t);
  const url = await server.createDatabase();
  const database = new URL(url).pathname.slice(1);
  const [first, second] = [await server.standby('first'), await server.standby('second')];
  const cable = await tcpProxy(t, second.port);
  const urls = [
    first.url(database),
    second.url(database).replace(`${second.port}`, `${cable.port}`),
  ];
  const { key, origins } = await startProcesses(t, url, replicas(...urls), replicas(...urls), {});
  const [one = ''] = origins;
  const used = (at: number) => counted(one, 'used', { replica: nameOf(urls[at] as string) });
  const read = (at: number) => counted(one, 'reads_total', { replica: nameOf(urls[at] as string) });
  const isBack = async (at: number) => (await used(at)) === 1;
  const isReadFrom = async (at: number) => {
    const before = await read(at);
    await timeUntil(async () => (await read(at)) > before + SOME_READS);
  };
  const clients = concurrentClients(t, origins, key);
  const isLeftAside = async (at: number, reason: string, act: () => unknown) => {
    const labels = { replica: nameOf(urls[at] as string), reason };
    const count = () => counted(one, 'fallbacks_total', labels);
    const before = await count();
    await act();
    await timeUntil(async () => (await count()) > before && (await used(at)) === 0);
  };
  await isReadFrom(0);
  await isReadFrom(1);

  const raw = rawConnection(t, first.url(database));
  await isLeftAside(0, 'lag', () => raw.unsafe('SELECT pg_wal_replay_pause()'));
  await isReadFrom(1);
  await raw.unsafe('SELECT pg_wal_replay_resume()');
  await timeUntil(() => isBack(0));
  await isReadFrom(0);

  await isLeftAside(0, 'lost', () => first.stopAtOnce());
  await isLeftAside(1, 'lost', () => cable.silence());
  assert.equal((await fetch(`${one}/readyz`)).status, 200, 'no standby is needed');
  cable.restore();
  cable.reset();
  await first.resume();
  await isReadFrom(0);
  await isReadFrom(1);

  const later = rawConnection(t, first.url(database));
  await later.unsafe("ALTER SYSTEM SET recovery_min_apply_delay = '300ms'");
  await later.unsafe('SELECT pg_reload_conf()');
  await timeUntil(async () => (await used(0)) === 0);
  await isReadFrom(1);
  await clients.end();

  assert.deepEqual(clients.history.violations(), []);
  const failed = [...clients.statuses.keys()].filter((status) => /5\d\d|cut/.test(status));
  assert.deepEqual(failed, [], 'nothing that becomes of a standby is seen by a client');
});

test('a standby ahead of the primary shows nothing that the primary does not, and nothing that a failover lost', async (t) => {
  const server = await PostgresServer.start(t);
  const url = await server.createDatabase();
  const database = new URL(url).pathname.slice(1);
  const cable = await tcpProxy(t, server.port);
  const heir = await server.standby('heir', cable.port);
  const ahead = await server.standby('ahead');
  const hosts = url.replace(`:${server.port}/`, `:${server.port},127.0.0.1:${heir.port}/`);
  const aheadUrl = ahead.url(database);
  const raw = rawConnection(t, url);
  await raw.unsafe('CREATE TABLE scratch (text text)');
  await raw.unsafe("ALTER SYSTEM SET synchronous_standby_names = 'heir'");
  await raw.unsafe('SELECT pg_reload_conf()');
  const { key, origins } = await startProcesses(t, hosts, replicas(aheadUrl), {});
  const [one = ''] = origins;
  const labels = { replica: nameOf(aheadUrl) };
  const used = () => counted(one, 'used', labels);
  const setbacks = (reason: string) => counted(one, 'fallbacks_total', { ...labels, reason });
  const clients = concurrentClients(t, origins, key);
  await timeUntil(async () => (await counted(one, 'reads_total', labels)) > SOME_READS);

  cable.silence();
  await timeUntil(async () => (await setbacks('ahead')) > 0);
  // Much that nobody ever sees: the log of the standby is then longer than that of its next primary.
  await raw.unsafe(`
    BEGIN; INSERT INTO scratch SELECT repeat('x', 1000) FROM generate_series(1, 5000); ROLLBACK`);
  const [end] = await raw<{ lsn: string }>`SELECT pg_current_wal_lsn()::text AS lsn`;
  const standby = rawConnection(t, aheadUrl);
  await timeUntil(async () => {
    const [row] = await standby`SELECT pg_last_wal_replay_lsn() >= ${end?.lsn}::pg_lsn AS has`;
    return row?.has === true;
  });
  const reads = clients.history.reads;
  await timeUntil(async () => clients.history.reads > reads + SOME_READS);

  await server.stopAtOnce();
  const promoted = rawConnection(t, heir.url(database));
  await promoted.unsafe('SELECT pg_promote()');
  // As many transactions as the former primary had, and more.
  const then = clients.statuses.get('POST 201') ?? 0;
  await timeUntil(async () => (clients.statuses.get('POST 201') ?? 0) > then + 300);
  // It is tried again and again, and is of another history each time.
  const tries = await setbacks('other_history');
  await timeUntil(async () => (await setbacks('other_history')) > tries + 1);
  assert.equal(await used(), 0);
  await clients.end();
  assert.deepEqual(clients.history.violations(), []);
});

test('a standby that falls silent keeps no reader waiting for half a second', async (t) => {
  const server = await PostgresServer.start(t);
  const url = await server.createDatabase();
  const standby = await server.standby('standby');
  const cable = await tcpProxy(t, standby.port);
  const standbyUrl = standby.url(new URL(url).pathname.slice(1));
  const replica = standbyUrl.replace(`${standby.port}`, `${cable.port}`);
  const { key, origins } = await startProcesses(t, url, replicas(replica));
  const [one = ''] = origins;
  const labels = { replica: nameOf(replica) };
  const lost = () => counted(one, 'fallbacks_total', { ...labels, reason: 'lost' });
  const isUsed = async () => (await counted(one, 'used', labels)) === 1;
  const read = async () => {
    const response = await fetch(`${one}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(response.status, 200);
    await response.text();
  };
  await assertWithin(
    500,
    async () => {
      let before = 0;
      // A read may set it aside, too. Once it is silent nobody asks it before the one that is measured.
      await timeUntil(async () => {
        cable.restore();
        await timeUntil(isUsed);
        await read();
        before = await lost();
        cable.silence();
        return isUsed();
      });
      const took = await timeOf(read);
      assert.ok((await lost()) > before, 'the standby was asked, and did not respond');
      return took;
    },
    'a read while the standby was silent',
  );
});
