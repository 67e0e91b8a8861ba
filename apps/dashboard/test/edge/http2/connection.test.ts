import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectGarbage } from '@petstore/service/collect-garbage.ts';
import { encodeHeaders } from '../../../server/src/edge/http2/hpack/encode.ts';
import type { ServerStream } from '../../../server/src/edge/http2/stream.ts';
import { frame } from '../tls/support/frames.ts';
import { connect } from './support/bare-connection.ts';

const TYPES = { data: 0, headers: 1, reset: 3, settings: 4, windowUpdate: 8 };

const LARGE = Buffer.alloc(200_000);

const POST = encodeHeaders([
  ...[':method', 'POST', ':scheme', 'https', ':path', '/', ':authority', 'a.test'],
]);

const windowOf = (bytes: number) => {
  const payload = Buffer.from([0, 4, 0, 0, 0, 0]);
  payload.writeUInt32BE(bytes, 2);
  return frame(TYPES.settings, 0, 0, payload);
};

test('a body may end while its window is below zero: its end needs none', async () => {
  let stream: ServerStream | undefined;
  const { client, turn, frames } = connect((asked, connection) => {
    stream = asked;
    connection.respond(asked, encodeHeaders([':status', '200']), Buffer.alloc(0), true);
  });
  client.write(frame(TYPES.headers, 5, 1, POST));
  await turn();
  assert.ok(stream);
  const sent = stream.sendPart(Buffer.alloc(1_000));
  await turn();
  await sent;
  client.write(windowOf(0));
  await turn();
  assert.equal(stream.sendWindow, -1_000);
  stream.endParts();
  await turn();
  const data = frames().filter(({ type }) => type === TYPES.data);
  assert.deepEqual(
    data.map(({ payload }) => payload.length),
    [1_000, 0],
  );
  assert.ok(stream.isClosed);
  client.destroy();
});

function memory(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

test('a body takes as much memory as it has bytes, in however small pieces it comes', async () => {
  let stream: ServerStream | undefined;
  const { client, turn } = connect((asked) => {
    stream = asked;
  });
  client.write(frame(TYPES.headers, 4, 1, POST));
  await turn();
  assert.ok(stream);
  const send = async (bytes: number) => {
    const piece = frame(TYPES.data, 0, 1, Buffer.from('x'));
    for (let at = 0; at < bytes; at += 1_000) {
      client.write(Buffer.concat(Array.from({ length: 1_000 }, () => piece)));
      await turn();
    }
  };
  const before = memory();
  await send(60_000);
  const unread = memory() - before;
  assert.ok(unread < 2_000_000, `${unread} bytes that nobody has read`);
  const body = stream.readBody(1_000_000);
  await send(140_000);
  const read = memory() - before;
  assert.ok(read < 3_000_000, `${read} bytes`);
  client.write(frame(TYPES.data, 1, 1));
  assert.deepEqual(await body, Buffer.alloc(200_000, 'x'));
  client.destroy();
});

test('of a body whose client has left, nothing counts as all of it', async () => {
  let stream: ServerStream | undefined;
  const { client, turn } = connect((asked) => {
    stream = asked;
  });
  const bytes = Buffer.from('abc');
  const reset = frame(TYPES.reset, 0, 1, Buffer.from([0, 0, 0, 8]));
  client.write(frame(TYPES.headers, 4, 1, POST));
  client.write(Buffer.concat([frame(TYPES.data, 1, 1, bytes), reset]));
  await turn();
  assert.equal(await stream?.readBody(100), undefined);
  client.destroy();
});

test('what a client does not take is bounded in memory, in however small frames it wants it', async () => {
  const { client, turn } = connect((stream, connection) => {
    connection.respond(stream, encodeHeaders([':status', '200']), LARGE);
  });
  client.pause();
  const streams = Array.from({ length: 100 }, (_, at) => 2 * at + 1);
  client.write(windowOf(0));
  client.write(Buffer.concat(streams.map((stream) => frame(TYPES.headers, 5, stream, POST))));
  await turn();
  const before = memory();
  const one = Buffer.from([0, 0, 0, 1]);
  const updates = Buffer.concat(streams.map((stream) => frame(TYPES.windowUpdate, 0, stream, one)));
  // Until the server reads no more.
  while (client.writableLength < 200_000) {
    client.write(updates);
    await turn();
  }
  const held = memory() - before;
  assert.ok(held < 3_500_000, `${held} bytes`);
  client.destroy();
});
