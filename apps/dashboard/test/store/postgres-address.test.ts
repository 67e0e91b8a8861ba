import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { sql } from 'kysely';
import { openDatabase } from '../../server/src/store/open-database.ts';
import { authority } from '../edge/support/certificates.ts';

/** The settings of a session on the database of an address. */
async function sessionOf(url: string) {
  const { db, close } = await openDatabase(url, 2);
  try {
    const { rows } = await sql<Record<string, string>>`
      SELECT current_setting('application_name') AS name,
        current_setting('statement_timeout') AS timeout,
        current_setting('idle_in_transaction_session_timeout') AS idle,
        current_setting('default_transaction_isolation') AS isolation,
        current_setting('search_path') AS path,
        current_setting('work_mem') AS memory`.execute(db);
    return rows[0];
  } finally {
    await close();
  }
}

test('a session has the settings of the program, or those that the address names', async () => {
  const server = await sharedServer();
  const url = await server.createDatabase();
  const { db, close } = await openDatabase(url, 1);
  const database = sql.id(new URL(url).pathname.slice(1));
  await sql`ALTER DATABASE ${database} SET default_transaction_isolation = 'serializable'`.execute(
    db,
  );
  await close();
  const limits = { timeout: '10s', idle: '10s' };
  const defaults = { isolation: 'read committed', path: '"$user", public', memory: '4MB' };
  assert.deepEqual(await sessionOf(url), { name: 'dashboard', ...limits, ...defaults });
  const settings = new URLSearchParams({
    application_name: 'docs one',
    statement_timeout: '7s',
    search_path: 'public, pg_catalog',
    options: '-c work_mem=8MB',
    connect_timeout: '10',
  });
  assert.deepEqual(await sessionOf(`${url}?${settings}`), {
    name: 'docs one',
    ...{ timeout: '7s', idle: '10s', isolation: 'read committed' },
    path: 'public, pg_catalog',
    memory: '8MB',
  });
  const unknown = /cannot be opened: unrecognized configuration parameter "colour"/;
  await assert.rejects(openDatabase(`${url}?colour=red`, 1), unknown);
});

test('a server without TLS will do unless the address insists', async () => {
  const server = await sharedServer();
  const url = await server.createDatabase();
  for (const mode of ['disable', 'prefer'])
    assert.ok(await sessionOf(`${url}?sslmode=${mode}`), mode);
  for (const mode of ['allow', 'require', 'verify-ca', 'verify-full']) {
    const refused = /cannot be opened: The server does not support SSL connections/;
    await assert.rejects(openDatabase(`${url}?sslmode=${mode}`, 1), refused, mode);
  }
});

test('over TLS the server is known by its certificate where the address asks for that', async (t) => {
  const server = await sharedServer();
  const database = await server.createDatabase();
  const url = (host: string, port: number, mode: string) =>
    `${database.replace(`127.0.0.1:${server.port}`, `${host}:${port}`)}?sslmode=${mode}`;
  const front = await tlsFront(t, server.port);
  for (const mode of ['allow', 'prefer', 'require']) {
    assert.ok(await sessionOf(url('localhost', front.port, mode)), mode);
  }
  assert.equal(front.encrypted, front.connections);
  const plain = front.connections;
  assert.ok(await sessionOf(url('localhost', front.port, 'disable')));
  assert.ok(front.connections > plain && front.encrypted === plain);

  const trusted = getCACertificates('default');
  for (const mode of ['verify-ca', 'verify-full']) {
    const address = url('localhost', front.port, mode);
    await assert.rejects(openDatabase(address, 1), /cannot be opened: .*certificate/, mode);
    setDefaultCACertificates([...trusted, authority.root]);
    assert.ok(await sessionOf(address), mode);
    const otherName = url('127.0.0.1', front.port, mode);
    await assert.rejects(openDatabase(otherName, 1), /does not match certificate/, mode);
    setDefaultCACertificates(trusted);
  }
});

/** Gives a PostgreSQL server TLS, as `localhost`. */
async function tlsFront(t: TestContext, target: number) {
  const { chain, key } = await authority.issue('localhost');
  const sockets = new Set<Socket>();
  const counts = { connections: 0, encrypted: 0 };
  const server = createServer(async (client) => {
    counts.connections++;
    const upstream = connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    const [first] = (await once(client, 'data')) as [Buffer];
    if (!first.equals(SSL_REQUEST)) {
      upstream.write(first);
      client.pipe(upstream).pipe(client);
      return;
    }
    counts.encrypted++;
    client.write('S');
    const secure = new TLSSocket(client, { isServer: true, cert: chain, key });
    secure.on('error', () => {});
    secure.pipe(upstream).pipe(secure);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    port,
    get connections() {
      return counts.connections;
    },
    get encrypted() {
      return counts.encrypted;
    },
  };
}

/** The first message of a client that wants TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
