import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onEveryEngine } from '../support/engines.ts';
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
  if (!socket.closed) await once(socket, 'close');
}

function create({ key }: Service, name: string): string {
  const body = JSON.stringify({ name, categoryId: 1 });
  return `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

function list({ key }: Service, path: string): string {
  return `GET /v1/pets${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}

onEveryEngine(
  'clients that leave before their answers cost nothing but their answers',
  async (t) => {
    const service = await startService(t);
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
          if (i % 2 === 0) socket.resetAndDestroy();
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
    for (let waited = 0; (await openConnections(service)) > 2 && waited < 100; waited++)
      await sleep(20);
    assert.ok((await openConnections(service)) <= 2);
    assert.deepEqual(logged, []);
  },
);
