import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { TLSSocket } from 'node:tls';
import type { Connection } from '@petstore/postgres/connection.ts';
import { PostgresServer } from '@petstore/postgres/server.ts';
import { postgresAddress } from '@petstore/service/postgres-address.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { connectTo, PostgresServer as TestServer } from '@petstore/test-support/postgres.ts';
import { authority } from '../edge/support/certificates.ts';

const REFUSED = { name: 'ConnectionLostError', code: 'NO_CHANNEL_BINDING' };

/** A server with TLS; `askFor` has it ask for the password in another way. */
async function serverWithTls(t: TestContext) {
  const server = await TestServer.start(t);
  const url = await server.createDatabase();
  const raw = connectTo(url);
  cleanUp(t, () => raw.end());
  const write = (name: string, text: string) =>
    raw.unsafe(`COPY (SELECT unnest(string_to_array($text$${text}$text$, E'\\n')))
      TO PROGRAM 'umask 077; cat > ${name}'`);
  const { certificate, key } = await pem('127.0.0.1');
  await write('server.crt', certificate);
  await write('server.key', key);
  await raw.unsafe("ALTER SYSTEM SET ssl = 'on'");
  const reload = () => raw.unsafe('SELECT pg_reload_conf()');
  await reload();
  const askFor = async (method: string) => {
    await write('pg_hba.conf', `host all all all ${method}`);
    await reload();
  };
  return { url, port: server.port, askFor };
}

async function pem(host: string) {
  const { chain, key } = await authority.issue(host);
  return { certificate: chain, key };
}

async function loginTo(t: TestContext, url: string): Promise<Connection> {
  const session = { name: 'tested', timeoutMs: 0, int8: BigInt };
  const connection = await new PostgresServer(postgresAddress('url', url), session).connect();
  cleanUp(t, () => connection.destroy());
  return connection;
}

/** One in the middle, with a certificate of his own, who passes on what he reads: his port. */
async function middleman(t: TestContext, port: number): Promise<number> {
  const { certificate, key } = await pem('127.0.0.1');
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    sockets.push(client);
    client.on('error', () => undefined);
    // The request for TLS, 8 bytes, and yes.
    client.once('data', () => {
      client.write('S');
      const secure = new TLSSocket(client, { isServer: true, cert: certificate, key });
      const onward = connect(port, '127.0.0.1');
      sockets.push(onward);
      for (const socket of [secure, onward]) socket.on('error', () => undefined);
      secure.pipe(onward).pipe(secure);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

test('channel_binding=require lets nobody stand in the middle, and no server ask for less', async (t) => {
  const { url, port, askFor } = await serverWithTls(t);
  const at = (host: number, binding: string) =>
    `${url.replace(`:${port}/`, `:${host}/`)}?sslmode=require&channel_binding=${binding}`;
  const isSecure = async (connection: Connection) =>
    (await connection.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()', [])).rows[0]
      ?.ssl;
  for (const binding of ['disable', 'prefer', 'require']) {
    assert.equal(await isSecure(await loginTo(t, at(port, binding))), true, binding);
  }

  const between = await middleman(t, port);
  for (const binding of ['disable', 'prefer']) {
    assert.equal(await isSecure(await loginTo(t, at(between, binding))), false, binding);
  }
  await assert.rejects(loginTo(t, at(between, 'require')), REFUSED);
  // A server without TLS, where it need not be.
  const plain = at(port, 'require').replace('sslmode=require', 'sslmode=prefer');
  assert.equal(await isSecure(await loginTo(t, plain)), true);

  for (const method of ['password', 'trust']) {
    await askFor(method);
    await assert.rejects(loginTo(t, at(port, 'require')), REFUSED, method);
    await loginTo(t, at(port, 'prefer'));
  }
});
