import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { LINGER_MS } from '@petstore/http/lingering.ts';
import { resetConnection } from '@petstore/http/reset-connection.ts';
import { onEveryEngine } from '@petstore/test-support/engines.ts';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { assertRefusedHeadsGetNoContent } from '@petstore/test-support/refused-heads.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { assertError } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

test('bytes that are not HTTP get the Error body and a closed connection', async (t) => {
  const { port } = await startService(t);
  const noise = [
    'rubbish\r\n\r\n',
    'GET\r\n\r\n',
    'GET /v1/pets HTTP/9.9\r\nHost: a\r\n\r\n',
    'GET /v1/pets HTTP/2.0\r\nHost: a\r\nConnection: close\r\n\r\n',
    'GET /v1/pets HTTP/0.9\r\nHost: a\r\nConnection: close\r\n\r\n',
    'GET /v1/pets FTP/1.1\r\nHost: a\r\n\r\n',
    'FROB /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET /v1/pets HTTP/1.1\r\nHo st: a\r\n\r\n',
    'GET /v1/pets HTTP/1.1\r\nHost: a\r\nX: \u0001\r\n\r\n',
    'GET /v1/pets HTTP/1.1\nHost: a\r\nX\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    Buffer.from('16030100a5010000a10303', 'hex'),
  ];
  for (const bytes of noise) {
    const answers = await exchange(port, bytes);
    assert.equal(answers.length, 1, String(bytes));
    assert.equal(answers[0]?.headers.connection, 'close');
    await assertError(answers[0], 'invalid_request');
  }
});

test('a request without a Host, or with two, is a 400', async (t) => {
  const { port, key } = await startService(t);
  const request = (...headers: string[]) =>
    ['GET /v1/pets HTTP/1.1', `Authorization: Bearer ${key}`, ...headers, '\r\n'].join('\r\n');
  for (const bytes of [request(), request('Host: a', 'Host: b')]) {
    const [answer] = await exchange(port, bytes, { timeoutMs: 200 });
    await assertError(answer, 'invalid_request', /exactly one Host header/);
  }
  const [old] = await exchange(
    port,
    request('Host: a').replace('1.1', '1.0').replace('Host: a\r\n', ''),
  );
  assert.equal(old?.status, 200, 'HTTP/1.0 knows no Host');
});

test('headers and a body that never arrive end in a 408', async (t) => {
  const { port, key, store } = await startService(t, {
    config: { headersTimeoutMs: 200, requestTimeoutMs: 400 },
  });
  const body = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 29\r\n\r\n`;
  const slow = [
    'GET /v1/pets HTTP/1.1\r\nHost: a\r\n',
    body,
    `${body}{"name":`,
    body.replace('Content-Length: 29', 'Transfer-Encoding: chunked'),
  ];
  const answers = await Promise.all(
    slow.map((bytes) => exchange(port, bytes, { timeoutMs: 5_000 })),
  );
  for (const [answer] of answers) await assertError(answer, 'request_timeout');
  assert.deepEqual((await store.pets.rows(undefined, 10)).lines, []);
});

test('a HEAD that never becomes a request gets no content, and any other request does', async (t) => {
  const { port, key } = await startService(t);
  const headersTimeoutMs = 400;
  const hurried = await startService(t, { config: { headersTimeoutMs } });
  const { server } = hurried.app;
  // Nothing is late until the service has read what was sent first, however long the machine stands still.
  server.on('connection', async (peer: Socket) => {
    server.headersTimeout = 0;
    await timeUntil(async () => peer.bytesRead > 0);
    server.headersTimeout = headersTimeoutMs;
  });
  const head = `Host: a\r\nAuthorization: Bearer ${key}\r\n`;
  const good = `GET /v1/pets HTTP/1.1\r\n${head}\r\n`;
  // A response that comes before its request is read to its end.
  const refused = 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}';
  for (const before of [good, refused]) {
    await assertRefusedHeadsGetNoContent(
      () => connect(port, '127.0.0.1'),
      before,
      () => connect(hurried.port, '127.0.0.1'),
    );
  }

  // What looks like a HEAD and is in a body is none.
  const post = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\n`;
  const chunked = [`${post}Transfer-Encoding: chunked\r\n\r\n6\r\n`, 'HEAD /\r\nzz\r\n'];
  await assertError((await exchange(port, chunked, { pauseMs: 15 })).at(-1), 'invalid_request');
});

test('a good request gets its response before the rubbish that follows it on the connection', async (t) => {
  const { port, key } = await startService(t);
  const good = `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  for (const pieces of [[`${good}rubbish\r\n\r\n`], [good, 'rubbish\r\n\r\n']]) {
    const [first, second, ...rest] = await exchange(port, pieces, { pauseMs: 20 });
    assert.equal(first?.status, 200);
    assert.equal(first?.body, '[]');
    await assertError(second, 'invalid_request');
    assert.equal(rest.length, 0);
  }
});

onEveryEngine('no response is lost to a request behind it whose body cannot be read', async (t) => {
  const { port, key } = await startService(t);
  const head = `Host: a\r\nAuthorization: Bearer ${key}\r\n`;
  const good = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 29\r\n\r\n{"name":"Rex","categoryId":1}`;
  const broken = [
    [`POST /nope HTTP/1.1\r\n${head}Transfer-Encoding: x\r\n\r\n`, 'invalid_request'],
    [
      `POST /v1/pets HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nxyz`,
      'unsupported_media_type',
    ],
  ] as const;
  for (const [bad, code] of broken) {
    for (const count of [1, 10]) {
      const answers = await exchange(port, good.repeat(count) + bad);
      assert.deepEqual(
        answers.slice(0, count).map(({ status }) => status),
        Array.from({ length: count }, () => 201),
      );
      assert.equal(answers.length, count + 1, bad);
      assert.ok(
        [code, 'not_found', 'invalid_request'].includes(
          JSON.parse(answers[count]?.body ?? '').code,
        ),
      );
    }
  }
});

onEveryEngine(
  'what ends in the middle of its body is not carried out behind another request',
  async (t) => {
    const { port, key, get } = await startService(t);
    const head = `Host: a\r\nAuthorization: Bearer ${key}\r\n`;
    const pet = '{"name":"Rex","categoryId":1}';
    const good = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 29\r\n\r\n${pet}`;
    const broken = `DELETE /v1/pets/1 HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nxyz`;
    const responses = await exchange(port, good + broken);
    assert.deepEqual(
      responses.map(({ status }) => status),
      [201, 400],
    );
    assert.equal((await get('/pets/1')).status, 200);
  },
);

test('a connection that is cut at any point leaves the service serving', async (t) => {
  const { app, port, key, get, post } = await startService(t);
  const whole = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 29\r\n\r\n{"name":"Rex","categoryId":1}`;
  const peers: Socket[] = [];
  app.server.on('connection', (peer: Socket) => peers.push(peer));
  const lengths = Array.from({ length: whole.length / 7 }, (_, i) => i * 7);
  const sockets = lengths.map((length) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(whole.slice(0, length));
    return socket;
  });
  await timeUntil(async () => {
    const read = peers.map(({ bytesRead }) => bytesRead).sort((a, b) => a - b);
    return read.join() === lengths.join();
  });
  for (const socket of sockets) resetConnection(socket);
  await timeUntil(async () => peers.every(({ closed }) => closed));
  // It is written behind whatever the service would have made of them.
  await post('/pets', '{"name":"Ada","categoryId":1}');
  const names = ((await (await get('/pets')).json()) as { name: string }[]).map(({ name }) => name);
  assert.deepEqual(names, ['Ada']);
});

test('a client that goes on sending after its response is cut off in the end', async (t) => {
  const { app, port } = await startService(t);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const accepted = once(app.server, 'connection');
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  let received = '';
  socket.on('data', (chunk) => (received += chunk));
  socket.write('POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
  const [peer] = await accepted;
  await once(socket, 'data');
  assert.match(received, /^HTTP\/1\.1 401 /);
  const send = async () => {
    const before = peer.bytesRead;
    socket.write('1\r\nx\r\n');
    await timeUntil(async () => peer.bytesRead > before || peer.destroyed);
  };
  await send();
  t.mock.timers.tick(LINGER_MS - 1);
  await send();
  assert.ok(!peer.destroyed, 'it may for a while');
  t.mock.timers.tick(1);
  assert.ok(peer.destroyed, 'the connection was closed by the service');
});

test('CONNECT is a 405', async (t) => {
  const { port } = await startService(t);
  const [answer] = await exchange(port, 'CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n');
  assert.ok(answer?.headers.allow);
  await assertError(answer, 'method_not_allowed', /not a proxy/);
});

test('an unknown expectation and an offered upgrade are ignored', async (t) => {
  const { port, key } = await startService(t);
  const extras = ['Expect: miracles', 'Connection: Upgrade\r\nUpgrade: websocket', 'Upgrade: h2c'];
  for (const extra of extras) {
    const [answer] = await exchange(
      port,
      `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${extra}\r\n\r\n`,
      { timeoutMs: 200 },
    );
    assert.equal(answer?.status, 200, extra);
  }
});

test('a client that asks before it sends its body is told to go on only when it may', async (t) => {
  const { port, key } = await startService(t);
  const head = (bearer: string, length: number) =>
    `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${bearer}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
  const [go, created] = await exchange(port, [head(key, 29), '{"name":"Rex","categoryId":1}'], {
    ...{ pauseMs: 50, timeoutMs: 200 },
    responses: 2,
  });
  assert.equal(go?.status, 100);
  assert.equal(created?.status, 201);

  const old = head(key, 29).replace('HTTP/1.1', 'HTTP/1.0');
  const answers = await exchange(port, [old, '{"name":"Rex","categoryId":1}'], { pauseMs: 50 });
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201],
    'HTTP/1.0 knows no 100',
  );

  const [refused] = await exchange(port, head('wrong', 29), { timeoutMs: 200 });
  await assertError(refused, 'unauthorized');
  const [tooLarge] = await exchange(port, head(key, 70_000), { timeoutMs: 200 });
  await assertError(tooLarge, 'payload_too_large');
});
