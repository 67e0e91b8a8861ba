import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { FRAMES_TYPE, PROXY_PATH } from '@petstore/site/request/proxy-format.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { pino } from 'pino';
import { built } from '../../support/build-site.ts';
import { startNameServer } from '../../support/name-server.ts';
import { authority } from '../support/certificates.ts';
import { startTestEdge } from '../support/edge.ts';
import { putOnline } from '../support/mcp.ts';
import { MemorySource } from '../support/memory-source.ts';
import {
  ALLOWED,
  beginThrough,
  deployApi,
  framesOf,
  INSIDE,
  OWN_PAGE,
  readAnswer,
  sendThrough,
  startApi,
  startProxy,
} from '../support/request-proxy.ts';
import { askSession, openSession, startSecureEdge } from '../support/secure-edge.ts';

const BINARY = Buffer.from(Array.from({ length: 256 }, (_, at) => at));

test('a request and its response pass as they are: method, names, values, bytes, status', async (t) => {
  const api = await startApi(t, (_request, response) => {
    response.writeHead(418, "I'm a teapot", [
      ...['Content-Type', 'application/octet-stream', 'X-Two', 'a', 'X-two', 'b'],
      ...['Set-Cookie', 'a=b', 'Connection', 'X-Hop', 'X-Hop', '1', 'Link', '</ü>'],
    ]);
    response.end(BINARY);
  });
  const { send } = await startProxy(t, [`${api.url}/v1`]);
  const url = `${api.url}/v1/pets/a%2Fb?q=%C3%BC&q=2&big=9007199254740993#fragment`;
  const headers = [
    ['X-Api-KEY', 'k 1'],
    ['x-two', '1'],
    ['X-Two', '2'],
    ['authorization', 'Bearer t'],
  ] as const;
  const answer = await send({ method: 'QUERY', url, headers, body: BINARY });
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.head, {
    status: 418,
    statusText: "I'm a teapot",
    headers: [
      ['Content-Type', 'application/octet-stream'],
      ['X-Two', 'a'],
      ['X-two', 'b'],
      ['Link', '</ü>'],
      ['Date', answer.head?.headers.find(([name]) => name === 'Date')?.[1]],
    ],
    url: url.replace('#fragment', ''),
    redirected: false,
  });
  assert.deepEqual(answer.body, BINARY);
  assert.deepEqual(answer.end, {});
  const [seen] = api.seen;
  assert.ok(seen);
  assert.equal(
    `${seen.method} ${seen.url}`,
    `QUERY ${new URL(url).pathname}${new URL(url).search}`,
  );
  assert.deepEqual(seen.rawHeaders.slice(0, 10), [
    ...['Host', new URL(api.url).host, ...headers.flat()],
  ]);
  assert.deepEqual(seen.body, BINARY);
});

test('cookies, the reader, and what belongs to one connection are not passed on', async (t) => {
  const api = await startApi(t);
  const { send } = await startProxy(t, [`${api.url}/`]);
  const dropped = [
    ...['Cookie', 'Host', 'Connection', 'X-Named', 'Keep-Alive', 'Proxy-Authorization', 'TE'],
    ...['Trailer', 'Transfer-Encoding', 'Upgrade', 'Forwarded', 'X-Forwarded-For', 'X-Real-IP'],
    ...['X-Forwarded-Host', 'Sec-Fetch-Site', 'Expect', 'Content-Length', 'Accept-Encoding'],
  ];
  const headers = dropped.map((name): [string, string] => [
    name,
    name === 'Connection' ? 'x-named' : '5',
  ]);
  const own = { ...OWN_PAGE, cookie: 'site=1', 'user-agent': 'Browser', 'accept-language': 'de' };
  await send({ url: api.url, headers }, { headers: { ...own, referer: 'https://a.test/x' } });
  assert.deepEqual(api.seen[0]?.headers, {
    host: new URL(api.url).host,
    accept: '*/*',
    'user-agent': 'dashboard-request-proxy',
    'accept-encoding': 'identity',
    via: '1.1 dashboard-request-proxy',
    connection: 'close',
  });
  await send({ url: api.url, headers: [['User-Agent', 'mine']], method: 'POST' });
  assert.equal(api.seen[1]?.headers['user-agent'], 'mine');
  assert.equal(api.seen[1]?.headers['content-length'], '0');
});

test('a body is decoded as browsers do it, and one that is not what it says is not called whole', async (t) => {
  const text = 'pets '.repeat(1_000);
  const bodies: Record<string, [coding: string, body: Buffer]> = {
    '/gzip': ['gzip', gzipSync(text)],
    '/br': ['BR', brotliCompressSync(text)],
    '/unknown': ['pack200', Buffer.from(text)],
    '/broken': ['gzip', Buffer.from(text)],
    '/cut': ['gzip', gzipSync(text).subarray(0, 20)],
  };
  const api = await startApi(t, ({ url = '' }, response) => {
    const [coding, body] = bodies[url] ?? ['identity', ''];
    response.writeHead(url === '/none' ? 204 : 200, { 'content-encoding': coding }).end(body);
  });
  const { send } = await startProxy(t, [`${api.url}/`]);
  for (const path of ['/gzip', '/br', '/unknown']) {
    const { body, end } = await send({ url: api.url + path });
    assert.deepEqual([String(body) === text, end], [true, {}], path);
  }
  assert.deepEqual((await send({ url: `${api.url}/none` })).end, {});
  assert.deepEqual((await send({ url: `${api.url}/gzip`, method: 'HEAD' })).end, {});
  for (const path of ['/broken', '/cut']) {
    const { end } = await send({ url: api.url + path });
    assert.match(
      end?.problem?.message ?? '',
      /is not compressed as its Content-Encoding says/,
      path,
    );
  }
});

/** An API whose response goes on when the test says so. */
async function streamingApi(t: Parameters<typeof startApi>[0]) {
  const { promise: streaming, resolve } = Promise.withResolvers<ServerResponse>();
  const api = await startApi(t, ({ url }, response) => {
    if (url === '/silent') return resolve(response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
    resolve(response);
  });
  return { ...api, streaming };
}

test('a response comes as it is sent, piece by piece', async (t) => {
  const api = await streamingApi(t);
  const { port } = await startProxy(t, [`${api.url}/`]);
  const [response] = (await once(beginThrough(port, { url: api.url }), 'response')) as [
    IncomingMessage,
  ];
  assert.equal(response.headers['content-type'], FRAMES_TYPE);
  let received = '';
  const pieces = response[Symbol.asyncIterator]();
  const until = async (text: string) => {
    while (!received.includes(text)) received += String((await pieces.next()).value);
  };
  await until('data: 1\n\n');
  const upstream = await api.streaming;
  upstream.write('data: 2\n\n');
  await until('data: 2\n\n');
  upstream.end();
  await until('{}');
});

test('the API hears at once that the reader has left, before its response and within it', async (t) => {
  for (const path of ['/silent', '/']) {
    const api = await streamingApi(t);
    const { port } = await startProxy(t, [`${api.url}/`]);
    const sent = beginThrough(port, { url: api.url + path });
    if (path === '/') await once(sent, 'response');
    const upstream = await api.streaming;
    const closed = once(upstream, 'close');
    sent.destroy();
    await closed;
  }
});

test('what an API breaks off is not called whole, and says who broke it off', async (t) => {
  const api = await startApi(t, ({ url }, response) => {
    if (url === '/refused') return response.socket?.destroy();
    response.writeHead(200, { 'content-length': 100 });
    response.write('half');
    setImmediate(() => response.socket?.destroy());
  });
  const { send } = await startProxy(t, [`${api.url}/`, 'http://127.0.0.2:9/', 'http://a.example/']);
  const half = await send({ url: api.url });
  assert.equal(String(half.body), 'half');
  assert.match(half.end?.problem?.message ?? '', /closed the connection without a whole response/);
  const rows: [url: string, message: RegExp][] = [
    [`${api.url}/refused`, /closed the connection without a whole response/],
    ['http://127.0.0.2:9', /refused the connection: nothing listens there/],
    ['http://a.example', /^The name a\.example could not be looked up\.$/],
  ];
  for (const [url, message] of rows) {
    const { status, problem } = await send({ url });
    assert.equal(status, 502);
    assert.match(problem?.message ?? '', message);
  }
});

test('an API over TLS is known by the name of its certificate', async (t) => {
  const trusted = getCACertificates('default');
  setDefaultCACertificates([authority.root]);
  cleanUp(t, () => setDefaultCACertificates(trusted));
  const { chain: cert, key } = await authority.issue('api.example.com');
  const names: (string | false)[] = [];
  const api = createServer({ cert, key }, ({ socket }, response) => {
    names.push((socket as TLSSocket).servername ?? '');
    response.end('{}');
  });
  api.listen(0, INSIDE);
  await once(api, 'listening');
  cleanUp(t, () => void api.close());
  const { port } = api.address() as AddressInfo;
  const hosts = ['api.example.com', 'other.example.com', INSIDE];
  const dnsServers = [
    await startNameServer(t, Object.fromEntries(hosts.map((host) => [host, [INSIDE]]))),
  ];
  const urls = hosts.map((host) => `https://${host}:${port}`);
  const { send } = await startProxy(
    t,
    urls.map((url) => `${url}/`),
    { dnsServers },
  );
  const [own = '', ...others] = urls;
  assert.equal(String((await send({ url: own })).body), '{}');
  assert.deepEqual(names, ['api.example.com']);
  for (const url of others) {
    const { problem } = await send({ url });
    assert.match(problem?.message ?? '', /^The certificate of https:.* is not trusted: /, url);
  }
  setDefaultCACertificates([]);
  assert.match((await send({ url: own })).problem?.message ?? '', /is not trusted/);
  assert.equal(names.length, 1);
});

test('it works over TLS and HTTP/2, and the reader may leave there, too', async (t) => {
  const source = new MemorySource();
  source.certificates.set('a.test', await authority.issue('a.test'));
  const api = await streamingApi(t);
  deployApi(source, [`${api.url}/`], { secureOrigin: 'https://a.test' });
  const { httpsPort, ask } = await startSecureEdge(t, { source, requestProxy: ALLOWED });
  const session = await openSession(t, httpsPort);
  const head = { ':method': 'POST', ':path': PROXY_PATH, ...OWN_PAGE };
  const content = framesOf({ url: api.url, method: 'PUT', body: BINARY });
  const stream = session.request({ ...head, 'content-length': content.length });
  stream.end(content);
  const [answered] = await once(stream, 'response');
  assert.equal(answered[':status'], 200);
  const upstream = await api.streaming;
  assert.deepEqual(api.seen[0]?.body, BINARY);
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  // More than a window and more than is queued at once.
  upstream.end(Buffer.alloc(5_000_000, 'x'));
  await once(stream, 'end');
  const { body, end } = readAnswer(200, { 'content-type': FRAMES_TYPE }, Buffer.concat(chunks));
  assert.deepEqual([body.length, end], [5_000_009, {}]);

  const second = await streamingApi(t);
  deployApi(source, [`${second.url}/`], { secureOrigin: 'https://a.test' });
  await source.nextPoll();
  await source.nextPoll();
  const asked = framesOf({ url: second.url });
  const leaving = session.request({ ...head, 'content-length': asked.length });
  leaving.on('error', () => {});
  leaving.end(asked);
  await once(leaving, 'response');
  const closed = once(await second.streaming, 'close');
  leaving.close(8);
  await closed;

  const probe = await askSession(session, { ':method': 'GET', ':path': PROXY_PATH });
  assert.equal(probe.status, 204);
  assert.equal((await ask(PROXY_PATH)).status, 301, 'without TLS it leads there, as every path');
});

test('a deployed document says where its site may send requests: servers and token addresses', async (t) => {
  const api = await startApi(t);
  const tokens = await startApi(t);
  const other = await startApi(t);
  const site = await built({
    ...{ openapi: '3.1.0', info: { title: 'Pets', version: '1' } },
    servers: [{ url: `${api.url}/v1/` }],
    paths: { '/pets': { get: { responses: { 200: { description: 'OK' } } } } },
    components: {
      securitySchemes: {
        o: {
          type: 'oauth2',
          flows: { clientCredentials: { tokenUrl: `${tokens.url}/token`, scopes: {} } },
        },
      },
    },
  });
  const source = new MemorySource();
  putOnline(source, 'a.test', site, { requestProxy: true });
  const { port } = await startTestEdge(t, { source, requestProxy: ALLOWED });
  const statusOf = async (url: string) => (await sendThrough(port, { url })).status;
  const rows: [url: string, status: number][] = [
    [`${api.url}/v1/pets`, 200],
    [`${api.url}/v1?a`, 200],
    [`${tokens.url}/token`, 200],
    [`${api.url}/`, 403],
    [`${api.url}/v1x`, 403],
    [`${api.url}/v1/../admin`, 403],
    [`${api.url}/v1/..%2Fadmin`, 403],
    [`${api.url}/v1/%2e%2e%5Cadmin`, 403],
    [`${tokens.url}/other`, 403],
    [`${other.url}/v1/pets`, 403],
    [`${api.url.replace('http:', 'https:')}/v1`, 403],
  ];
  for (const [url, status] of rows) assert.equal(await statusOf(url), status, url);
  assert.deepEqual([api.seen.length, tokens.seen.length, other.seen.length], [2, 1, 0]);
});

test('a document may declare so many servers that their list is stored compressed alone', async (t) => {
  const api = await startApi(t);
  const others = Array.from({ length: 30 }, (_, at) => ({
    url: `https://region-${at}.api.example.com/v1`,
  }));
  const site = await built({
    ...{ openapi: '3.1.0', info: { title: 'Pets', version: '1' } },
    servers: [{ url: api.url }, ...others],
    paths: { '/pets': { get: { responses: { 200: { description: 'OK' } } } } },
  });
  assert.equal(site.manifest.files['/_site/api-addresses.json']?.compressedOnly, true);
  const source = new MemorySource();
  putOnline(source, 'a.test', site, { requestProxy: true });
  const { port } = await startTestEdge(t, { source, requestProxy: ALLOWED });
  assert.equal((await sendThrough(port, { url: `${api.url}/pets` })).status, 200);
});

test('no log has a word of what passed', async (t) => {
  const api = await startApi(t, (_request, response) => response.end('secret-answer'));
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const source = new MemorySource();
  deployApi(source, [`${api.url}/`]);
  const edge = await startTestEdge(t, { source, log, requestProxy: ALLOWED });
  const asked = {
    ...{ url: `${api.url}/secret-path?secret-query`, method: 'POST', body: 'secret-body' },
    headers: [['Authorization', 'secret-key']] as const,
  };
  assert.equal(String((await sendThrough(edge.port, asked)).body), 'secret-answer');
  await sendThrough(edge.port, { ...asked, url: `http://127.0.0.2:9/secret-path?secret-query` });
  assert.ok(lines.some((line) => line.includes(PROXY_PATH)));
  assert.deepEqual(
    lines.filter((line) => line.includes('secret')),
    [],
  );
});
