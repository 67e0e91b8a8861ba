import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { resetConnection } from '@petstore/http/reset-connection.ts';
import { closed } from '@petstore/test-support/closed.ts';
import { onEveryEngine } from '@petstore/test-support/engines.ts';
import { finished } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { ask } from '../support/animals.ts';
import { serve } from '../support/program.ts';
import { type Service, startService } from '../support/service.ts';

const CLIENTS = 100;

/** How many connections the server has open. */
function openConnections({ app }: Service): Promise<number> {
  return new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

/** Sends bytes and is gone before an answer can have come: by a reset, or by an end of its side. */
async function sendAndLeave(port: number, bytes: string, leave: (socket: Socket) => void) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  await once(socket, 'connect');
  socket.write(bytes, () => leave(socket));
  await closed(socket);
}

function create({ key }: { key: string }, name: string): string {
  const body = JSON.stringify({ name, categoryId: 1 });
  return `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

function list({ key }: Service, path: string): string {
  return `GET /v1/pets${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}

onEveryEngine(
  'clients that leave before their answers cost nothing but their answers',
  async (t) => {
    // A request that only a busy machine made slow is none that cost something.
    const service = await startService(t, { config: { slowRequestMs: 60_000 } });
    const { get, post, port, logged } = service;
    const before = (await (
      await post('/pets', '{"name":"first","categoryId":1}')
    ).json()) as object;
    // So that the next requests for them take the shortest way there is.
    for (let again = 0; again < 3; again++)
      for (const path of ['', '/1']) await get(`/pets${path}`);

    const requests = [create(service, 'pet'), list(service, ''), list(service, '/1').repeat(20)];
    await Promise.all(
      Array.from({ length: CLIENTS }, (_, i) =>
        sendAndLeave(port, requests[i % requests.length] ?? '', (socket) => {
          if (i % 2 === 0) resetConnection(socket);
          else socket.end();
        }),
      ),
    );

    // Whoever stays is served as ever, and nobody finds a pet twice, or half of one.
    assert.deepEqual(await (await get('/pets/1')).json(), before);
    const pets = (await (await get('/pets?limit=100')).json()) as { id: number; name: string }[];
    assert.equal(new Set(pets.map(({ id }) => id)).size, pets.length);
    for (const { name } of pets) assert.match(name, /^(first|pet)$/);
    const last = (await (await post('/pets', '{"name":"last","categoryId":1}')).json()) as object;
    const all = (await (await get('/pets?limit=100')).json()) as object[];
    assert.deepEqual(all.at(-1), last);

    // Nothing is held for those who left. The one that stays is the test's own client.
    await timeUntil(async () => (await openConnections(service)) <= 2);
    assert.deepEqual(logged, []);
  },
);

test('a service that is told to stop answers all that it has done, also to clients that send ahead', async (t) => {
  const folder = await temporaryFolder(t);
  const program = await serve(t, folder, {}, ['--first-key']);
  const key = /pk_live_\w{38}/.exec(program.output.stdout)?.[0] ?? '';
  const acknowledged = new Set<string>();
  let errors = 0;
  let sent = 0;
  const sockets = Array.from({ length: 32 }, (_, i) => {
    const socket = connect(Number(new URL(program.origin).port), '127.0.0.1');
    const send = () => {
      if (socket.writable) socket.write(create({ key }, `pet ${sent++}`));
    };
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes;
      for (const [, name = ''] of received.matchAll(/"name":"(pet \d+)"/g)) {
        if (acknowledged.has(name)) continue;
        acknowledged.add(name);
        if (!/^connection: close/im.test(received)) send();
      }
      received = received.slice(received.lastIndexOf('HTTP/1.1'));
    });
    socket.on('error', () => errors++);
    // Half of them wait for each answer, the others send eight requests ahead.
    for (let ahead = i % 2 === 0 ? 1 : 8; ahead > 0; ahead--) send();
    return socket;
  });
  // Well under way; on a busy machine the thread that writes takes its time to start.
  while (acknowledged.size < 500) await sleep(10);
  program.child.kill('SIGTERM');
  await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
  assert.equal((await finished(program)).code, 0);
  assert.equal(errors, 0, 'no connection was reset');
  assert.equal(ask(folder, 'SELECT count(*) FROM pets'), acknowledged.size);
});
