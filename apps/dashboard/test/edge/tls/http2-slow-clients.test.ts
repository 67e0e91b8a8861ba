import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants } from 'node:http2';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { READERS_PATH } from '@petstore/site/site/readers/readers-format.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { assertTook, timeUntil } from '@petstore/test-support/within.ts';
import { sendBuffers } from '../../../server/src/edge/http2/send-buffers.ts';
import { takenConnections } from '../support/edge.ts';
import { MemorySource, SITE } from '../support/memory-source.ts';
import { deploySecurely, handshake, openSession, startSecureEdge } from '../support/secure-edge.ts';
import { frame, PREFACE } from './support/frames.ts';

/** Windows as large as they may be (RFC 9113, sections 6.5.2 and 6.9). */
const WIDE = Buffer.concat([
  Buffer.from(PREFACE),
  frame(4, 0, 0, Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])),
  frame(8, 0, 0, Buffer.from([0x7f, 0, 0, 0])),
]);

const literal = (name: string, value: string) =>
  Buffer.concat([
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);

/** `/large.bin` of `a.test` in HPACK; END_HEADERS set. */
const ask = (stream: number, { isPost = false } = {}) =>
  frame(
    ...([1, isPost ? 4 : 5, stream] as const),
    Buffer.concat([
      Buffer.from([isPost ? 0x83 : 0x82, 0x87]),
      literal(':path', '/large.bin'),
      literal(':authority', 'a.test'),
    ]),
  );

const SAME_ORIGIN = {
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/x-www-form-urlencoded',
};

/** Asks for so many large files on one connection, and reads nothing. */
async function askAndStop(port: number, streams: number): Promise<TLSSocket> {
  const socket = await handshake(port, { ALPNProtocols: ['h2'] });
  socket.pause();
  const asked = Array.from({ length: streams }, (_, at) => ask(at * 2 + 1));
  socket.write(Buffer.concat([WIDE, ...asked]));
  return socket;
}

test('clients that ask for much, read nothing and vanish leave no connection behind', async (t) => {
  const { httpsPort } = await startSecureEdge(t);
  const open = takenConnections(t);
  for (const afterMs of [20, 100, 500]) {
    const sockets = await Promise.all(Array.from({ length: 5 }, () => askAndStop(httpsPort, 100)));
    // The server is at something else each time.
    await sleep(afterMs);
    for (const socket of sockets) socket.destroy();
    await assertTook(await timeUntil(async () => open.size === 0), 3_000);
  }
  const session = await openSession(t, httpsPort);
  const stream = session.request({ ':path': '/large.bin' });
  let received = 0;
  for await (const chunk of stream) received += chunk.length;
  assert.equal(received, 3_000_000);
});

test('memory for clients that ask for much and read nothing is bounded, and so is their time', async (t) => {
  const { httpsPort, askSecurely } = await startSecureEdge(t, { timeouts: { stalled: 1_000 } });
  await askSecurely('/large.bin');
  const open = takenConnections(t);
  const before = process.memoryUsage.rss();
  const sockets = await Promise.all(Array.from({ length: 40 }, () => askAndStop(httpsPort, 100)));
  // It is served after the requests of all of them have been read.
  assert.equal((await askSecurely('/large.bin')).body.length, 3_000_000, 'others are served');
  let most = before;
  const ms = await timeUntil(async () => {
    most = Math.max(most, process.memoryUsage.rss());
    return open.size === 0;
  });
  await assertTook(ms, 8_000);
  const grownMb = (most - before) / 1024 / 1024;
  assert.ok(grownMb < 150, `${grownMb} MB`);
  for (const socket of sockets) socket.destroy();
});

test('who sends on and on, and reads nothing, is cut off', async (t) => {
  const { httpsPort } = await startSecureEdge(t, { timeouts: { stalled: 500 } });
  const open = takenConnections(t);
  const socket = await askAndStop(httpsPort, 99);
  socket.write(ask(199, { isPost: true }));
  const sending = setInterval(() => socket.write(frame(0, 0, 199, Buffer.alloc(1))), 50);
  cleanUp(t, () => clearInterval(sending));
  assert.equal(open.size, 1);
  await assertTook(await timeUntil(async () => open.size === 0), 4_000);
  socket.destroy();
});

test('a body that drips is given up, on its stream alone', async (t) => {
  const source = new MemorySource();
  await deploySecurely(source, 'a.test', SITE, { countsReaders: true });
  const timeouts = { headers: 1_000, request: 1_000 };
  const { httpsPort } = await startSecureEdge(t, { source, timeouts });
  const session = await openSession(t, httpsPort);
  const dripping = session.request({ ':method': 'POST', ':path': READERS_PATH, ...SAME_ORIGIN });
  const given = once(dripping, 'close');
  const drip = setInterval(() => dripping.write('x'), 100);
  cleanUp(t, () => clearInterval(drip));
  await given;
  clearInterval(drip);
  assert.equal(dripping.rstCode, constants.NGHTTP2_CANCEL);
  const [headers] = await once(session.request({ ':path': '/' }).resume(), 'response');
  assert.equal(headers[':status'], 200);
});

test('where all that is on its way is too much, those go that have not gone on for longest', () => {
  const ended: string[] = [];
  const open = sendBuffers(60_000, 100);
  const session = (name: string) =>
    open({ once: () => undefined, destroy: () => ended.push(name) } as never);
  const [a, b, c] = [session('a'), session('b'), session('c')];
  a.add(40);
  b.add(40);
  a.remove(10, true);
  b.remove(1, false);
  c.add(30);
  assert.deepEqual(ended, [], 'that is as much as may be');
  c.add(2);
  assert.deepEqual(ended, ['b']);
  b.remove(39, true);
  b.add(1_000);
  c.add(30);
  assert.deepEqual(ended, ['b'], 'what has ended holds nothing');
  c.add(30);
  assert.deepEqual(ended, ['b', 'a']);
});
