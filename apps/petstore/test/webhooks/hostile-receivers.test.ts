import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { startService } from '../support/service.ts';

/** A receiver that does as it likes with the connection once a request has come; its address. */
async function receive(t: TestContext, respond: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => respond(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Writes without end, as fast as it is taken. */
function flood(socket: Socket, text: string): void {
  const bytes = Buffer.from(text.repeat(Math.ceil(4_096 / text.length)));
  const write = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', write);
  write();
}

const RECEIVERS: Record<
  string,
  [respond: (socket: Socket) => void, status: number | null, error: string]
> = {
  'changes to another protocol': [
    (socket) =>
      socket.write('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'),
    101,
    'The receiver responded with 101.',
  ],
  'sends interim responses without end': [
    (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
    null,
    'The receiver sent more than 100 interim responses (1xx) before a final one.',
  ],
  'asks without end to go on': [
    (socket) => flood(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
    null,
    'The receiver sent more than 100 interim responses (1xx) before a final one.',
  ],
  'sends headers without end': [
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      flood(socket, 'X-Header: value\r\n');
    },
    null,
    "The headers of the receiver's response are larger than 16 KiB.",
  ],
  'ends the connection within the headers': [
    (socket) => socket.end('HTTP/1.1 200 OK\r\nX-He'),
    null,
    'The receiver closed the connection without a response.',
  ],
  'does not speak HTTP': [
    (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
    null,
    "The receiver's response is not HTTP.",
  ],
};

test('an attempt says in words what a receiver did that breaks the rules, and ends with it', async (t) => {
  const service = await startService(t, { config: { webhookPrivateAddresses: 'allow' } });
  for (const [name, [respond, status, error]] of Object.entries(RECEIVERS)) {
    const url = await receive(t, respond);
    const made = await service.post('/webhooks', JSON.stringify({ url }));
    const { id } = (await made.json()) as { id: string };
    const tested = await service.call(`/webhooks/${id}/test`, { method: 'POST' });
    const attempt = (await tested.json()) as Record<string, unknown>;
    assert.deepEqual([attempt.status, attempt.error], [status, error], name);
  }
});
