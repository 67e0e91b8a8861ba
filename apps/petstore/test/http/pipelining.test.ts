import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import { holdTimers } from '@petstore/test-support/hold-timers.ts';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { startService } from '../support/service.ts';

test('requests that are sent at once are handled as if each had waited for its response', async (t) => {
  const { port, key } = await startService(t);
  const head = (line: string) => `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
  const body = '{"name":"Rex","categoryId":1}';
  const post = `${head('POST /v1/pets')}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const get = (path: string) => `${head(`GET /v1/pets${path}`)}\r\n`;

  const once = [get(''), post, get(''), get('/1'), get('/2'), post, get('/2')];
  const last = `${head('GET /v1/pets?status=available')}Connection: close\r\n\r\n`;
  const answers = await exchange(port, [...once, last].join(''), { timeoutMs: 5_000 });
  const rex = (id: number) => `{"id":${id},"name":"Rex","categoryId":1,"status":"available"}`;
  assert.deepEqual(
    answers.map(({ status, body }) => (status === 404 ? '404' : body)),
    ['[]', rex(1), `[${rex(1)}]`, rex(1), '404', rex(2), rex(2), `[${rex(1)},${rex(2)}]`],
  );
});

test('what comes behind a response that ends the connection is dropped, and resets nothing', async (t) => {
  const { app, port, key, store } = await startService(t);
  const body = '{"name":"Rex","categoryId":1}';
  const post = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  // It goes on after the server has said that it ends.
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  cleanUp(t, () => socket.destroy());
  let received = '';
  socket.on('data', (bytes) => (received += bytes));
  socket.write(post);
  await once(socket, 'data');
  const ended = once(socket, 'end');
  const appClosed = app.close();
  // For so long the server waits for the client's end, which comes when all is sent.
  holdTimers(t, [2_000]);
  socket.write(post);
  await ended;
  for (let late = 0; late < 20; late++) await new Promise((sent) => socket.write(post, sent));
  // Fails where the connection was reset.
  const closed = once(socket, 'close');
  socket.end();
  await closed;
  await appClosed;
  const answers = received.match(/^connection: .*$/gim);
  assert.deepEqual(answers, ['Connection: keep-alive', 'Connection: close']);
  assert.ok(await store.pets.get(2n));
  assert.equal(await store.pets.get(3n), undefined);
});

test('a client that does not end its side is closed all the same', async (t) => {
  const { app, port, key } = await startService(t);
  const connections = promisify(app.server.getConnections.bind(app.server));
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  cleanUp(t, () => socket.destroy());
  const ended = once(socket.resume(), 'end');
  socket.write(
    `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
  );
  await ended;
  const begun = performance.now();
  await timeUntil(async () => (await connections()) === 0);
  const lingered = performance.now() - begun;
  assert.ok(lingered > 1_500, `${lingered} ms`);
});
