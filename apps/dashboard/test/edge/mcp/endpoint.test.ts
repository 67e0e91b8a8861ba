import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { callRate } from '../../../server/src/edge/mcp/call-rate.ts';
import { movedTo } from '../../../server/src/edge/sites/site-source.ts';
import { type BuiltArtifact, built } from '../../support/build-site.ts';
import { authority } from '../support/certificates.ts';
import { exchange, startTestEdge } from '../support/edge.ts';
import { call, messageOf, post, putOnline, readAnswer, send } from '../support/mcp.ts';
import { PETS } from '../support/mcp-document.ts';
import { MemorySource, page, SITE } from '../support/memory-source.ts';
import { askSession, openSession, startSecureEdge } from '../support/secure-edge.ts';

let pets: BuiltArtifact;
before(async () => {
  pets = await built(Buffer.from(PETS), 'openapi.json');
});

function petsSource(): MemorySource {
  const source = new MemorySource();
  putOnline(source, 'a.test', pets);
  return source;
}

test('what is no message is refused before any tool sees it, in JSON-RPC', async (t) => {
  const { port } = await startTestEdge(t, { source: petsSource() });
  const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
  const table: [
    what: string,
    body: string,
    headers: Record<string, string>,
    status: number,
    code: number,
  ][] = [
    ['no JSON', '{', {}, 400, -32700],
    ['nothing', '', {}, 400, -32700],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', {}, 400, -32600],
    ['another type', '{}', { 'content-type': 'text/plain' }, 415, -32000],
    ['a long body', ' '.repeat(64 * 1024 + 1), {}, 413, -32000],
    ['a long body in chunks', ' '.repeat(70_000), { 'transfer-encoding': 'chunked' }, 413, -32000],
    ['an Origin that is none', '{}', { origin: 'https://a b' }, 403, -32000],
    ['deep nesting', deep, {}, 400, -32700],
  ];
  for (const [what, body, headers, status, code] of table) {
    const answer = await post(port, body, headers);
    if (what === 'deep nesting') assert.ok(answer.error, what);
    else assert.deepEqual([answer.status, answer.error?.code], [status, code], what);
  }
  assert.equal((await call(port, 'search', { query: 'pet' })).isError, false, 'it still answers');
});

test('pages of any origin may ask, as they may fetch Markdown', async (t) => {
  const { port, ask } = await startTestEdge(t, { source: petsSource() });
  const preflight = await ask('/mcp', {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
  });
  assert.equal(preflight.status, 204);
  const { headers } = preflight;
  assert.equal(headers['access-control-allow-origin'], '*');
  assert.equal(headers['access-control-allow-methods'], 'POST');
  assert.equal(headers['access-control-allow-headers'], '*');
  for (const origin of ['https://app.example', 'https://a.test', 'null', 'moz-extension://x-1']) {
    const answer = await send(port, 'tools/list', {}, { origin });
    assert.equal(answer.status, 200, origin);
    assert.equal(answer.headers['access-control-allow-origin'], '*');
    assert.equal(answer.headers['cache-control'], 'no-store');
  }
  const elsewhere = await send(port, 'tools/list', {}, { host: 'attacker.example' });
  assert.equal(elsewhere.status, 404, 'the edge answers for its sites alone');
});

test('a GET is told what is there, unless the site has a page there', async (t) => {
  const source = petsSource();
  source.deploy('own.test', { ...SITE, '/mcp': page('<h1>Our own</h1>') });
  const { ask, port } = await startTestEdge(t, { source });
  const refused = await ask('/mcp');
  assert.deepEqual([refused.status, refused.headers.allow], [405, 'POST, OPTIONS']);
  assert.match(String(refused.body), /^This is the MCP server of https:\/\/a\.test/);
  const own = await ask('/mcp', { host: 'own.test' });
  assert.equal(String(own.body), '<h1>Our own</h1>');
  assert.equal((await send(port, 'tools/list', {}, { host: 'own.test' })).status, 200);
});

test('switched off, there is nothing at the address', async (t) => {
  const source = petsSource();
  source.deploy('off.test', SITE, { mcp: false });
  const { ask, port } = await startTestEdge(t, { source });
  const missing = await ask('/nothing', { host: 'off.test' });
  const got = await ask('/mcp', { host: 'off.test' });
  assert.deepEqual([got.status, String(got.body)], [404, String(missing.body)]);
  assert.equal((await send(port, 'tools/list', {}, { host: 'off.test' })).status, 404);
});

test('a message to another host of the site is sent on with its body', async (t) => {
  const source = petsSource();
  putOnline(source, 'b.test', pets, { redirect: movedTo('https://a.test') });
  putOnline(source, 'c.test', pets, { secureOrigin: 'https://c.test', isPreview: true });
  const { port } = await startTestEdge(t, { source });
  for (const [host, location] of [
    ['b.test', 'https://a.test/mcp'],
    ['c.test', 'https://c.test/mcp'],
  ] as const) {
    const { status, headers } = await send(port, 'tools/list', {}, { host });
    assert.deepEqual([status, headers.location], [308, location]);
  }
});

test('a preview answers over TLS and HTTP/2, within the same bounds', async (t) => {
  const source = petsSource();
  source.certificates.set('a.test', await authority.issue('a.test'));
  putOnline(source, 'a.test', pets, { secureOrigin: 'https://a.test', isPreview: true });
  const { httpsPort } = await startSecureEdge(t, { source });
  const { headers, body } = messageOf('tools/call', {
    name: 'get_operation',
    arguments: { operationId: 'getPet' },
  });
  const session = await openSession(t, httpsPort);
  const head = { ':method': 'POST', ':path': '/mcp', ...headers };
  const answer = await askSession(session, head, body);
  const { status, result } = readAnswer(answer.status, answer.headers, String(answer.body));
  assert.equal(status, 200);
  assert.match(result?.content?.[0]?.text ?? '', /9223372036854775807/);
  const long = await askSession(session, head, ' '.repeat(64 * 1024 + 1));
  assert.equal(long.status, 413);
  assert.equal((await askSession(session, { ':method': 'GET', ':path': '/mcp' })).status, 405);
});

test('a client that waits for 100 Continue is told to go on', async (t) => {
  const { port } = await startTestEdge(t, { source: petsSource() });
  const { headers, body } = messageOf('tools/list');
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST /mcp HTTP/1.1\r\nHost: a.test\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n${lines.join('')}\r\n`;
  const received = await exchange(port, [head, body], { pauseMs: 100 });
  assert.match(received, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
});

test('messages beyond the rate of a project are refused, and those of others are not', async (t) => {
  let now = 0;
  const rate = callRate(() => now);
  const allowed = (project: string, count: number) =>
    Array.from({ length: count }, () => rate.take(project, undefined)).filter(Boolean).length;
  assert.deepEqual([allowed('a', 100), allowed('b', 10)], [60, 10]);
  now = 500;
  assert.equal(allowed('a', 100), 10);
  // No time passes, in which the edge would allow more of them.
  t.mock.method(performance, 'now', () => now);
  const { port } = await startTestEdge(t, { source: petsSource() });
  const answers = await Promise.all(Array.from({ length: 80 }, () => post(port, '{')));
  const refused = answers.filter(({ status }) => status === 429);
  assert.equal(refused.length, 20);
  assert.equal(refused[0]?.headers['retry-after'], '1');
});

test('a project whose answers take long is answered less, and others are not', () => {
  let now = 0;
  const rate = callRate(() => now);
  const answers = (project: string, milliseconds: number) => {
    let count = 0;
    while (rate.take(project, undefined)) {
      rate.spend(project, milliseconds);
      count += 1;
    }
    return count;
  };
  assert.equal(answers('slow', 100), 5, 'half a second of its own');
  assert.ok(rate.take('quick', undefined));
  now = 5_000;
  // A tenth of the time comes back.
  assert.equal(answers('slow', 100), 5);
  now = 100_000;
  for (const project of ['a', 'b', 'c']) answers(project, 500);
  assert.equal(rate.take('quick', undefined), false, 'a second and a half of all');
  now += 2_000;
  assert.ok(rate.take('quick', undefined));
});

test('operations that are costly to resolve end with 429, and the site is served', async (t) => {
  const names = Array.from({ length: 150 }, (_, at) => `M${at}`);
  const anyOf = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const schemas = Object.fromEntries(names.map((name) => [name, { anyOf }]));
  const content = { 'application/json': { schema: { anyOf } } };
  const mesh = {
    openapi: '3.1.0',
    info: { title: 'Mesh', version: '1' },
    paths: {
      '/m': { get: { operationId: 'm', responses: { 200: { description: 'x', content } } } },
    },
    components: { schemas },
  };
  const source = new MemorySource();
  putOnline(source, 'a.test', await built(mesh));
  // Answers take processor time, and this clock gives it back: on a busy machine faster than they take it.
  t.mock.method(performance, 'now', () => 0);
  const { port, ask } = await startTestEdge(t, { source });
  const get = () =>
    send(port, 'tools/call', { name: 'get_operation', arguments: { operationId: 'm' } });
  let answered = 0;
  let last = await get();
  for (; last.status === 200; last = await get()) answered += 1;
  assert.ok(answered > 0 && answered < 60, `${answered} were answered`);
  assert.deepEqual([last.status, last.headers['retry-after']], [429, '1']);
  assert.equal((await ask('/')).status, 200);
});

test('one client leaves messages to a project for others', async (t) => {
  let now = 0;
  const rate = callRate(() => now);
  const allowed = (client: string, count: number, project = 'a') =>
    Array.from({ length: count }, () => rate.take(project, client)).filter(Boolean).length;
  assert.deepEqual([allowed('1', 100), allowed('2', 5), allowed('1', 5, 'b')], [20, 5, 5]);
  now = 1_000;
  assert.equal(allowed('1', 100), 5);
  t.mock.method(performance, 'now', () => now);
  // The time of a project has a limit of its own, which a busy machine reaches and this clock gives back to nobody.
  t.mock.method(process, 'threadCpuUsage', () => ({ user: 0, system: 0 }));
  const { port } = await startTestEdge(t, { source: petsSource() });
  const from = (address: string) => send(port, 'tools/list', {}, {}, address);
  const answers = await Promise.all(Array.from({ length: 80 }, () => from('127.0.0.2')));
  assert.equal(answers.filter(({ status }) => status === 429).length, 60);
  assert.equal((await from('127.0.0.3')).status, 200);
});

test('one client takes a share of the messages that are answered at once', async (t) => {
  const { port } = await startTestEdge(t, { source: petsSource() });
  const { headers, body } = messageOf('tools/list');
  const expectation = { ...headers, host: 'a.test', expect: '100-continue' };
  const begin = async () => {
    const sent = request({
      ...{ host: '127.0.0.1', port, localAddress: '127.0.0.2', agent: false },
      ...{ path: '/mcp', method: 'POST' },
      headers: { ...expectation, 'content-length': body.length },
    });
    cleanUp(t, () => sent.destroy());
    sent.on('error', () => {});
    sent.flushHeaders();
    // The edge waits for the body then.
    await once(sent, 'continue');
    return sent;
  };
  const waiting = await Promise.all(Array.from({ length: 8 }, begin));
  const tooMany = await send(port, 'tools/list', {}, {}, '127.0.0.2');
  assert.deepEqual([tooMany.status, tooMany.headers['retry-after']], [429, '1']);
  assert.match(tooMany.error?.message ?? '', /^Too many messages at once\./);
  assert.equal((await send(port, 'tools/list', {}, {}, '127.0.0.3')).status, 200);
  const end = async (sent: ClientRequest) => {
    sent.end(body);
    const [response] = await once(sent, 'response');
    await buffer(response);
  };
  await Promise.all(waiting.map(end));
  assert.equal((await send(port, 'tools/list', {}, {}, '127.0.0.2')).status, 200);
});

test('an edge without its store says so as for pages, and nothing of the reason', async (t) => {
  const { port, source } = await startTestEdge(t, { source: petsSource() });
  await send(port, 'tools/list');
  source.isAway = true;
  const { status, text } = await send(port, 'tools/call', {
    name: 'read_page',
    arguments: { page: '/' },
  });
  assert.deepEqual([status, text], [503, 'The site cannot be read at the moment.\n']);
});

test('a site that was replaced a moment ago answers with its new content', async (t) => {
  const source = petsSource();
  const { port } = await startTestEdge(t, { source });
  await send(port, 'tools/list');
  const renamed = await built(Buffer.from(PETS.replace('Pet shop', 'Pet house')), 'openapi.json');
  source.blobs.clear();
  putOnline(source, 'a.test', renamed, {}, false);
  // The edge has not been told.
  const { text } = await call(port, 'read_page', { page: '/' });
  assert.match(text, /^# Pet house/);
});

test('an edge that nobody asks loads neither the SDK nor what it needs', async () => {
  const edge = new URL('../../../server/src/edge/edge-server.ts', import.meta.url);
  const worker = new Worker(
    `const { registerHooks } = require('node:module');
     const { parentPort } = require('node:worker_threads');
     const loaded = [];
     registerHooks({ resolve(name, context, next) {
       const resolved = next(name, context);
       loaded.push(resolved.url);
       return resolved;
     } });
     import(${JSON.stringify(fileURLToPath(edge))}).then(() => parentPort.postMessage(loaded));`,
    { eval: true },
  );
  const [loaded] = (await once(worker, 'message')) as [string[]];
  await worker.terminate();
  assert.ok(loaded.some((url) => url.endsWith('/mcp/mcp-endpoint.ts')));
  assert.deepEqual(
    loaded.filter((url) =>
      /modelcontextprotocol|\/zod\/|\/mcp\/mcp-server\.ts|search\/search\.ts/.test(url),
    ),
    [],
  );
});
