import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { on, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { anyPort } from '@petstore/lab/ports.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { closed } from '@petstore/test-support/closed.ts';
import { assertTook, timeOf, timeUntil } from '@petstore/test-support/within.ts';
import { startNameServer } from '../src/name-server.ts';
import {
  ask,
  askOverTcp,
  queryBytes,
  type Response,
  readResponse,
  sendUdp,
  start,
} from './support/ask.ts';
import { ORIGIN, ZONE } from './support/zone.ts';

const SOA_QUERY = queryBytes({ name: ORIGIN, type: 'SOA' });

async function connected(t: TestContext, port: number) {
  const socket = connect(port, '127.0.0.1');
  cleanUp(t, () => socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

test('queries over one connection are answered in their order, however they are cut', async (t) => {
  const { server } = await start(t);
  const queries = Array.from({ length: 500 }, (_, id) => {
    const query = Buffer.from(SOA_QUERY);
    query.writeUInt16BE(id, 0);
    return query;
  });
  const responses = await askOverTcp(server.port, queries);
  assert.deepEqual(
    responses.map((response) => response.readUInt16BE(0)),
    queries.map((_, id) => id),
  );
  const socket = await connected(t, server.port);
  socket.setNoDelay(true);
  const framed = Buffer.concat([Buffer.from([0, SOA_QUERY.length]), SOA_QUERY]);
  for (const byte of framed) {
    socket.write(Buffer.from([byte]));
    await sleep(1);
  }
  const [chunk] = await once(socket, 'data');
  assert.equal(readResponse(chunk.subarray(2)).answers?.length, 1);
});

test('a client that asks is told how long its connection may be idle (RFC 7828)', async (t) => {
  const { server } = await start(t);
  const options = [{ code: 11, data: Buffer.alloc(0) } as never];
  const query = queryBytes({ name: ORIGIN, type: 'SOA', edns: { options } });
  const [response] = await askOverTcp(server.port, [query]);
  assert.ok(response);
  assert.equal(response.readUInt16BE(response.length - 2), 100, 'tenths of a second');
  assert.equal(response.readUInt16BE(response.length - 6), 11);
  const overUdp = await sendUdp(server.port, query);
  assert.equal(overUdp && readResponse(overUdp).edns?.options.length, 0);
});

test('a connection without a whole query is closed, also one that sends single bytes', async (t) => {
  const { server } = await start(t);
  const silent = await connected(t, server.port);
  const slow = await connected(t, server.port);
  const timer = setInterval(() => slow.write('\0'), 500);
  cleanUp(t, () => clearInterval(timer));
  // Its bytes are the beginning of a long message.
  slow.write(Buffer.from([0x0f, 0xff]));
  const begin = performance.now();
  await Promise.all([closed(silent), closed(slow)]);
  const took = performance.now() - begin;
  assert.ok(took > 8_000, `${took} ms`);
  await assertTook(took, 15_000);
});

test('a connection that sends what is no query, or a long one, is closed at once', async (t) => {
  const { server } = await start(t);
  for (const bytes of [
    Buffer.from('\0\u0005hello', 'latin1'),
    Buffer.from([0, 0]),
    Buffer.from([0xff, 0xff, 1]),
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
  ]) {
    const socket = await connected(t, server.port);
    socket.resume().write(bytes);
    await assertTook(await timeOf(() => closed(socket)), 2_000, 'the end');
  }
});

test('of many connections of one address the oldest end, and those of others stay', async (t) => {
  const { server } = await start(t);
  const other = connect({ port: server.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
  cleanUp(t, () => other.destroy());
  await once(other, 'connect');
  const sockets: Socket[] = [];
  for (let i = 0; i < 80; i += 1) sockets.push(await connected(t, server.port));
  for (const socket of sockets) socket.resume();
  const left = () => sockets.filter(({ closed }) => !closed);
  await timeUntil(async () => left().length <= 50);
  other.write(Buffer.concat([Buffer.from([0, SOA_QUERY.length]), SOA_QUERY]));
  await once(other, 'data', { signal: AbortSignal.timeout(120_000) });
  assert.equal(other.closed, false);
  assert.equal(left().length, 50);
  assert.equal(left()[0], sockets[30]);
});

test('a client that does not read gets no memory of the server', async (t) => {
  const { server, ask: askServer } = await start(t);
  const socket = await connected(t, server.port);
  socket.pause();
  const query = queryBytes({ name: `many.${ORIGIN}` });
  const framed = Buffer.concat([Buffer.from([0, query.length]), query]);
  const before = process.memoryUsage().rss;
  const batch = Buffer.concat(Array<Buffer>(1_000).fill(framed));
  // Each batch asks for 3 MB.
  for (let i = 0; i < 200 && socket.writableLength < 1_000_000; i += 1) {
    socket.write(batch);
    await sleep(5);
  }
  assert.ok(socket.writableLength >= 1_000_000, 'the server no longer reads');
  assert.ok(process.memoryUsage().rss - before < 150_000_000);
  assert.equal((await askServer({ name: ORIGIN, type: 'SOA' })).answers?.length, 1);
});

test('responses over UDP to one network are limited, and truncated ones lead to TCP', async (t) => {
  // However slow the machine is, nothing is added to the first twenty.
  const { server } = await start(t, { rate: { perSecond: 0.0001, burst: 20 } });
  const socket = createSocket('udp4');
  cleanUp(t, () => socket.close());
  const came: Response[] = [];
  socket.on('message', (response) => came.push(readResponse(response)));
  for (let i = 0; i < 60; i += 1) socket.send(SOA_QUERY, server.port, '127.0.0.1');
  await timeUntil(async () => came.length >= 40);
  const overTcp = await ask(server.port, { name: ORIGIN, type: 'SOA', isTcp: true });
  assert.equal(overTcp.answers?.length, 1);
  await timeUntil(async () => server.counts().queries >= 61);
  assert.deepEqual(server.counts(), { queries: 61, limited: 40 });
  const slipped = came.filter(({ flag_tc }) => flag_tc);
  assert.deepEqual([came.length, slipped.length], [40, 20]);
  for (const { bytes } of slipped)
    assert.equal(bytes.length, SOA_QUERY.length, 'no longer than the query');
});

test('a client that returns its cookie is not limited (RFC 7873)', async (t) => {
  const { server } = await start(t, { rate: { perSecond: 0.0001, burst: 2 } });
  const withCookie = (data: Buffer) =>
    queryBytes({ name: ORIGIN, type: 'SOA', edns: { options: [{ code: 10, data } as never] } });
  const cookieOf = (response: Buffer | undefined) => {
    const options = (response && readResponse(response).edns?.options) ?? [];
    return (options[0] as { data?: Buffer } | undefined)?.data ?? Buffer.alloc(0);
  };
  const first = await sendUdp(server.port, withCookie(Buffer.from('eightbyt')));
  const cookie = cookieOf(first);
  assert.equal(cookie.length, 24);
  assert.equal(cookie.toString('latin1', 0, 8), 'eightbyt');
  for (let i = 0; i < 20; i += 1) {
    const response = await sendUdp(server.port, withCookie(cookie));
    assert.equal(response && readResponse(response).answers?.length, 1);
  }
  const forged = Buffer.from(cookie);
  forged.writeUInt8(forged.readUInt8(23) ^ 1, 23);
  const limited = [];
  for (let i = 0; i < 10; i += 1) limited.push(await sendUdp(server.port, withCookie(forged), 200));
  assert.ok(limited.filter((response) => response === undefined).length >= 3);
  // RFC 7873, section 5.4: a query for a cookie alone.
  const alone = Buffer.concat([
    withCookie(cookie).subarray(0, 12),
    withCookie(cookie).subarray(SOA_QUERY.length),
  ]);
  alone.writeUInt16BE(0, 4);
  const response = await sendUdp(server.port, alone);
  assert.equal(response && readResponse(response).rcode, 0);
  assert.equal(cookieOf(response).length, 24);
});

test('over IPv6 it answers as well, and on several addresses', async (t) => {
  const hosts = ['127.0.0.1', '127.0.0.5', '::1'];
  // One that the system picks for the first of them, somebody else may have at another.
  const { server } = await start(t, { hosts, port: await anyPort([]) });
  for (const host of hosts) {
    const socket = connect(server.port, host);
    cleanUp(t, () => socket.destroy());
    socket.write(Buffer.concat([Buffer.from([0, SOA_QUERY.length]), SOA_QUERY]));
    const [chunk] = await once(socket, 'data');
    assert.equal(readResponse(chunk.subarray(2)).answers?.length, 1);
  }
});

test('a port that is taken, and an address of another machine, are errors with the address', async (t) => {
  const { server } = await start(t);
  const started = (hosts: string[], port: number) => startNameServer({ hosts, port, zone: ZONE });
  await assert.rejects(started(['127.0.0.1'], server.port), {
    code: 'EADDRINUSE',
    host: '127.0.0.1',
  });
  const foreign = ['127.0.0.1', '192.0.2.1'];
  await assert.rejects(started(foreign, 0), { code: 'EADDRNOTAVAIL', host: '192.0.2.1' });
});

test('a stop ends its connections, and frees the port', async (t) => {
  // The system would give one that it picked to somebody else.
  const port = await anyPort([]);
  const first = await startNameServer({ hosts: ['127.0.0.1'], port, zone: ZONE });
  const idle = await connected(t, first.port);
  idle.resume();
  const begin = performance.now();
  await first.close();
  await first.close();
  await assertTook(performance.now() - begin, 2_500);
  const second = await start(t, { port });
  assert.equal((await second.ask({ name: ORIGIN, type: 'SOA' })).answers?.length, 1);
});

test('a thread that ends by itself begins again, with the zone as it is now', async (t) => {
  const started: Worker[] = [];
  const remember = (thread: Worker) => {
    if (isNameServer(thread)) started.push(thread);
  };
  process.on('worker', remember);
  cleanUp(t, () => process.off('worker', remember));
  const crashes: unknown[] = [];
  // The system would give one that it picked to somebody else meanwhile.
  const port = await anyPort([]);
  const { server } = await start(t, { port, onCrash: (error) => crashes.push(error) });
  await started[0]?.terminate();
  const added = { name: `late.${ORIGIN}`, type: 'TXT', ttl: 1, data: 'late' } as const;
  server.setZone({ ...ZONE, records: [...ZONE.records, added] });
  const query = queryBytes({ name: added.name });
  // What is asked while there is no thread is lost.
  await timeUntil(async () => {
    const response = await sendUdp(server.port, query, 500);
    return response !== undefined && readResponse(response).answers?.length === 1;
  });
  assert.equal(crashes.length, 1);
  assert.equal(started.length, 2);
});

test('a stop while a thread begins again ends that one, too', async (t) => {
  const begun = nextThread();
  const server = await startNameServer({ hosts: ['127.0.0.1'], port: 0, zone: ZONE });
  const first = await begun;
  const beginning = nextThread();
  await first.terminate();
  const second = await beginning;
  cleanUp(t, () => second.terminate());
  await server.close();
  assert.equal(second.threadId, -1, 'it has ended');
});

/** The next thread of a name server, as soon as it begins. */
async function nextThread(): Promise<Worker> {
  for await (const [thread] of on(process, 'worker')) {
    if (isNameServer(thread)) return thread;
  }
  throw new Error('This process ends.');
}

/** And not the thread that watches the tests, of which this process may tell after the first of them has begun. */
const isNameServer = ({ threadName }: Worker) => threadName === 'name server';
