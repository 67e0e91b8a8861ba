import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { queryObjects } from 'node:v8';
import { resetConnection } from '@petstore/http/reset-connection.ts';
import { runAlone } from '@petstore/test-support/clean-up.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { takenConnections } from '../support/edge.ts';
import { clientHello, handshake, startSecureEdge } from '../support/secure-edge.ts';

runAlone();

const CLIENTS = 10_000;
const AT_ONCE = 500;

/** Connections of an address, and handshakes under way: not enough for two rounds of clients. */
const MAX = 800;

test('10,000 clients that leave while the store is asked for their host leave nothing behind', async (t) => {
  const { httpsPort, source, invalidate, askSecurely } = await startSecureEdge(t, {
    connectionsPerAddress: MAX,
    tls: { port: 0, maxHandshakes: MAX },
  });
  const hello = await clientHello();
  const open = takenConnections(t);
  await askSecurely('/', { host: 'b.test' });
  for (let gone = 0; gone < CLIENTS; gone += AT_ONCE) {
    // The host is asked for anew, and the answer comes when its clients have left.
    source.forgetAsked();
    const answer = source.hold();
    invalidate(['project of a.test']);
    const clients = await openMany(httpsPort, AT_ONCE, hello);
    // When a later client is served, all of them wait for the answer.
    await askSecurely('/', { host: 'b.test' });
    assert.equal(source.asked.findSite, 1);
    for (const client of clients) resetConnection(client);
    await timeUntil(async () => open.size === 0);
    answer();
    await timeUntil(async () => source.asked.findServedCertificate === 1);
  }
  await until(() => keptConnections() === 0, keptConnections);

  // When sites change, hosts are asked for that have connections, and no others.
  const lookUps = async () => {
    const live = await handshake(httpsPort, { servername: 'b.test' });
    source.forgetAsked();
    invalidate(['project of a.test', 'project of b.test']);
    live.destroy();
    return source.asked.findSite;
  };
  assert.equal(await lookUps(), 1);

  // Every place is free again, those of the address and those of handshakes. One more takes the place of another.
  const silent = await openMany(httpsPort, MAX);
  await timeUntil(async () => open.size === MAX);
  (await handshake(httpsPort)).destroy();
  assert.equal(open.size, MAX);
  for (const client of silent) client.destroy();
  await until(() => keptConnections() === 0, keptConnections);
});

/** A client's connection, and what asks for a page over it. */
interface Client {
  readonly socket: Socket;
  readonly ask: () => void;
}

const GET = 'GET /pets.md HTTP/1.1\r\nHost: a.test\r\n\r\n';

const WAYS: Record<string, (ports: { port: number; httpsPort: number }) => Promise<Client>> = {
  async 'HTTP/1.1'({ port }) {
    const [socket] = (await openMany(port, 1)) as [Socket];
    return { socket, ask: () => socket.write(GET) };
  },
  async 'HTTP/1.1 over TLS'({ httpsPort }) {
    const [socket] = (await openMany(httpsPort, 1)) as [Socket];
    const secure = await handshake(httpsPort, { socket, ALPNProtocols: ['http/1.1'] });
    return { socket, ask: () => secure.write(GET) };
  },
  async 'HTTP/2'({ httpsPort }) {
    const [socket] = (await openMany(httpsPort, 1)) as [Socket];
    const secure = await handshake(httpsPort, { socket, ALPNProtocols: ['h2'] });
    const session = connectHttp2('https://a.test', { createConnection: () => secure });
    session.on('error', () => undefined);
    const ask = () => session.request({ ':path': '/pets.md' }).on('error', () => undefined);
    return { socket, ask };
  },
};

for (const [way, connectTo] of Object.entries(WAYS)) {
  test(`clients that leave while the store is asked for their page leave nothing behind, over ${way}`, async (t) => {
    // So long Node keeps a stream of HTTP/2 that went with its session.
    const edge = await startSecureEdge(t, { timeouts: { stalled: 1_000 } });
    const { source } = edge;
    const open = takenConnections(t);
    await edge.askSecurely('/', { host: 'b.test' });
    const askAndLeave = async () => {
      const clients = await Promise.all(Array.from({ length: 50 }, () => connectTo(edge)));
      source.forgetAsked();
      const answer = source.hold();
      edge.invalidate(['project of a.test']);
      await timeUntil(async () => open.size === clients.length);
      for (const { ask } of clients) ask();
      // When a later client is served, all of them wait for the answer.
      await edge.askSecurely('/', { host: 'b.test' });
      assert.equal(source.asked.findSite, 1);
      for (const { socket } of clients) resetConnection(socket);
      await timeUntil(async () => open.size === 0);
      answer();
    };
    for (let round = 0; round < 5; round++) await askAndLeave();
    await until(() => keptSockets() === 0, keptSockets);
  });
}

/** Connections over TLS that something in this process can still reach. Its clients here have plain ones. */
function keptConnections(): number {
  return queryObjects(TLSSocket, { format: 'count' });
}

/** Those without TLS and those below one, of both sides; the process has some of its own. */
function keptSockets(): number {
  return queryObjects(Socket, { format: 'count' }) - OWN_SOCKETS;
}
const OWN_SOCKETS = queryObjects(Socket, { format: 'count' });

/** Connections from an address that is counted, as 127.0.0.1 is not. */
function openMany(port: number, count: number, bytes?: Buffer): Promise<Socket[]> {
  const open = async () => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.2' });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    if (bytes) socket.write(bytes);
    return socket.resume();
  };
  return Promise.all(Array.from({ length: count }, open));
}

/** Looks for a minute, and more where a look takes long: to count objects a busy machine may take seconds. */
async function until(holds: () => boolean, found: () => unknown): Promise<void> {
  for (let looks = 0; !holds(); looks++) {
    assert.ok(looks < 600, `not within a minute: ${found()}`);
    await sleep(100);
  }
}
