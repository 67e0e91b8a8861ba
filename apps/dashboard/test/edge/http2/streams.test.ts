import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import type { Duplex } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Http2Connection } from '../../../server/src/edge/http2/connection.ts';
import { encodeHeaders } from '../../../server/src/edge/http2/hpack/encode.ts';
import type { ServerStream } from '../../../server/src/edge/http2/stream.ts';
import { frame } from '../tls/support/frames.ts';
import { connect } from './support/bare-connection.ts';

const TYPES = { data: 0, headers: 1, reset: 3, settings: 4, goaway: 7, windowUpdate: 8 };
const END = 1;
const WINDOW = 65_535;

const REQUEST = encodeHeaders([
  ...[':method', 'POST', ':scheme', 'https', ':path', '/', ':authority', 'a.test'],
]);
const OK = encodeHeaders([':status', '200']);

const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const turns = async (count: number) => {
  for (let at = 0; at < count; at++) await new Promise(setImmediate);
};

/** So many bytes, whole or in parts, with so many turns of the event loop in front of each and of the end. */
interface Answer {
  readonly bytes: number;
  readonly parts: number;
  readonly wait: number;
  readonly readsBody: boolean;
}
const anyAnswer: fc.Arbitrary<Answer> = fc.record({
  bytes: fc.oneof(fc.nat(3_000), fc.nat(100_000)),
  parts: fc.nat(3),
  wait: fc.nat(3),
  readsBody: fc.boolean(),
});

async function answer(
  connection: Http2Connection,
  stream: ServerStream,
  { bytes, parts, wait, readsBody }: Answer,
): Promise<void> {
  await turns(wait);
  if (readsBody) await stream.readBody(50_000);
  if (parts === 0) {
    connection.respond(stream, OK, Buffer.alloc(bytes));
    return;
  }
  connection.respond(stream, OK, Buffer.alloc(0), true);
  for (let part = 0; part < parts; part++) {
    await stream.sendPart(Buffer.alloc(bytes));
    await turns(wait);
  }
  stream.endParts();
}

interface Step {
  readonly what: string;
  readonly at: number;
  readonly size: number;
  readonly wait: number;
}
const anyStep: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom('ask', 'ask', 'send', 'send', 'take', 'shrink', 'reset'),
  at: fc.nat(20),
  size: fc.nat(16_384),
  wait: fc.nat(3),
});

/** A client that keeps the rules, and sees whether the server does. */
class Client {
  readonly #socket: Duplex;
  #rest = Buffer.alloc(0);
  /** What the server may send, on the connection, and what it has sent since it was told. */
  #window = WINDOW;
  readonly #owed = new Map<number, number>([[0, 0]]);
  /** What may be sent: 0 is the connection. */
  readonly windows = new Map<number, number>([[0, WINDOW]]);
  readonly received = new Map<number, number>();
  readonly open = new Set<number>();
  readonly ended = new Set<number>();
  readonly reset = new Set<number>();

  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
  }

  #read(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const end = this.#rest.length < 9 ? Infinity : 9 + this.#rest.readUIntBE(0, 3);
      if (end > this.#rest.length) return;
      const [type, flags] = [this.#rest[3] as number, this.#rest[4] as number];
      this.#frame(type, flags, this.#rest.readUInt32BE(5), this.#rest.subarray(9, end));
      this.#rest = this.#rest.subarray(end);
    }
  }

  #frame(type: number, flags: number, id: number, payload: Buffer): void {
    assert.notEqual(type, TYPES.goaway, 'nothing was wrong');
    if (type === TYPES.data) {
      assert.ok(!this.ended.has(id), 'nothing follows the end');
      this.#window -= payload.length;
      assert.ok(this.#window >= 0, 'the window of the connection is kept to');
      for (const key of [0, id]) this.#owed.set(key, (this.#owed.get(key) ?? 0) + payload.length);
      this.received.set(id, (this.received.get(id) ?? 0) + payload.length);
    }
    if ((type === TYPES.data || type === TYPES.headers) && flags & END) this.ended.add(id);
    if (type === TYPES.reset) this.reset.add(id);
    if (type === TYPES.windowUpdate) {
      this.windows.set(id, (this.windows.get(id) ?? WINDOW) + payload.readUInt32BE());
    }
  }

  ask(): void {
    const id = 2 * this.open.size + 1;
    this.open.add(id);
    this.#socket.write(frame(TYPES.headers, 4, id, REQUEST));
  }

  send(id: number, size: number, flags = 0): void {
    const room = Math.min(size, this.windows.get(0) ?? 0, this.windows.get(id) ?? WINDOW);
    if (this.reset.has(id)) return;
    this.#socket.write(frame(TYPES.data, flags, id, Buffer.alloc(room)));
    for (const key of [0, id]) this.windows.set(key, (this.windows.get(key) ?? WINDOW) - room);
  }

  /** Makes room for as much as came. */
  take(): void {
    for (const [id, bytes] of this.#owed) {
      if (bytes === 0 || this.ended.has(id) || this.reset.has(id)) continue;
      this.#socket.write(frame(TYPES.windowUpdate, 0, id, number(bytes)));
      if (id === 0) this.#window += bytes;
      this.#owed.set(id, 0);
    }
  }

  /** The window of each stream, from its start on. */
  setWindow(size: number): void {
    this.#socket.write(
      frame(TYPES.settings, 0, 0, Buffer.concat([Buffer.from([0, 4]), number(size)])),
    );
  }

  end(id: number): void {
    this.reset.add(id);
    this.#socket.write(frame(TYPES.reset, 0, id, number(8)));
  }

  async go({ what, at, size, wait }: Step): Promise<void> {
    const id = 2 * (at % Math.max(1, this.open.size)) + 1;
    if (what === 'ask') this.ask();
    if (what === 'take') this.take();
    if (what === 'shrink') this.setWindow(size % 3 === 0 ? 0 : size);
    if (what === 'send' && this.open.has(id)) this.send(id, size);
    if (what === 'reset' && this.open.has(id)) this.end(id);
    await turns(wait);
  }
}

test('a client that keeps the rules has each response whole, whatever becomes of windows and of other streams', async () => {
  const property = fc.asyncProperty(
    fc.array(anyStep, { minLength: 5, maxLength: 40 }),
    fc.array(anyAnswer, { minLength: 1, maxLength: 8 }),
    async (steps, answers) => {
      const streams: ServerStream[] = [];
      const answerOf = (id: number) => answers[id % answers.length] as Answer;
      const closed: number[] = [];
      const { client: socket } = connect((stream, connection) => {
        streams.push(stream);
        stream.onClose(() => closed.push(stream.id));
        void answer(connection, stream, answerOf(stream.id));
      });
      const client = new Client(socket);
      for (const step of steps) await client.go(step);

      client.setWindow(WINDOW);
      const left = () => [...client.open].filter((id) => !client.ended.has(id));
      const resetByClient = new Set(client.reset);
      for (const id of left()) client.send(id, 0, END);
      for (let turn = 0; left().some((id) => !client.reset.has(id)); turn++) {
        assert.ok(turn < 1_000, `streams ${left()} never ended`);
        client.take();
        await turns(1);
      }
      await turns(3);
      for (const { id } of streams) {
        const { bytes, parts } = answerOf(id);
        const wanted = bytes * Math.max(1, parts);
        if (!resetByClient.has(id)) assert.equal(client.received.get(id) ?? 0, wanted);
      }
      const window = client.windows.get(0) ?? 0;
      assert.ok(window > WINDOW / 2 && window <= WINDOW, `${window} bytes may be sent`);
      assert.deepEqual(
        closed.toSorted((a, b) => a - b),
        streams.map(({ id }) => id),
      );
      socket.destroy();
    },
  );
  await fc.assert(property, { numRuns: 300 });
});
