import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request as requestTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { assertTook, timeUntil } from '@petstore/test-support/within.ts';
import { pino } from 'pino';
import type { CanonicalHost } from '../../server/src/edge/host.ts';
import { petstoreProxy } from '../../server/src/own-hosts/petstore-proxy.ts';
import { authority } from '../edge/support/certificates.ts';
import { MemorySource } from '../edge/support/memory-source.ts';
import { deploySecurely, handshake, startSecureEdge } from '../edge/support/secure-edge.ts';
import { askHttp2, client } from './client.ts';

// The API beside the dashboard, over TLS at the edge, with an API of the test's own behind it.

const HOST = 'api.example.test' as CanonicalHost;

/** How long the API may be silent, in milliseconds: where that is what a test is about, and otherwise. */
const SILENT_MS = 400;
const PATIENT_MS = 60_000;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

async function setUp(t: TestContext, handle: Handle, silent = PATIENT_MS) {
  const api = createServer(handle);
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
  cleanUp(t, () => {
    api.close();
    api.closeAllConnections();
  });
  const target = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const log = pino({ level: 'silent' });
  const proxy = petstoreProxy({ host: HOST, target, log, times: { silent } });
  cleanUp(t, proxy.close);
  const source = new MemorySource();
  await deploySecurely(source, HOST);
  const plain = async () => ({ status: 403, headers: ['Content-Length', '0'], content: '' });
  const ownHosts = [{ host: HOST, server: proxy.server, plain }];
  const edge = await startSecureEdge(t, { source, ownHosts });
  const { port, httpsPort } = edge;
  const web = client('127.0.0.1', { http: port, https: httpsPort }, authority.root);
  const http2 = async (localAddress?: string) => {
    const session = await web.http2(HOST, localAddress);
    cleanUp(t, () => session.destroy());
    return session;
  };
  return { ...web, http2, httpsPort, api, edge };
}

/** What the API was asked, as JSON. */
const echo: Handle = async (request, response) => {
  const { method, url, rawHeaders } = request;
  const body = await text(request).catch(() => undefined);
  if (body === undefined) return;
  response.setHeader('Set-Cookie', ['a=1', 'b=2']);
  response.setHeader('Keep-Alive', 'timeout=5');
  response.end(JSON.stringify({ method, url, rawHeaders, body }));
};

interface Echoed {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

const FORGED = {
  ...{ 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'http', 'x-real-ip': '203.0.113.9' },
  ...{ forwarded: 'for=203.0.113.9', 'x-forwarded-host': 'evil.test', te: 'trailers' },
};

test('the API learns who asks from the connection alone, over either protocol', async (t) => {
  const { secure, http2 } = await setUp(t, echo);
  const session = await http2();
  const headers = { ...FORGED, 'content-type': 'text/plain', cookie: 'c=1; d=2' };
  const hops = { connection: 'x-hop', 'x-hop': '1', 'keep-alive': 'timeout=9' };
  const length = { 'content-length': '1' };
  const answers = [
    await secure(HOST, '/a?b=%20', {
      method: 'DELETE',
      headers: { ...headers, ...hops, ...length },
      body: 'x',
    }),
    await askHttp2(session, { ':method': 'DELETE', ':path': '/a?b=%20', ...headers }, 'x'),
  ];
  for (const { status, headers: got, body } of answers) {
    assert.equal(status, 200);
    assert.deepEqual(got['set-cookie'], ['a=1', 'b=2']);
    assert.doesNotMatch(String(got['keep-alive']), /^timeout=5$/);
    const { method, url, rawHeaders, body: sent } = JSON.parse(body) as Echoed;
    assert.deepEqual([method, url, sent], ['DELETE', '/a?b=%20', 'x']);
    const asked = new Headers();
    for (let at = 0; at < rawHeaders.length; at += 2)
      asked.append(String(rawHeaders[at]), String(rawHeaders[at + 1]));
    assert.equal(asked.get('host'), HOST);
    assert.equal(asked.get('x-forwarded-for'), '127.0.0.1');
    assert.equal(asked.get('x-forwarded-proto'), 'https');
    assert.equal(asked.get('x-forwarded-host'), HOST);
    assert.equal(asked.get('forwarded'), `for=127.0.0.1;host=${HOST};proto=https`);
    assert.match(String(asked.get('via')), /^(1\.1|2) api\.example\.test$/);
    assert.equal(asked.get('cookie'), 'c=1; d=2');
    for (const gone of ['x-real-ip', 'x-hop', 'te']) assert.equal(asked.get(gone), null, gone);
  }
});

test('a body of either direction passes as it comes, and not as a whole', async (t) => {
  const { http2 } = await setUp(t, (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    request.on('data', (part) => response.write(`got ${part}\n`)).on('end', () => response.end());
  });
  const session = await http2();
  const stream = session.request({ ':method': 'POST', ':path': '/' }, { endStream: false });
  const got: string[] = [];
  stream.on('data', (part) => got.push(String(part)));
  for (const part of ['one', 'two', 'three']) {
    stream.write(part);
    await timeUntil(async () => got.join('').endsWith(`got ${part}\n`));
  }
  stream.end();
  await once(stream, 'end');
});

test('large bodies arrive whole', async (t) => {
  const { secure, http2 } = await setUp(t, (request, response) => request.pipe(response));
  const body = Buffer.alloc(3_000_000, 'petstore ');
  const headers = { ':method': 'PUT', ':path': '/' };
  const answers = await Promise.all([
    secure(HOST, '/', { method: 'PUT', body }),
    askHttp2(await http2(), headers, body),
  ]);
  for (const answer of answers) assert.ok(answer.body === body.toString());
});

test('an API that is away, silent, or breaks off is told apart', async (t) => {
  const asksOf = async ({ secure, http2 }: Awaited<ReturnType<typeof setUp>>) => {
    const session = await http2();
    return [() => secure(HOST, '/'), () => askHttp2(session, { ':path': '/' })];
  };
  for (const ask of await asksOf(await setUp(t, () => {}, SILENT_MS))) {
    const { status, body } = await ask();
    assert.equal(status, 504);
    assert.deepEqual(Object.keys(JSON.parse(body)), ['code', 'message', 'status']);
  }
  let handle: Handle = (request) => request.socket.destroy();
  const world = await setUp(t, (request, response) => handle(request, response));
  const asks = await asksOf(world);
  for (const ask of asks) assert.equal((await ask()).status, 502);
  handle = (_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('a part');
    setImmediate(() => response.destroy());
  };
  for (const ask of asks) await assert.rejects(ask(), 'nobody takes a part for all');
  world.api.close();
  world.api.closeAllConnections();
  for (const ask of asks) assert.equal((await ask()).status, 502);
});

test('one client does not keep all others out', async (t) => {
  let held = 0;
  const handle: Handle = (request, response) => {
    if (request.url === '/held') held += 1;
    else response.end('here');
  };
  const { http2 } = await setUp(t, handle);
  const greedy = [await http2(), await http2()];
  for (const session of greedy)
    for (let i = 0; i < 64; i++) session.request({ ':path': '/held' }).on('error', () => undefined);
  await timeUntil(async () => held === 128);
  const [first] = greedy;
  assert.ok(first);
  assert.equal((await askHttp2(first, { ':path': '/' })).status, 503);
  const other = await http2('127.0.0.2');
  assert.equal((await askHttp2(other, { ':path': '/' })).body, 'here');
  greedy[1]?.destroy();
  await timeUntil(async () => (await askHttp2(first, { ':path': '/' })).status === 200);
});

test('a kept connection that the API has closed costs no GET its response', async (t) => {
  let count = 0;
  const { secure } = await setUp(t, (request, response) => {
    count += 1;
    // As a restart does, between two requests.
    if (count === 2) request.socket.destroy();
    else response.end(`${count}`);
  });
  assert.equal((await secure(HOST, '/')).body, '1');
  assert.equal((await secure(HOST, '/')).body, '3');
});

test('who leaves ends the request at the API', async (t) => {
  const ended = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const { httpsPort } = await setUp(t, (_request, response) => {
    response.once('close', ended.resolve);
    response.write('a part');
    begun.resolve();
  });
  const socket = await handshake(httpsPort, { servername: HOST });
  socket.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  await begun.promise;
  socket.destroy();
  await ended.promise;
});

test('what is no request, or smuggles one, never reaches the API', async (t) => {
  let count = 0;
  const { httpsPort } = await setUp(t, (_request, response) => {
    count += 1;
    response.end('here');
  });
  const say = async (head: string) => {
    const socket = await handshake(httpsPort, { servername: HOST });
    socket.write(head.replace(/\r\n$/, 'Connection: close\r\n\r\n'));
    return text(socket);
  };
  const host = `Host: ${HOST}\r\n`;
  assert.match(await say(`GET / HTTP/1.1\r\n${host}${host}\r\n`), /^HTTP\/1\.1 400 /);
  const both = 'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n';
  assert.match(await say(`POST / HTTP/1.1\r\n${host}${both}\r\n`), /^HTTP\/1\.1 400 /);
  assert.match(await say(`CONNECT ${HOST}:443 HTTP/1.1\r\n${host}\r\n`), /^HTTP\/1\.1 405 /);
  assert.match(await say(`GET http://evil.test/ HTTP/1.1\r\n${host}\r\n`), /^HTTP\/1\.1 421 /);
  assert.equal(count, 0);
  assert.match(await say(`GET / HTTP/1.1\r\n${host}\r\n`), /here$/);
});

test('a body is never taken for a request, whatever the head says of it', async (t) => {
  const { httpsPort, secure, http2 } = await setUp(t, echo);
  const smuggled = `DELETE /smuggled HTTP/1.1\r\nHost: ${HOST}\r\nX-A: `;
  const length = `Content-Length: ${smuggled.length}`;
  const assertNextIsOwn = async (what: string) => {
    const { method, url } = JSON.parse((await secure(HOST, '/next')).body) as Echoed;
    assert.deepEqual([method, url], ['GET', '/next'], what);
  };
  for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'POST']) {
    for (const named of ['content-length', 'Content-Length, keep-alive', 'transfer-encoding']) {
      const socket = await handshake(httpsPort, { servername: HOST });
      cleanUp(t, () => socket.destroy());
      const head = `${method} /own HTTP/1.1\r\nHost: ${HOST}\r\nConnection: ${named}\r\n${length}`;
      socket.write(`${head}\r\n\r\n${smuggled}`);
      assert.match(String(await once(socket, 'data')), /^HTTP\/1\.1 200 /);
      await assertNextIsOwn(`${method}, Connection: ${named}`);
    }
    for (const said of [1, smuggled.length + 1]) {
      const headers = { ':method': method, ':path': '/own', 'content-length': `${said}` };
      const session = await http2();
      session.on('error', () => {});
      await assert.rejects(askHttp2(session, headers, smuggled));
      await assertNextIsOwn(`${method} over HTTP/2, ${said} bytes`);
    }
  }
});

test('a body that the API does not want leaves the connection usable', async (t) => {
  const { httpsPort } = await setUp(t, (request, response) => {
    if (request.method === 'GET') response.end('here');
    else response.writeHead(413, { 'content-length': '2' }).end('no');
    request.resume();
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.root });
  cleanUp(t, () => agent.destroy());
  const ask = async (method: string, body?: Buffer) => {
    const at = { host: '127.0.0.1', port: httpsPort, servername: HOST, headers: { host: HOST } };
    const asked = requestTls({ ...at, agent, method });
    asked.end(body);
    const [response] = await once(asked, 'response');
    return [response.statusCode, await text(response), asked.reusedSocket];
  };
  for (const size of [1, 200_000, 1_000_000]) {
    const [status] = await ask('POST', Buffer.alloc(size));
    assert.equal(status, 413);
    assert.deepEqual(await ask('GET'), [200, 'here', true], `after ${size} bytes`);
  }
});

test('an edge that closes tells clients of either protocol first, and responds meanwhile', async (t) => {
  const { edge, httpsPort, http2 } = await setUp(t, echo);
  const kept = await handshake(httpsPort, { servername: HOST });
  cleanUp(t, () => kept.destroy());
  const ask = async () => {
    kept.write(`GET /kept HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
    return String(await once(kept, 'data'));
  };
  assert.match(await ask(), /\r\nConnection: keep-alive\r\n/);
  const session = await http2();
  await askHttp2(session, { ':path': '/' });
  const told = once(session, 'goaway') as Promise<[number, number]>;
  const closed = edge.close({ gracePeriodMs: 60_000 });
  const [code, lastStreamId] = await told;
  assert.deepEqual([code, lastStreamId], [0, 2 ** 31 - 1], 'none of its requests is refused');
  assert.match(await ask(), /^HTTP\/1\.1 200 .*\r\nConnection: close\r\n/s);
  await once(kept, 'close');
  await closed;
});

test('a request that does not come to its end is refused', async (t) => {
  const { httpsPort } = await setUp(t, echo, SILENT_MS);
  const socket = await handshake(httpsPort, { servername: HOST });
  socket.write(`POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 5\r\n\r\n1`);
  const [response] = await once(socket, 'data');
  assert.match(String(response), /^HTTP\/1\.1 504 /);
  socket.destroy();
});

test('an idle connection does not delay the end of the edge', async (t) => {
  const { edge, httpsPort } = await setUp(t, echo);
  const idle = await handshake(httpsPort, { servername: HOST });
  idle.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  await once(idle, 'data');
  const begun = performance.now();
  await edge.close();
  // Five seconds are for responses in progress.
  await assertTook(performance.now() - begun, 3_000);
});
