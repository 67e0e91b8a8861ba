import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertRefusedHeadsGetNoContent } from '@petstore/test-support/refused-heads.ts';
import { assertTook, timeUntil } from '@petstore/test-support/within.ts';
import { pino } from 'pino';
import { statuses, takenConnections } from '../support/edge.ts';
import { SITE } from '../support/memory-source.ts';
import {
  askSession,
  deploySecurely,
  handshake,
  openSession,
  startSecureEdge,
} from '../support/secure-edge.ts';

/** Writes bytes on a TLS connection and gives what comes until it is closed or the time is up. */
async function exchange(
  port: number,
  pieces: readonly string[],
  { servername = 'a.test', timeoutMs = 60_000 } = {},
): Promise<string> {
  const socket = await handshake(port, { servername, ALPNProtocols: ['http/1.1'] });
  const closed = once(socket, 'close');
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    received += chunk;
  });
  for (const piece of pieces) {
    socket.write(piece, 'latin1');
    await sleep(5);
  }
  await Promise.race([closed, sleep(timeoutMs, undefined, { ref: false })]);
  socket.destroy();
  return received;
}

const get = (path: string, host = 'a.test', more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;

test('a request has the same response over HTTP/2, over HTTP/1.1 with TLS, and without', async (t) => {
  const { httpsPort, ask, askSecurely, source } = await startSecureEdge(t);
  source.deploy('plain.test', SITE, { origin: 'https://a.test' });
  const session = await openSession(t, httpsPort);
  const tag = (await askSecurely('/')).headers.etag ?? '';
  const questions: [path: string, method?: string, headers?: Record<string, string>][] = [
    ...Object.keys(SITE).map((path): [string] => [encodeURI(path)]),
    ['/nope'],
    ['/guides/start/'],
    ['/guides/start/?a=b'],
    ['/.well-known/x'],
    ['/%2f'],
    [`/?${'a'.repeat(9_000)}`],
    ['/', 'HEAD'],
    ['/nope', 'HEAD'],
    ['/', 'OPTIONS'],
    ['/', 'POST'],
    ['/', 'DELETE'],
    ['/', 'GET', { 'if-none-match': tag }],
    ['/', 'HEAD', { 'if-none-match': tag }],
    ['/', 'GET', { 'if-match': '"x"' }],
    ['/', 'HEAD', { 'if-match': '"x"' }],
    ['/guides/start', 'GET', { 'accept-encoding': 'gzip, br' }],
    ['/guides/start', 'HEAD', { 'accept-encoding': 'gzip' }],
    ['/reference/pets', 'GET', { accept: 'text/markdown', 'accept-encoding': 'br' }],
    ['/reference/pets', 'HEAD', { accept: 'text/markdown' }],
    ['/reference/pets', 'GET', { accept: 'text/markdown', 'if-none-match': '*' }],
    ['/sitemap.xml', 'GET', { 'accept-encoding': 'br' }],
    ['/old?a=b'],
    ['/moved', 'HEAD'],
    ['/favicon.ico'],
    ['/digits.bin', 'GET', { range: 'bytes=2-4' }],
    ['/digits.bin', 'GET', { range: 'bytes=99-' }],
    ['/large.bin', 'GET', { range: 'bytes=-2000000' }],
  ];
  for (const [path, method = 'GET', headers = {}] of questions) {
    const [plain, tls] = [
      await ask(path, { host: 'plain.test', method, headers }),
      await askSecurely(path, { method, headers }),
    ];
    const http2 = await askSession(session, { ':path': path, ':method': method, ...headers });
    const { connection: _, ...expected } = plain.headers;
    for (const [name, answer] of Object.entries({ tls, http2 })) {
      const what = `${method} ${path.slice(0, 30)} over ${name}`;
      const { connection, ':status': __, ...others } = answer.headers;
      assert.equal(connection, name === 'tls' ? 'close' : undefined, what);
      assert.equal(answer.status, plain.status, what);
      assert.deepEqual(
        Object.entries({ ...others, date: '' }),
        Object.entries({ ...expected, date: '' }),
        what,
      );
      assert.ok(answer.body.equals(plain.body), what);
    }
  }
});

test('a client of HTTP/2 that waits with its body is told to send it, where the body is read', async (t) => {
  const { httpsPort, source } = await startSecureEdge(t);
  await deploySecurely(source, 'a.test', SITE, { mcp: true });
  const session = await openSession(t, httpsPort);
  const begin = (path: string) =>
    session.request({ ':path': path, ':method': 'POST', expect: '100-continue' });
  const read = begin('/mcp');
  await once(read, 'continue');
  read.end('no JSON');
  assert.equal((await once(read, 'response'))[0][':status'], 400);
  const ignored = begin('/');
  let isTold = false;
  ignored.once('continue', () => {
    isTold = true;
  });
  assert.equal((await once(ignored, 'response'))[0][':status'], 405);
  assert.ok(!isTold);
});

test('a host that is not the one of the certificate is misdirected, on the fast path and behind it', async (t) => {
  const { httpsPort, askSecurely } = await startSecureEdge(t);
  const session = await openSession(t, httpsPort);
  // In memory, so that the fast path has them.
  await askSecurely('/');
  await askSecurely('/', { host: 'b.test' });
  for (const more of ['', 'Range: bytes=0-\r\n']) {
    const good = ['a.test', 'A.test.', `a.test:${httpsPort}`];
    const bad = ['b.test', 'c.test', 'x.a.test', '127.0.0.1', ''];
    const range = more === '' ? 200 : 206;
    const answer = await exchange(httpsPort, [
      ...[...good, ...bad, 'a.test'].map((host) => get('/', host, more)),
      get('/', 'a.test', `${more}Connection: close\r\n`),
    ]);
    const expected = [...good.map(() => range), ...bad.map(() => 421), range, range];
    assert.deepEqual(statuses(answer), expected);
    assert.match(answer, /Misdirected Request\n/);
  }
  const absolute = await exchange(httpsPort, [
    get('http://b.test/', 'a.test', 'Connection: close\r\n'),
  ]);
  assert.deepEqual(statuses(absolute), [421]);
  for (const [authority, status] of [
    ['A.TEST', 200],
    ['b.test', 421],
    ['c.test', 421],
    ['[::1]', 421],
  ] as const) {
    const answer = await askSession(session, { ':path': '/', ':authority': authority });
    assert.equal(answer.status, status, authority);
  }
  const differing = { ':path': '/', ':authority': 'a.test', host: 'b.test' };
  assert.equal((await askSession(session, differing)).status, 400);
});

test('Strict-Transport-Security is sent where it is set, over TLS alone, and with every response', async (t) => {
  const { httpsPort, ask, askSecurely, source } = await startSecureEdge(t);
  const hsts = 'max-age=300; includeSubDomains';
  await deploySecurely(source, 'strict.test', SITE, { hsts });
  source.deploy('new.test', SITE, { hsts });
  const host = 'strict.test';
  const session = await openSession(t, httpsPort, { servername: host });
  for (const path of ['/', '/nope', '/guides/start/', '/llms.txt', '/']) {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
      const one = await askSecurely(path, { host, method });
      const other = await askSession(session, { ':path': path, ':method': method });
      for (const { headers } of [one, other]) {
        assert.equal(headers['strict-transport-security'], hsts, `${method} ${path}`);
      }
    }
    for (const plain of [host, 'new.test']) {
      const { headers } = await ask(path, { host: plain });
      assert.equal(headers['strict-transport-security'], undefined, plain);
    }
    assert.equal((await askSecurely(path)).headers['strict-transport-security'], undefined);
  }
});

test('one connection carries requests of every kind, in whatever records they come', async (t) => {
  const { httpsPort, askSecurely } = await startSecureEdge(t);
  for (const path of ['/', '/guides/start', '/large.bin']) await askSecurely(path);
  const requests = [
    get('/'),
    get('/guides/start'),
    get('/large.bin'),
    get('/'),
    get('/digits.bin', 'a.test', 'Range: bytes=0-1\r\n'),
    get('/'),
    get('/', 'a.test', 'Connection: close\r\n'),
  ];
  const expected = [200, 200, 200, 200, 206, 200, 200];
  for (let split = 0; split < requests.length; split++) {
    const pieces = [...requests.slice(0, split), requests.slice(split).join('')];
    const answer = await exchange(httpsPort, pieces);
    assert.deepEqual(statuses(answer), expected, `all at once from ${split} on`);
  }
  const bytes = await exchange(
    httpsPort,
    [...get('/', 'a.test', 'Connection: close\r\n')].slice(0),
  );
  assert.deepEqual(statuses(bytes), [200], 'a byte in each record');
});

test('bytes that are not a request are refused over TLS as without', async (t) => {
  const { httpsPort } = await startSecureEdge(t);
  // On its own: a busy machine may be late for what it has all of.
  const hurried = await startSecureEdge(t, { timeouts: { headers: 300, request: 300 } });
  const cases: [status: number, bytes: string][] = [
    [400, 'rubbish\r\n\r\n'],
    [405, 'CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n'],
    [408, 'GET / HTTP/1.1\r\nHost: a.test\r\n'],
    [431, get('/', 'a.test', `X: ${'a'.repeat(20_000)}\r\n`)],
    [400, 'GET / HTTP/1.1\r\nHost: a.test\r\nHost: a.test\r\nConnection: close\r\n\r\n'],
  ];
  await Promise.all(
    cases.map(async ([status, bytes]) => {
      const answer = await exchange(status === 408 ? hurried.httpsPort : httpsPort, [bytes]);
      assert.deepEqual(statuses(answer), [status], bytes.slice(0, 40));
    }),
  );
});

test('idle and stalled connections are ended in time over TLS, too', async (t) => {
  const { httpsPort, askSecurely, source } = await startSecureEdge(t, {
    // A busy machine may keep one that reads from it for longer than a moment.
    timeouts: { headers: 200, keepAlive: 300, stalled: 2_000 },
  });
  const huge = { type: 'application/octet-stream', text: Buffer.alloc(20_000_000, 'x') };
  await deploySecurely(source, 'a.test', { ...SITE, '/huge.bin': huge });
  await askSecurely('/');
  const begun = performance.now();
  await Promise.all(
    ['', get('/'), get('/').replace('GET', 'HEAD')].map(async (bytes) => {
      const socket = await handshake(httpsPort);
      socket.resume().write(bytes);
      await once(socket, 'close');
    }),
  );
  await assertTook(performance.now() - begun, 5_000);
  await askSecurely('/huge.bin');
  const open = takenConnections(t);
  const asked = performance.now();
  const sockets = await Promise.all(
    ['', 'Connection: close\r\n'].map(async (more) => {
      const socket = await handshake(httpsPort);
      socket.write(get('/huge.bin', 'a.test', more));
      await once(socket, 'readable');
      return socket;
    }),
  );
  assert.equal(open.size, sockets.length);
  await timeUntil(async () => open.size === 0);
  await assertTook(performance.now() - asked, 5_000);
  for (const socket of sockets) {
    let got = 0;
    for await (const chunk of socket) got += chunk.length;
    assert.ok(got < huge.text.length, `${got}`);
  }
});

test('closing finishes the responses under way, over each version, and takes nothing more', async (t) => {
  const { httpsPort, close, source, askSecurely } = await startSecureEdge(t);
  await askSecurely('/');
  const idle = await openSession(t, httpsPort);
  await askSession(idle, { ':path': '/' });
  const session = await openSession(t, httpsPort);
  const download = session.request({ ':path': '/large.bin' });
  await once(download, 'response');
  const answer = source.hold();
  const reads = source.asked.readBlob;
  const busy = askSecurely('/pets.md');
  await timeUntil(async () => source.asked.readBlob > reads);
  // Not by `once`: what a client says of the end may meet a socket that is gone, which is no error of either.
  const ended = [idle, session].map((one) => new Promise((resolve) => one.once('close', resolve)));
  const begun = performance.now();
  const closed = close();
  await assert.rejects(handshake(httpsPort));
  answer();
  assert.equal(String((await busy).body), '# Pets');
  let received = 0;
  for await (const chunk of download) received += chunk.length;
  assert.equal(received, 3_000_000);
  await Promise.all([...ended, closed]);
  await assertTook(performance.now() - begun, 4_500);
});

test('a HEAD that never becomes a request gets no content over TLS', async (t) => {
  const patient = await startSecureEdge(t);
  const hurried = await startSecureEdge(t, { timeouts: { headers: 400, request: 400 } });
  const connectTo =
    ({ httpsPort }: typeof patient) =>
    () =>
      handshake(httpsPort, { servername: 'a.test', ALPNProtocols: ['http/1.1'] });
  await assertRefusedHeadsGetNoContent(connectTo(patient), get('/'), connectTo(hurried));
});

test('requests over TLS are logged at debug alone, without their queries', async (t) => {
  for (const level of ['info', 'debug']) {
    const lines: string[] = [];
    const log = pino({ level }, { write: (line) => void lines.push(line) });
    const { httpsPort, askSecurely } = await startSecureEdge(t, { log });
    await askSecurely('/?secret=1');
    const session = await openSession(t, httpsPort);
    await askSession(session, { ':path': '/nope?secret=1' });
    // What is logged of a request is logged before the next one is answered.
    await askSecurely('/last');
    if (level === 'debug') await timeUntil(async () => lines.length === 3);
    const logged = lines.map((line) => JSON.parse(line));
    const facts = logged.map(({ host, method, path, status }) => [host, method, path, status]);
    const expected = [
      ['a.test', 'GET', '/', 200],
      ['a.test:443', 'GET', '/nope', 404],
      ['a.test', 'GET', '/last', 404],
    ];
    assert.deepEqual(facts, level === 'debug' ? expected : []);
    assert.doesNotMatch(lines.join(''), /secret/);
  }
});
