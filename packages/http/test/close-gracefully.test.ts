import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { closeGracefully } from '@petstore/http/close-gracefully.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import Fastify from 'fastify';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** An app with one response. `stop` begins to close it, and resolves when it has closed what it wants to close at once. */
function appOf(t: TestContext, body: string, patienceMs: number) {
  const app = Fastify({ forceCloseConnections: 'idle', return503OnClosing: false });
  const announced = Promise.withResolvers<void>();
  let isClosing = false;
  app.get('/', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close');
    return body;
  });
  const announce = () => {
    isClosing = true;
    announced.resolve();
  };
  closeGracefully(app, announce, patienceMs);
  cleanUp(t, () => app.close());
  const stop = async () => {
    const closed = app.close();
    await announced.promise;
    for (let turns = 0; turns < 50; turns++) await nextTurn();
    return { closed };
  };
  return { app, stop };
}

/** A client that has asked, and its connection on the app's side. */
async function asked(t: TestContext, port: number, accepted: Promise<unknown[]>) {
  const client = connect(port, '127.0.0.1');
  cleanUp(t, () => client.destroy());
  client.write(GET);
  const [peer] = (await accepted) as [Socket];
  return { client, peer };
}

test('a client that reads slowly gets all of its response', async (t) => {
  const body = 'x'.repeat(30_000_000);
  const { app, stop } = appOf(t, body, 0);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const { client, peer } = await asked(t, port, once(app.server, 'connection'));
  await timeUntil(async () => peer.writableLength > 0);
  const { closed } = await stop();
  const received = await buffer(client);
  assert.ok(received.length > body.length, `${received.length} bytes`);
  await closed;
});

test('a client that has asked for nothing does not delay the end', async (t) => {
  const { app, stop } = appOf(t, 'here', 0);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const accepted = once(app.server, 'connection');
  const silent = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  cleanUp(t, () => silent.destroy());
  await accepted;
  const { closed } = await stop();
  await closed;
  await once(silent.resume(), 'close');
});

test('clients whose connections wait to be accepted are answered', async (t) => {
  const { app, stop } = appOf(t, 'here', 0);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  let accepted = 0;
  app.server.on('connection', () => accepted++);
  const clients = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
  cleanUp(t, () => {
    for (const client of clients) client.destroy();
  });
  // The system connects all of them; Node accepts one in each turn.
  await Promise.all(clients.map((client) => once(client, 'connect')));
  assert.ok(accepted < clients.length / 2);
  for (const client of clients) client.write(GET);
  const { closed } = await stop();
  for (const response of await Promise.all(clients.map(text))) assert.match(response, /here$/);
  await closed;
});

test('a client of a connection that was handed over gets the time to leave', async (t) => {
  const { app, stop } = appOf(t, 'here', 60_000);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const server = createServer((socket) => app.server.emit('connection', socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => server.close());
  const { port } = server.address() as AddressInfo;
  const { client } = await asked(t, port, once(server, 'connection'));
  await once(client, 'data');
  const { closed } = await stop();
  client.write(GET);
  assert.match(await text(client), /\r\nconnection: close\r\n.*here$/s);
  await closed;
});
