import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { holdTimers } from '@petstore/test-support/hold-timers.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { ProxyBounds } from '../../../server/src/edge/request-proxy/bounds.ts';
import { DEFAULT_BOUNDS } from '../../../server/src/edge/request-proxy/bounds.ts';
import { ProxyError } from '../../../server/src/edge/request-proxy/proxy-error.ts';
import { requestSlots } from '../../../server/src/edge/request-proxy/request-slots.ts';
import { exchange, startTestEdge } from '../support/edge.ts';
import { MemorySource } from '../support/memory-source.ts';
import {
  ALLOWED,
  beginThrough,
  deployApi,
  readAnswer,
  sendThrough,
  startApi,
  startProxy,
} from '../support/request-proxy.ts';

test('bodies, heads and responses have bounds, and say which', async (t) => {
  const api = await startApi(t, ({ url }, response) => {
    const long = Buffer.alloc(3_000, 'x');
    if (url === '/head') response.setHeader('x-long', 'x'.repeat(40_000));
    if (url === '/bomb') response.setHeader('content-encoding', 'gzip');
    response.end(url === '/bomb' ? gzipSync(Buffer.alloc(1_000_000)) : long);
  });
  const bounds = { bodyBytes: 1_000, headBytes: 500, responseBytes: 2_000 };
  const { port, send } = await startProxy(t, [`${api.url}/`], { bounds });
  const post = (size: number, url = api.url) =>
    send({ url, method: 'POST', body: Buffer.alloc(size) });
  assert.equal((await post(1_000)).status, 200);
  assert.equal(api.seen[0]?.body.length, 1_000);
  for (const answer of [
    await post(1_001),
    await post(1_000_000),
    await send({ url: `${api.url}/?${'x'.repeat(500)}` }),
  ]) {
    assert.deepEqual([answer.status, answer.problem?.code], [413, 'payload_too_large']);
  }
  assert.equal(api.seen.length, 1);
  for (const path of ['/', '/bomb']) {
    const { head, body, end } = await send({ url: api.url + path });
    assert.deepEqual([head?.status, body.length], [200, 2_000]);
    assert.equal(end?.problem?.code, 'response_too_large');
    assert.match(end?.problem?.message ?? '', /has more than 2000 bytes/);
  }
  const head = await send({ url: `${api.url}/head` });
  assert.match(head.problem?.message ?? '', /answered with headers that are too long/);
  const chunked = await exchange(
    port,
    'POST /_site/proxy HTTP/1.1\r\nHost: a.test\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/vnd.request-proxy\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  );
  assert.match(chunked, /^HTTP\/1\.1 411 /);
});

test('a request, its response, and the silence within it have their time', async (t) => {
  const held: ServerResponse[] = [];
  const api = await startApi(t, ({ url }, response) => {
    held.push(response);
    if (url === '/silent') return;
    response.write('x');
    if (url === '/drip') {
      const drip = setInterval(() => response.write('x'), 20);
      response.once('close', () => clearInterval(drip));
    }
  });
  const endOfUpstream = async () => {
    const upstream = held.at(-1);
    if (upstream && !upstream.closed) await once(upstream, 'close');
  };
  const rows: [path: string, bounds: Partial<ProxyBounds>, message: RegExp][] = [
    ['/silent', { headMs: 100 }, /did not answer within 0\.1 seconds/],
    ['/idle', { idleMs: 100 }, /no more of it arrived within 0\.1 seconds/],
  ];
  for (const [path, bounds, message] of rows) {
    const { send } = await startProxy(t, [`${api.url}/`], { bounds });
    const { status, problem, end } = await send({ url: api.url + path });
    const told = problem ?? end?.problem;
    assert.deepEqual([status, told?.code], [path === '/silent' ? 504 : 200, 'timeout'], path);
    assert.match(told?.message ?? '', message);
    await endOfUpstream();
  }
  // Its time is over once it has begun, however long that takes.
  const wholeMs = 1_800;
  const timers = holdTimers(t, [wholeMs]);
  const { port } = await startProxy(t, [`${api.url}/`], { bounds: { idleMs: 60_000, wholeMs } });
  const [begun] = await once(beginThrough(port, { url: `${api.url}/drip` }), 'response');
  timers[0]?.end();
  const whole = readAnswer(begun.statusCode, begun.headers, await buffer(begun));
  assert.deepEqual([whole.status, whole.end?.problem?.code], [200, 'timeout']);
  assert.match(whole.end?.problem?.message ?? '', /did not end within 1\.8 seconds/);
  await endOfUpstream();

  const source = new MemorySource();
  deployApi(source, [`${api.url}/`]);
  const edge = await startTestEdge(t, {
    source,
    requestProxy: { ...ALLOWED, bounds: { arrivalMs: 100 } },
    // It waits so long for what it does not want any more.
    timeouts: { headers: 3_000, request: 3_000 },
  });
  const late = await exchange(
    edge.port,
    'POST /_site/proxy HTTP/1.1\r\nHost: a.test\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/vnd.request-proxy\r\nContent-Length: 9\r\n\r\n',
  );
  assert.match(late, /^HTTP\/1\.1 504 [\s\S]*did not arrive here within 0\.1 seconds/);
});

test('one client, one project and all together have so many at once, and places come back', async (t) => {
  const held: ServerResponse[] = [];
  const api = await startApi(t, (_request, response) => void held.push(response));
  const source = new MemorySource();
  for (const host of ['a.test', 'b.test', 'c.test'])
    deployApi(source, [`${api.url}/`], { host, projectId: `project of ${host}` });
  const bounds = { ofClient: 2, ofProject: 3, ofAll: 5 };
  const { port } = await startTestEdge(t, { source, requestProxy: { ...ALLOWED, bounds } });
  const over: Promise<void>[] = [];
  const hold = async (host: string, client: number) => {
    const count = api.seen.length;
    const sent = beginThrough(port, { url: api.url }, { host, localAddress: `127.0.0.${client}` });
    over.push(new Promise((resolve) => sent.once('close', resolve)));
    while (api.seen.length === count) await new Promise((resolve) => setImmediate(resolve));
    return sent;
  };
  const ask = async (host: string, client: number) => {
    const from = { host, localAddress: `127.0.0.${client}` };
    const sent = beginThrough(port, { url: api.url }, from);
    const [response] = await once(sent, 'response');
    response.resume();
    return response;
  };
  const first = await hold('a.test', 3);
  await hold('b.test', 3);
  const refused = await ask('c.test', 3);
  assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '1']);
  await hold('a.test', 4);
  await hold('a.test', 5);
  assert.equal((await ask('a.test', 6)).statusCode, 503, 'three of the project');
  await hold('b.test', 6);
  assert.equal((await ask('c.test', 7)).statusCode, 503, 'five of all');

  const closed = once(held[0] as ServerResponse, 'close');
  first.destroy();
  await closed;
  await hold('a.test', 3);
  for (const response of held) response.end();
  // Each has its place until its client has the end.
  await Promise.all(over);
  for (let at = 0; at < 10; at++) {
    const count = held.length;
    const answered = ask('a.test', 3);
    while (held.length === count) await new Promise((resolve) => setImmediate(resolve));
    held.at(-1)?.end();
    const response = await answered;
    assert.equal(response.statusCode, 200);
    await once(response, 'close');
  }
});

test('bursts are served, then so many a second: of a client, and of a project', () => {
  let now = 0;
  const take = requestSlots(DEFAULT_BOUNDS, () => now);
  const allowed = (projectId: string, client: string | undefined, count: number) => {
    let passed = 0;
    for (let at = 0; at < count; at++) {
      try {
        take({ projectId, client }, 0)();
        passed++;
      } catch (error) {
        assert.ok(error instanceof ProxyError && error.code === 'rate_limited');
      }
    }
    return passed;
  };
  assert.equal(allowed('a', '1', 50), 20);
  assert.equal(allowed('b', '1', 50), 0, 'of all projects together');
  assert.equal(allowed('a', '2', 50), 20);
  assert.equal(allowed('a', undefined, 50), 20, 'sixty of the project');
  assert.equal(allowed('a', '3', 50), 0);
  now = 1_000;
  assert.equal(allowed('b', '1', 50), 2);
  assert.equal(allowed('a', '4', 50), 10);
});

test('the memory for requests has a bound, and comes back', () => {
  const take = requestSlots({ ...DEFAULT_BOUNDS, heldBytes: 100 });
  const one = { projectId: 'a', client: undefined };
  const leave = take(one, 60);
  assert.throws(() => take(one, 41), /Too many large requests/);
  take(one, 40)();
  leave();
  leave();
  take(one, 100)();
  assert.throws(() => take(one, 101), /Too many large requests/);
});

test('one client and one project leave memory for requests of others', () => {
  const take = requestSlots({
    ...DEFAULT_BOUNDS,
    heldOfClient: 20,
    heldOfProject: 50,
    heldBytes: 100,
  });
  const from = (client: string, projectId = 'a') => ({ projectId, client });
  const leave = take(from('1'), 15);
  assert.throws(() => take(from('1', 'b'), 6), /Too many large requests/);
  take(from('2'), 20);
  take(from('3'), 15);
  assert.throws(() => take(from('4'), 1), /Too many large requests/);
  take(from('4', 'b'), 20);
  leave();
  take(from('1'), 15);
});

test('a compressed response whose window is larger than those of browsers is cut, and few are decoded at once', async (t) => {
  // RFC 8878, section 3.1.1: a whole frame, empty, that asks for a window of 128 MB.
  const zstd = Buffer.from('28b52ffd0088010000', 'hex');
  const brotli = brotliCompressSync(Buffer.alloc(100_000, 'x'));
  const held: ServerResponse[] = [];
  const api = await startApi(t, ({ url }, response) => {
    const isZstd = url === '/zstd';
    held.push(response);
    response.writeHead(200, { 'content-encoding': isZstd ? 'zstd' : 'br' });
    if (isZstd) response.end(zstd);
    else response.write(brotli.subarray(0, -1));
  });
  const bounds = {
    ...{ ofClient: 100, ofProject: 100, ofAll: 100 },
    ...{ projectRate: { burst: 100, perSecond: 1 }, clientRate: { burst: 100, perSecond: 1 } },
  };
  const { port } = await startProxy(t, [`${api.url}/`], { bounds });
  const large = await sendThrough(port, { url: `${api.url}/zstd` });
  assert.match(JSON.stringify(large.end), /not compressed as its Content-Encoding says/);
  const open = Array.from({ length: 12 }, () => sendThrough(port, { url: `${api.url}/br` }));
  const first = await Promise.race(open);
  assert.match(JSON.stringify(first.end), /Too many compressed responses/);
  // One that the API begins after this would be waited for until it counts as silent.
  await timeUntil(async () => held.length === 1 + open.length);
  for (const response of held) response.destroy();
  await Promise.all(open);
  const later = sendThrough(port, { url: `${api.url}/br` });
  await timeUntil(async () => held.at(-1)?.destroyed === false);
  held.at(-1)?.end(brotli.subarray(-1));
  assert.deepEqual((await later).end, {}, 'there is room again');
});

test('a refusal for too many requests is told to the client', async (t) => {
  const api = await startApi(t);
  const bounds = { clientRate: { burst: 2, perSecond: 0.001 } };
  const { port } = await startProxy(t, [`${api.url}/`], { bounds });
  const from = (localAddress: string) => sendThrough(port, { url: api.url }, { localAddress });
  const statuses = [];
  for (let at = 0; at < 3; at++) statuses.push((await from('127.0.0.3')).status);
  assert.deepEqual(statuses, [200, 200, 429]);
  assert.equal((await from('127.0.0.4')).status, 200);
});
