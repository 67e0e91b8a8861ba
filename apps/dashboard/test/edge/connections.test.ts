import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { resetConnection } from '@petstore/http/reset-connection.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { closed } from '@petstore/test-support/closed.ts';
import { assertRefusedHeadsGetNoContent } from '@petstore/test-support/refused-heads.ts';
import { TRANSFER_CODINGS } from '@petstore/test-support/request-heads.ts';
import { despiteStandstill } from '@petstore/test-support/standstill.ts';
import { assertTook, timeUntil } from '@petstore/test-support/within.ts';
import { pino } from 'pino';
import { exchange, startTestEdge, statuses, takenConnections } from './support/edge.ts';
import { MemorySource } from './support/memory-source.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n';
/** More than the system's buffers hold. */
const HUGE = { type: 'application/octet-stream', text: Buffer.alloc(20_000_000, 'x') };
/** Requests that take the fast path and those that do not. */
const WAYS = { 'the fast path': '', "Node's HTTP": 'Connection: close\r\n' };
const LAST = 'GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n';

/** Less than an edge that closes gives those who do not read, in milliseconds: 5,000. */
const DRAIN_MS = 3_000;

test('bytes that are not a request get a bare response, with a date, and a closed connection', async (t) => {
  const { port } = await startTestEdge(t);
  // On its own: a busy machine may be late for what it has all of.
  const hurried = await startTestEdge(t, { timeouts: { headers: 200, request: 200 } });
  const cases: readonly [number, string][] = [
    [400, 'rubbish\r\n\r\n'],
    [400, 'GET / HTTP/9.9\r\nHost: a.test\r\n\r\n'],
    [400, 'GET / HTTP/1.1\r\nHo st: a.test\r\n\r\n'],
    [
      400,
      'GET / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    [400, 'GET / HTTP/1.1\r\nHost: a.test\r\nContent-Length: -1\r\n\r\n'],
    [400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    [400, '\x16\x03\x01\x00\xa5\x01\x00'],
    [405, 'CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n'],
    [408, 'GET / HTTP/1.1\r\nHost: a.test\r\n'],
    [414, `GET /${'a'.repeat(20_000)}`],
    [431, `GET / HTTP/1.1\r\nHost: a.test\r\nX: ${'a'.repeat(20_000)}`],
  ];
  await Promise.all(
    cases.map(async ([status, bytes]) => {
      const answer = await exchange(status === 408 ? hurried.port : port, bytes);
      assert.deepEqual(statuses(answer), [status], bytes.slice(0, 60));
      assert.match(answer, /\r\nDate: .* GMT\r\n/);
      assert.match(answer, /\r\nConnection: close\r\n/);
    }),
  );
});

test('a HEAD that never becomes a request gets no content, and what follows one does', async (t) => {
  const { port } = await startTestEdge(t);
  const hurried = await startTestEdge(t, { timeouts: { headers: 400, request: 400 } });
  await assertRefusedHeadsGetNoContent(
    () => connect(port, '127.0.0.1'),
    GET,
    () => connect(hurried.port, '127.0.0.1'),
  );

  const head = GET.replace('GET', 'HEAD');
  for (const packets of [[head, 'GET\r\n'], [`${head}GET\r\n`]]) {
    const answer = await exchange(port, packets, { pauseMs: 15 });
    assert.deepEqual(statuses(answer), [200, 400]);
    assert.match(answer, /\r\n\r\nBad Request\n$/);
  }
});

test('each way to frame a body gets one response, and the connection closes where its end is in doubt', async (t) => {
  const { port } = await startTestEdge(t);
  await Promise.all(
    TRANSFER_CODINGS.map(async ([headers, expected]) => {
      for (const method of ['GET', 'POST']) {
        const head = `${method} / HTTP/1.1\r\nHost: a.test\r\n${headers}\r\n\r\n`;
        const body = '1\r\na\r\n0\r\n\r\n';
        for (const pieces of [head + body, [head, body]]) {
          const answer = await exchange(port, pieces, { pauseMs: 15 });
          const good = method === 'GET' ? 200 : 405;
          assert.deepEqual(statuses(answer), [expected === 'good' ? good : expected], headers);
          assert.match(answer, /\r\nConnection: close\r\n/, headers);
        }
      }
    }),
  );
});

test('a request before the rubbish on a connection gets its response first', async (t) => {
  const { port, source } = await startTestEdge(t);
  for (const delayMs of [30, 0]) {
    source.delayMs = delayMs;
    const answer = await exchange(port, `${GET}${GET}rubbish\r\n\r\n`);
    assert.deepEqual(statuses(answer), [200, 200, 400]);
  }
});

test('bodies are read and dropped, and end the connection when they are long', async (t) => {
  const { port } = await startTestEdge(t);
  const withBody = (method: string, body: string, header = `Content-Length: ${body.length}`) =>
    `${method} / HTTP/1.1\r\nHost: a.test\r\n${header}\r\n\r\n${body}`;
  const short = await exchange(
    port,
    withBody('GET', 'x'.repeat(1_000)) + withBody('POST', LAST) + LAST,
  );
  assert.deepEqual(statuses(short), [200, 405, 200], 'a body is no request');
  for (const long of [
    withBody('GET', 'x'.repeat(10), 'Content-Length: 10000000'),
    withBody('POST', '3\r\nabc\r\n', 'Transfer-Encoding: chunked'),
    withBody('POST', '', 'Content-Length: 10\r\nExpect: 100-continue'),
  ]) {
    const answer = await exchange(port, long);
    assert.equal(statuses(answer).length, 1, long.slice(0, 80));
    assert.match(answer, /\r\nConnection: close\r\n/);
  }
});

test('a request for more than HTTP/1.1 gets the response that it would get without', async (t) => {
  const { port } = await startTestEdge(t);
  for (const header of [
    'Upgrade: websocket\r\nConnection: Upgrade, close',
    'Upgrade: h2c\r\nConnection: Upgrade, close',
    'Expect: a-miracle\r\nConnection: close',
    'TE: trailers\r\nConnection: close',
  ]) {
    const answer = await exchange(port, `GET / HTTP/1.1\r\nHost: a.test\r\n${header}\r\n\r\n`);
    assert.deepEqual(statuses(answer), [200], header);
  }
});

test('clients that leave in the middle of a response leave the edge serving', async (t) => {
  const { port, ask } = await startTestEdge(t);
  for (let at = 0; at < 30; at++) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET /large.bin HTTP/1.1\r\nHost: a.test\r\n\r\n');
    if (at % 2 === 0) await once(socket, 'data');
    resetConnection(socket);
  }
  const { status, body } = await ask('/large.bin');
  assert.equal(status, 200);
  assert.equal(body.length, 3_000_000);
});

for (const [way, header] of Object.entries(WAYS)) {
  test(`a client that stops reading is cut off, and one that is slow is not: ${way}`, async (t) => {
    const stalledMs = 1_000;
    const { port, source, ask } = await startTestEdge(t, { timeouts: { stalled: stalledMs } });
    source.deploy('a.test', { '/large.bin': HUGE });
    await ask('/large.bin');
    const open = async () => {
      const socket = connect(port, '127.0.0.1');
      cleanUp(t, () => socket.destroy());
      socket.on('error', () => undefined);
      socket.write(`GET /large.bin HTTP/1.1\r\nHost: a.test\r\n${header}\r\n`);
      await once(socket, 'readable');
      return socket;
    };
    // An edge that stood still has cut off both.
    const stalled = await despiteStandstill(stalledMs / 2, async () => {
      const one = await open();
      const slow = await open();
      const begun = performance.now();
      let received = 0;
      for await (const chunk of slow) {
        received += chunk.length;
        if (received > HUGE.text.length) break;
        await sleep(10);
      }
      assert.ok(received > HUGE.text.length, `${received} bytes`);
      assert.ok(performance.now() - begun > 1.5 * stalledMs, 'it was slow');
      return one;
    });
    // Node gives a socket the time once more when the first ends, if it wrote something meanwhile.
    await sleep(3 * stalledMs);
    let got = 0;
    stalled.on('data', (chunk) => {
      got += chunk.length;
    });
    await once(stalled, 'close');
    assert.ok(got < HUGE.text.length);
  });
}

test('connections that bring nothing are ended in time', async (t) => {
  const { port, ask } = await startTestEdge(t, { timeouts: { headers: 200, keepAlive: 300 } });
  await ask('/');
  const begun = performance.now();
  await Promise.all(
    // Nothing at all; then nothing more, on the fast path and on Node's HTTP.
    ['', GET, GET.replace('GET', 'HEAD')].map((bytes) => exchange(port, bytes)),
  );
  await assertTook(performance.now() - begun, 3_000);
});

test('a request that arrived in time is answered, though the time was noticed to be over first', async (t) => {
  const { port, ask } = await startTestEdge(t);
  await ask('/');
  const taken = takenConnections(t);
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  await timeUntil(async () => taken.size === 1);
  const [served] = taken;
  for (const what of ['the first request', 'a later one']) {
    const answered = once(socket, 'data');
    // As where the edge stood still: timers run before what has arrived is read.
    setTimeout(() => {
      socket.write(GET);
      served?.emit('timeout');
    }, 1);
    assert.deepEqual(statuses(String(await answered)), [200], what);
  }
  socket.destroy();
});

test('closing ends connections that are idle', async (t) => {
  const { port, close, ask } = await startTestEdge(t);
  await ask('/');
  const sockets = await Promise.all(
    ['', GET, GET.replace('GET', 'HEAD')].map(async (bytes) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(bytes);
      if (bytes !== '') await once(socket, 'data');
      return socket.resume();
    }),
  );
  const begun = performance.now();
  const ended = Promise.all(sockets.map(closed));
  await close();
  await ended;
  await assertTook(performance.now() - begun, DRAIN_MS);
});

test('what arrived before the grace period was over is answered', async (t) => {
  const { port, close, ask } = await startTestEdge(t);
  await ask('/');
  // On the fast path and on Node's HTTP.
  const sockets = await Promise.all(
    [GET, GET.replace('GET', 'HEAD')].map(async (bytes) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(bytes);
      await once(socket, 'data');
      return socket;
    }),
  );
  const grace = new AbortController();
  const closed = close({ gracePeriodMs: 60_000, endGracePeriod: grace.signal });
  const answers = sockets.map(text);
  // As where the edge stood still: timers run before what has arrived is read.
  setTimeout(() => {
    for (const socket of sockets) socket.write(GET);
    grace.abort();
  }, 1);
  for (const answer of await Promise.all(answers)) assert.deepEqual(statuses(answer), [200]);
  await closed;
});

test('one connection carries requests of every kind, one after another and all at once', async (t) => {
  const { port, ask } = await startTestEdge(t);
  const tag = (await ask('/')).headers.etag;
  for (const path of ['/guides/start', '/large.bin']) await ask(path);
  const head = (path: string, more = '', method = 'GET') =>
    `${method} ${path} HTTP/1.1\r\nHost: a.test\r\n${more}\r\n`;
  const requests = [
    head('/'),
    head('/guides/start'),
    head('/', `If-None-Match: ${tag}\r\n`),
    head('/large.bin'),
    head('/'),
    head('/digits.bin', 'Range: bytes=0-1\r\n'),
    head('/'),
    head('/nope', '', 'HEAD'),
    head('/guides/start/'),
    head('/', 'Connection: close\r\n'),
  ];
  const expected = [200, 200, 304, 200, 200, 206, 200, 404, 308, 200];
  for (let split = 0; split < requests.length; split++) {
    const pieces = [...requests.slice(0, split), requests.slice(split).join('')];
    const answer = await exchange(port, pieces, { pauseMs: 5 });
    assert.deepEqual(statuses(answer), expected, `all at once from ${split} on`);
  }
});

test('a client that has ended its side still gets its response', async (t) => {
  const { port, ask } = await startTestEdge(t);
  await ask('/');
  const socket = connect(port, '127.0.0.1');
  socket.end(GET);
  assert.match(await text(socket), /<h1>Start<\/h1>$/);
});

test('closing finishes the responses under way, and takes nothing more', async (t) => {
  const { port, close, source } = await startTestEdge(t);
  const idle = connect(port, '127.0.0.1');
  idle.write(GET);
  await once(idle, 'data');
  const reads = source.asked.readBlob;
  const release = source.hold();
  const busy = exchange(port, GET.replace('/ ', '/pets.md '));
  await timeUntil(async () => source.asked.readBlob > reads);
  const begun = performance.now();
  const closed = close();
  await once(idle.resume(), 'close');
  release();
  await closed;
  await assertTook(performance.now() - begun, DRAIN_MS);
  const answer = await busy;
  assert.deepEqual(statuses(answer), [200]);
  assert.match(answer, /# Pets$/);
  await assert.rejects(once(connect(port, '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' });
});

test('closing cuts off no download that goes on', async (t) => {
  const { port, close, source } = await startTestEdge(t);
  source.deploy('a.test', { '/large.bin': HUGE });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /large.bin HTTP/1.1\r\nHost: a.test\r\n\r\n');
  await once(socket, 'readable');
  const closed = close();
  // While it looks for idle connections, every 50 ms.
  await sleep(120);
  let received = 0;
  for await (const chunk of socket) received += chunk.length;
  assert.ok(received > HUGE.text.length);
  await closed;
});

test('closing waits no longer than it may for clients that do not read', async (t) => {
  const { port, close, source } = await startTestEdge(t, { timeouts: { drain: 200 } });
  source.deploy('a.test', { '/large.bin': HUGE });
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('GET /large.bin HTTP/1.1\r\nHost: a.test\r\n\r\n');
  await once(socket, 'readable');
  const begun = performance.now();
  await close();
  const tookMs = performance.now() - begun;
  assert.ok(tookMs > 150, `${tookMs}`);
  await assertTook(tookMs, DRAIN_MS);
  socket.destroy();
});

test('an edge on a port that is taken says so', async (t) => {
  const { port, source } = await startTestEdge(t);
  await assert.rejects(startTestEdge(t, { source, port }), { code: 'EADDRINUSE' });
});

test('requests are logged at debug alone, without their queries', async (t) => {
  for (const level of ['info', 'debug']) {
    const lines: string[] = [];
    const log = pino({ level }, { write: (line) => void lines.push(line) });
    const { ask } = await startTestEdge(t, { log, source: new MemorySource() });
    await ask('/a?secret=1');
    // What is logged of a request is logged before the next one is answered.
    await ask('/b?secret=1');
    if (level === 'debug') await timeUntil(async () => lines.length === 2);
    else assert.deepEqual(lines, []);
    assert.doesNotMatch(lines.join(''), /secret/);
  }
});
