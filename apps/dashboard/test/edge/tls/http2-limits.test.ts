import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants } from 'node:http2';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { closed } from '@petstore/test-support/closed.ts';
import { assertTook, timeUntil } from '@petstore/test-support/within.ts';
import { SITE } from '../support/memory-source.ts';
import {
  askSession,
  deploySecurely,
  handshake,
  openSession,
  startSecureEdge,
} from '../support/secure-edge.ts';
import { frame, framesOf, PREFACE } from './support/frames.ts';

/** Types of frames. */
const TYPES = { headers: 1, reset: 3, ping: 6, goaway: 7 };

const SETTINGS = frame(4, 0, 0);
const PING = frame(TYPES.ping, 0, 0, Buffer.alloc(8));
/** `GET https://a.test/` in HPACK, END_STREAM and END_HEADERS set. */
const request = (stream: number) =>
  frame(1, 5, stream, Buffer.from([0x82, 0x87, 0x84, 0x41, 6, ...Buffer.from('a.test')]));
const reset = (stream: number) => frame(3, 0, stream, Buffer.from([0, 0, 0, 8]));

/** A connection that speaks HTTP/2 by itself. */
async function openRaw(port: number): Promise<TLSSocket> {
  const socket = await handshake(port, { ALPNProtocols: ['h2'] });
  socket.write(PREFACE);
  socket.write(SETTINGS);
  return socket;
}

/** Sends a piece over and over until the server has had enough; how many it took. */
async function flood(socket: TLSSocket, pieceOf: (at: number) => Buffer, max: number) {
  let isClosed = false;
  socket.once('close', () => {
    isClosed = true;
  });
  // What it answers is read: a server must not need the client to stop.
  socket.resume();
  let sent = 0;
  while (!isClosed && sent < max) {
    const pieces = Array.from({ length: 50 }, () => pieceOf(sent++));
    socket.write(Buffer.concat(pieces));
    await sleep(2);
  }
  return { isClosed, sent };
}

test('a client that opens streams and resets them at once is sent away', async (t) => {
  const { httpsPort, askSecurely } = await startSecureEdge(t);
  const socket = await openRaw(httpsPort);
  const { isClosed, sent } = await flood(
    socket,
    (at) => Buffer.concat([request(at * 2 + 1), reset(at * 2 + 1)]),
    20_000,
  );
  assert.ok(isClosed, `${sent} streams`);
  assert.ok(sent < 5_000, `${sent} streams`);
  assert.equal((await askSecurely('/')).status, 200);
});

test('a client that floods with PING or SETTINGS and does not read is sent away', async (t) => {
  const { httpsPort, askSecurely } = await startSecureEdge(t);
  for (const piece of [PING, SETTINGS]) {
    const socket = await openRaw(httpsPort);
    socket.pause();
    const blob = Buffer.concat(Array.from({ length: 20_000 }, () => piece));
    // It cannot write once the server has let go.
    await timeUntil(async () => {
      if (!socket.writableNeedDrain) socket.write(blob);
      return socket.destroyed;
    });
  }
  assert.equal((await askSecurely('/')).status, 200);
});

test('a client has as many streams at once as RFC 9113 wants it to have, and no more', async (t) => {
  const { httpsPort, source, invalidate } = await startSecureEdge(t);
  const session = await openSession(t, httpsPort);
  await askSession(session, { ':path': '/' });
  assert.equal(session.remoteSettings.maxConcurrentStreams, 100);
  assert.equal(session.remoteSettings.enablePush, false);
  const raw = await openRaw(httpsPort);
  let received = Buffer.alloc(0);
  raw.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
  });
  const release = source.hold();
  invalidate(['project of a.test']);
  const streams = Array.from({ length: 150 }, (_, at) => at * 2 + 1);
  raw.write(Buffer.concat([...streams.map(request), PING]));
  const withType = (wanted: number) => framesOf(received).filter(({ type }) => type === wanted);
  // Its acknowledgement: all that was sent before it has been read.
  await timeUntil(async () => withType(TYPES.ping).length === 1);
  release();
  await timeUntil(
    async () => withType(TYPES.headers).length + withType(TYPES.reset).length === 150,
  );
  const refused = withType(TYPES.reset);
  assert.deepEqual(
    refused.map(({ stream }) => stream),
    streams.slice(100),
  );
  for (const { payload } of refused) {
    assert.equal(payload.readUInt32BE(), constants.NGHTTP2_REFUSED_STREAM);
  }
  raw.destroy();
});

test('a client may have a table for headers as small as it likes, from the start or later', async (t) => {
  const { httpsPort } = await startSecureEdge(t);
  for (const headerTableSize of [0, 4_096]) {
    const session = await openSession(t, httpsPort, { settings: { headerTableSize } });
    assert.equal((await askSession(session, { ':path': '/' })).status, 200);
    session.settings({ headerTableSize: headerTableSize / 2 });
    assert.equal((await askSession(session, { ':path': '/' })).status, 200);
  }
});

test('headers beyond the limit end their stream, and not the ones beside it', async (t) => {
  const { httpsPort } = await startSecureEdge(t);
  const session = await openSession(t, httpsPort);
  // From its acknowledgement on; until then there are 64 KiB.
  await askSession(session, { ':path': '/' });
  const long = { ':path': '/', 'x-long': 'a'.repeat(20_000) };
  const answer = await askSession(session, long).then(
    ({ status }) => status,
    () => 'reset',
  );
  assert.ok(answer === 'reset' || answer === 431, String(answer));
});

test('thirty large files at once come whole on one session', async (t) => {
  const { httpsPort } = await startSecureEdge(t);
  const session = await openSession(t, httpsPort);
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => askSession(session, { ':path': '/large.bin' })),
  );
  for (const { status, body } of answers) {
    assert.equal(status, 200);
    assert.equal(body.length, 3_000_000);
  }
});

test('sessions without a stream end in time, whatever else the client does', async (t) => {
  const { httpsPort } = await startSecureEdge(t, {
    timeouts: { keepAlive: 1_500, headers: 1_000 },
  });
  const begun = performance.now();
  const asked = await openSession(t, httpsPort);
  const ended = [once(asked, 'close')];
  await askSession(asked, { ':path': '/' });
  for (let idle = 0; idle < 2; idle++) ended.push(once(await openSession(t, httpsPort), 'close'));
  const posted = await openSession(t, httpsPort);
  ended.push(once(posted, 'close'));
  const pings = setInterval(() => asked.destroyed || asked.ping(() => undefined), 50);
  cleanUp(t, () => clearInterval(pings));
  const body = posted.request({ ':path': '/', ':method': 'POST' });
  body.on('error', () => undefined).resume();
  body.write(Buffer.alloc(10_000));
  // It never asks, and goes on when it is told to end.
  const stubborn = await handshake(httpsPort, {
    ALPNProtocols: ['h2'],
    ...{ allowHalfOpen: true },
  });
  stubborn.resume().write(PREFACE);
  const writes = setInterval(() => stubborn.writable && stubborn.write(PING), 50);
  cleanUp(t, () => clearInterval(writes));
  ended.push(new Promise((resolve) => stubborn.once('close', () => resolve([]))));
  await Promise.all(ended);
  await assertTook(performance.now() - begun, 5_000);
});

test('a stream whose client reads no more ends in time, and one that is slow does not', async (t) => {
  const { httpsPort, source } = await startSecureEdge(t, { timeouts: { stalled: 1_500 } });
  const huge = { type: 'application/octet-stream', text: Buffer.alloc(6_000_000, 'x') };
  await deploySecurely(source, 'a.test', { ...SITE, '/huge.bin': huge });
  const session = await openSession(t, httpsPort);
  // A clock of its own: where this process stands still, its client reads nothing.
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  const stalled = session.request({ ':path': '/huge.bin' });
  stalled.on('error', () => undefined);
  await once(stalled, 'response');
  stalled.pause();
  const closed = once(stalled, 'close');
  const slow = session.request({ ':path': '/huge.bin' });
  let received = 0;
  for await (const chunk of slow) {
    received += chunk.length;
    now += 100;
    await sleep(12);
  }
  assert.equal(received, huge.text.length);
  now += 1_501;
  let got = 0;
  stalled.on('data', (chunk) => {
    got += chunk.length;
  });
  await closed;
  assert.ok(got < huge.text.length, `${got} ${stalled.rstCode}`);
});

test('a body is dropped, and its client told that the rest is not wanted', async (t) => {
  const { httpsPort } = await startSecureEdge(t);
  const session = await openSession(t, httpsPort);
  const stream = session.request({ ':path': '/', ':method': 'POST' });
  stream.on('error', () => undefined);
  stream.resume().write(Buffer.alloc(200_000));
  const closed = once(stream, 'close');
  const [headers] = await once(stream, 'response');
  assert.equal(headers[':status'], 405);
  await closed;
  assert.equal(stream.rstCode, constants.NGHTTP2_NO_ERROR);
  assert.equal((await askSession(session, { ':path': '/' })).status, 200);
});

test('what is not HTTP/2 ends the connection and nothing else', async (t) => {
  const { httpsPort, askSecurely } = await startSecureEdge(t);
  for (const bytes of [
    Buffer.from('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n'),
    Buffer.concat([Buffer.from(PREFACE), frame(0, 0, 0, Buffer.alloc(10))]),
    Buffer.concat([Buffer.from(PREFACE), SETTINGS, frame(1, 5, 1, Buffer.alloc(20, 0xff))]),
    Buffer.concat([Buffer.from(PREFACE), SETTINGS, frame(TYPES.goaway, 0, 0, Buffer.alloc(8))]),
    Buffer.from(`${PREFACE}\xff\xff\xff`, 'latin1'),
  ]) {
    const socket = await handshake(httpsPort, { ALPNProtocols: ['h2'] });
    socket.resume().write(bytes);
    socket.end();
    await closed(socket);
  }
  assert.equal((await askSecurely('/')).status, 200);
});
