import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { encodeHeaders } from '../../../server/src/edge/http2/hpack/encode.ts';
import type { ServerStream } from '../../../server/src/edge/http2/stream.ts';
import { frame } from '../tls/support/frames.ts';
import { connect } from './support/bare-connection.ts';

const TYPES = { data: 0, headers: 1, reset: 3, settings: 4 };

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

test("a mistake of the server's own ends the connection that met it, and is reported", async () => {
  const mistake = new Error('of ours');
  const atRequest = connect(() => {
    throw mistake;
  });
  const atWrite = connect((asked, connection) => {
    // More than one frame, so that it is written later.
    connection.respond(asked, encodeHeaders([':status', '200']), Buffer.alloc(20_000));
    Object.defineProperty(asked, 'sendWindow', {
      get: () => {
        throw mistake;
      },
    });
  });
  for (const { client, socket, faults } of [atRequest, atWrite]) {
    const closed = once(socket, 'close');
    client.write(frame(TYPES.headers, 5, 1, POST));
    await closed;
    client.destroy();
    assert.deepEqual(faults, [mistake]);
  }
});
