import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants } from 'node:http2';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { closed } from '@petstore/test-support/closed.ts';
import { holdTimers } from '@petstore/test-support/hold-timers.ts';
import fc from 'fast-check';
import { takenConnections } from '../support/edge.ts';
import { handshake, startSecureEdge } from '../support/secure-edge.ts';
import { frame, framesOf, PREFACE } from '../tls/support/frames.ts';

const TYPES = { data: 0, headers: 1, priority: 2, reset: 3, settings: 4, push: 5, ping: 6 };
const { goaway, windowUpdate, continuation } = { goaway: 7, windowUpdate: 8, continuation: 9 };

const START = Buffer.concat([Buffer.from(PREFACE), frame(TYPES.settings, 0, 0)]);
/** `GET https://a.test/` */
const GET = Buffer.from([0x82, 0x87, 0x84, 0x41, 6, ...Buffer.from('a.test')]);
const POST = Buffer.from([0x83, 0x87, 0x84, 0x41, 6, ...Buffer.from('a.test')]);
const ask = (stream: number) => frame(TYPES.headers, 5, stream, GET);
const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const literal = (name: string, value: string) =>
  Buffer.from([0, name.length, ...Buffer.from(name), value.length, ...Buffer.from(value)]);

/** A field of 4 kB, which later blocks name by one byte, five times. */
const FIELD = Buffer.concat([
  Buffer.from([0x40, 1, 0x61, 0x7f, 0xa1, 0x1e]),
  Buffer.alloc(4_000, 'x'),
]);
const LONG = Buffer.alloc(5, 0xbe);
const FIRST = Buffer.concat([FIELD, LONG]);

async function open(port: number) {
  const socket = await handshake(port, { ALPNProtocols: ['h2'] });
  let bytes = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
  });
  return { socket, frames: () => framesOf(bytes) };
}

/** What the server says of frames: the code of its GOAWAY, or of the reset of a stream; undefined: neither. */
async function verdictOf(port: number, ...sent: readonly Buffer[]) {
  const { socket, frames } = await open(port);
  // The acknowledgement of the PING shows that all before it was read.
  socket.write(Buffer.concat([START, ...sent, frame(TYPES.ping, 0, 0, Buffer.alloc(8))]));
  const has = (wanted: number) => frames().find(({ type }) => type === wanted);
  while (!socket.destroyed && !socket.readableEnded && !has(TYPES.ping)) await sleep(2);
  socket.destroy();
  const [end, reset] = [has(goaway), has(TYPES.reset)];
  if (end) {
    assert.match(end.payload.toString('latin1', 8), /^[ -~]{4,}$/, 'the GOAWAY says why');
    return { connection: end.payload.readUInt32BE(4) };
  }
  return reset ? { stream: reset.payload.readUInt32BE() } : undefined;
}

test('frames that break the rules end their connection or their stream, with the code of RFC 9113', async (t) => {
  const { httpsPort, askSecurely } = await startSecureEdge(t);
  const { NGHTTP2_PROTOCOL_ERROR: protocol, NGHTTP2_FRAME_SIZE_ERROR: size } = constants;
  const { NGHTTP2_FLOW_CONTROL_ERROR: flow, NGHTTP2_STREAM_CLOSED: closed } = constants;
  const { NGHTTP2_COMPRESSION_ERROR: compression, NGHTTP2_ENHANCE_YOUR_CALM: calm } = constants;
  const headers = (...more: Buffer[]) => frame(TYPES.headers, 5, 1, Buffer.concat([GET, ...more]));
  const cases: [string, readonly Buffer[], object | undefined][] = [
    ['a request', [ask(1)], undefined],
    ['unknown frames', [frame(99, 0xff, 5, Buffer.alloc(3)), ask(1)], undefined],
    ['DATA of no stream', [frame(TYPES.data, 1, 0)], { connection: protocol }],
    ['DATA of a stream to come', [frame(TYPES.data, 1, 3)], { connection: protocol }],
    ['DATA behind the end', [ask(1), frame(TYPES.data, 1, 1)], { stream: closed }],
    ['HEADERS behind the end', [ask(1), ask(1)], { connection: closed }],
    ['an even stream', [ask(2)], { connection: protocol }],
    ['a stream before the last', [ask(5), ask(3)], { connection: closed }],
    ['an endless frame', [Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, 0])], { connection: size }],
    ['a push', [frame(TYPES.push, 4, 1, Buffer.alloc(4))], { connection: protocol }],
    ['CONTINUATION of nothing', [frame(continuation, 4, 1)], { connection: protocol }],
    [
      'a frame within a header block',
      [frame(TYPES.headers, 1, 1, GET), ask(3)],
      { connection: protocol },
    ],
    [
      'a header block without end',
      [frame(TYPES.headers, 1, 1, GET), ...Array(200).fill(frame(continuation, 0, 1))],
      { connection: calm },
    ],
    [
      'a block that cannot be decoded',
      [frame(TYPES.headers, 5, 1, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff]))],
      { connection: compression },
    ],
    [
      'padding alone',
      [frame(TYPES.headers, 13, 1, Buffer.from([9, 0x82]))],
      { connection: protocol },
    ],
    ['a window of nothing', [frame(windowUpdate, 0, 0, number(0))], { connection: protocol }],
    ['too large a window', [frame(windowUpdate, 0, 0, number(2 ** 31 - 1))], { connection: flow }],
    ['a cut WINDOW_UPDATE', [frame(windowUpdate, 0, 0, Buffer.alloc(3))], { connection: size }],
    ['a cut reset', [ask(1), frame(TYPES.reset, 0, 1, Buffer.alloc(3))], { connection: size }],
    [
      'a reset of a stream to come',
      [frame(TYPES.reset, 0, 1, number(8))],
      { connection: protocol },
    ],
    ['cut SETTINGS', [frame(TYPES.settings, 0, 0, Buffer.alloc(5))], { connection: size }],
    ['SETTINGS of a stream', [frame(TYPES.settings, 0, 1)], { connection: protocol }],
    [
      'an acknowledgement with settings',
      [frame(TYPES.settings, 1, 0, Buffer.alloc(6))],
      { connection: size },
    ],
    [
      'push switched to 2',
      [frame(TYPES.settings, 0, 0, Buffer.from([0, 2, 0, 0, 0, 2]))],
      { connection: protocol },
    ],
    [
      'a window setting too large',
      [frame(TYPES.settings, 0, 0, Buffer.from([0, 4, 0x80, 0, 0, 0]))],
      { connection: flow },
    ],
    [
      'frames of 1 byte',
      [frame(TYPES.settings, 0, 0, Buffer.from([0, 5, 0, 0, 0, 1]))],
      { connection: protocol },
    ],
    ['a cut PING', [frame(TYPES.ping, 0, 0, Buffer.alloc(7))], { connection: size }],
    ['PING of a stream', [frame(TYPES.ping, 0, 1, Buffer.alloc(8))], { connection: protocol }],
    ['GOAWAY of a stream', [frame(goaway, 0, 1, Buffer.alloc(8))], { connection: protocol }],
    ['a header in upper case', [headers(literal('X-A', 'b'))], { stream: protocol }],
    ['a header of a connection', [headers(literal('connection', 'close'))], { stream: protocol }],
    ['TE', [headers(literal('te', 'gzip'))], { stream: protocol }],
    ['a value with a line break', [headers(literal('a', 'b\nc'))], { stream: protocol }],
    ['a second path', [headers(literal(':path', '/x'))], { stream: protocol }],
    [
      'a pseudo-header behind others',
      [frame(TYPES.headers, 5, 1, Buffer.concat([literal('a', 'b'), GET]))],
      { stream: protocol },
    ],
    ['an unknown pseudo-header', [headers(literal(':a', 'b'))], { stream: protocol }],
    ['no path', [frame(TYPES.headers, 5, 1, Buffer.from([0x82, 0x87]))], { stream: protocol }],
    ...['https://a.test/', 'index.html', ''].map((path): [string, Buffer[], object] => [
      `the path ${path}`,
      [
        frame(
          TYPES.headers,
          5,
          1,
          Buffer.concat([GET.subarray(0, 2), literal(':path', path), GET.subarray(3)]),
        ),
      ],
      { stream: protocol },
    ]),
    [
      'two hosts',
      [headers(literal('host', 'a.test'), literal('host', 'b.test'))],
      { stream: protocol },
    ],
    ['a length and no body', [headers(literal('content-length', '1'))], { stream: protocol }],
    [
      'headers that are too long, again and again',
      Array.from({ length: 300 }, (_, at) =>
        frame(TYPES.headers, 5, 2 * at + 1, at === 0 ? FIRST : LONG),
      ),
      { connection: calm },
    ],
    [
      'headers of a stream that was reset, again and again',
      [frame(TYPES.headers, 4, 1, POST), ...Array(1_100).fill(frame(TYPES.headers, 5, 1, POST))],
      { connection: calm },
    ],
    ['a body without an end', [frame(TYPES.headers, 4, 1, POST)], { stream: 0 }],
  ];
  for (const [what, sent, wanted] of cases) {
    assert.deepEqual(await verdictOf(httpsPort, ...sent), wanted, what);
  }
  assert.equal((await askSecurely('/')).status, 200);
});

test('what may come in pieces comes in pieces: headers, frames, and both', async (t) => {
  const { httpsPort } = await startSecureEdge(t);
  const { socket, frames } = await open(httpsPort);
  const padded = Buffer.concat([Buffer.from([3, 0, 0, 0, 0, 7]), GET, Buffer.alloc(3)]);
  const bytes = Buffer.concat([
    ...[START, frame(TYPES.headers, 1, 1, GET.subarray(0, 2))],
    ...[frame(continuation, 0, 1, GET.subarray(2, 5)), frame(continuation, 4, 1, GET.subarray(5))],
    // Padding and a priority in front.
    frame(TYPES.headers, 5 | 8 | 32, 3, padded),
  ]);
  for (const byte of bytes) {
    socket.write(Buffer.from([byte]));
    await new Promise(setImmediate);
  }
  const ended = () =>
    frames()
      .filter(({ type }) => type === TYPES.data)
      .map(({ stream }) => stream);
  while (ended().length < 2) await sleep(2);
  assert.deepEqual(ended(), [1, 3]);
  socket.destroy();
});

test('windows are kept to, for a stream and for the connection', async (t) => {
  const { httpsPort } = await startSecureEdge(t);
  const { socket, frames } = await open(httpsPort);
  const path = Buffer.concat([
    Buffer.from([0x82, 0x87]),
    literal(':path', '/large.bin'),
    literal(':authority', 'a.test'),
  ]);
  const large = (stream: number) => frame(TYPES.headers, 5, stream, path);
  const received = (stream: number) =>
    frames().reduce(
      (sum, { type, stream: of, payload }) =>
        sum + (type === 0 && of === stream ? payload.length : 0),
      0,
    );
  const settled = async () => {
    const count = () => frames().filter(({ type }) => type === TYPES.ping).length;
    const before = count();
    // What may be sent is sent in the turn in which it is asked for.
    for (let pings = 1; pings <= 3; pings++) {
      socket.write(frame(TYPES.ping, 0, 0, Buffer.alloc(8)));
      while (count() < before + pings) await sleep(2);
    }
  };
  socket.write(
    Buffer.concat([
      START,
      frame(TYPES.settings, 0, 0, Buffer.from([0, 4, 0, 0, 0, 100])),
      large(1),
    ]),
  );
  while (received(1) < 100) await sleep(2);
  await settled();
  assert.equal(received(1), 100);
  socket.write(frame(windowUpdate, 0, 1, number(1_000)));
  await settled();
  assert.equal(received(1), 1_100);
  socket.write(frame(TYPES.settings, 0, 0, Buffer.from([0, 4, 0x7f, 0, 0, 0])));
  await settled();
  assert.equal(received(1), 65_535, 'that is the window of the connection');
  socket.write(large(3));
  await settled();
  assert.equal(received(3), 0);
  socket.write(frame(windowUpdate, 0, 0, number(1_000_000)));
  while (received(1) + received(3) < 1_065_535) await sleep(2);
  await settled();
  assert.equal(received(1) + received(3), 1_065_535);
  assert.ok(received(3) > 300_000, 'streams take turns');
  socket.destroy();
});

test('an edge that closes answers streams that cross its word, and says afterwards which was the last', async (t) => {
  const { httpsPort, close } = await startSecureEdge(t);
  const { socket, frames } = await open(httpsPort);
  const answers = () => frames().filter(({ type }) => type === TYPES.data).length;
  const words = () =>
    frames()
      .filter(({ type }) => type === goaway)
      .map(({ payload }) => [payload.readUInt32BE(0), payload.readUInt32BE(4)]);
  socket.write(Buffer.concat([START, ask(1)]));
  while (answers() < 1) await sleep(2);
  // Until the last word: however slow the machine is, the second stream comes before it.
  const held = holdTimers(t, [1_000]);
  const ended = close({ gracePeriodMs: 10_000 });
  while (words().length < 1) await sleep(2);
  socket.write(ask(3));
  while (answers() < 2) await sleep(2);
  assert.ok(held.length > 0);
  for (const timer of [...held]) timer.end();
  await once(socket, 'end');
  assert.deepEqual(words(), [
    [2 ** 31 - 1, 0],
    [3, 0],
  ]);
  await ended;
});

/** Frames that may be right, or nearly, in any order. */
const anyFrame = fc
  .record({
    type: fc.oneof(fc.integer({ min: 0, max: 10 }), fc.constant(TYPES.headers)),
    flags: fc.constantFrom(0, 1, 4, 5, 8, 13, 32, 37, 255),
    stream: fc.constantFrom(0, 1, 1, 3, 3, 5, 7, 2, 2 ** 31 - 1),
    payload: fc.oneof(
      fc.constantFrom(GET, POST, number(1), number(2 ** 31 - 1), Buffer.alloc(8), Buffer.alloc(0)),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(
        Buffer.alloc(16_384),
        Buffer.from([0, 4, 0, 0, 0, 0]),
        Buffer.from([0, 1, 0, 0, 0, 0]),
      ),
    ),
  })
  .map(({ type, flags, stream, payload }) => frame(type, flags, stream, payload));

test('whatever frames come, in whatever pieces, the edge serves others, and nothing stays behind', async (t) => {
  const { httpsPort, askSecurely } = await startSecureEdge(t);
  const taken = takenConnections(t);
  const sockets: TLSSocket[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyFrame, { maxLength: 30 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 400 }),
      async (frames, reads, piece) => {
        const socket = await handshake(httpsPort, { ALPNProtocols: ['h2'] });
        sockets.push(socket);
        if (reads) socket.resume();
        const bytes = Buffer.concat([START, ...frames]);
        const end = Math.min(bytes.length, 8 * piece);
        for (let at = 0; at < end; at += piece) socket.write(bytes.subarray(at, at + piece));
        socket.end(bytes.subarray(end));
        await closed(socket.resume());
      },
    ),
    { numRuns: 150 },
  );
  assert.equal((await askSecurely('/')).status, 200);
  while (taken.size > 0) await sleep(5);
});
