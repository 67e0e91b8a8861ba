import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectGarbage } from '@petstore/service/collect-garbage.ts';
import { runAlone } from '@petstore/test-support/clean-up.ts';
import { HeaderDecoder } from '../../../server/src/edge/http2/hpack/decode.ts';
import { encodeHeaders } from '../../../server/src/edge/http2/hpack/encode.ts';
import type { ServerStream } from '../../../server/src/edge/http2/stream.ts';
import { frame } from '../tls/support/frames.ts';
import { connect } from './support/bare-connection.ts';

// Other tests leave garbage behind.
runAlone();

const TYPES = { data: 0, headers: 1, settings: 4, windowUpdate: 8 };

const LARGE = Buffer.alloc(200_000);

const POST = encodeHeaders([
  ...[':method', 'POST', ':scheme', 'https', ':path', '/', ':authority', 'a.test'],
]);

const windowOf = (bytes: number) => {
  const payload = Buffer.from([0, 4, 0, 0, 0, 0]);
  payload.writeUInt32BE(bytes, 2);
  return frame(TYPES.settings, 0, 0, payload);
};

/** Bytes in use. The memory of buffers is given back some time after they are collected. */
async function memory(): Promise<number> {
  for (let time = 0; time < 3; time++) {
    collectGarbage();
    await sleep(10);
  }
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
  const before = await memory();
  await send(60_000);
  const unread = (await memory()) - before;
  assert.ok(unread < 4_000_000, `${unread} bytes that nobody has read`);
  const body = stream.readBody(1_000_000);
  await send(140_000);
  const read = (await memory()) - before;
  assert.ok(read < 8_000_000, `${read} bytes`);
  client.write(frame(TYPES.data, 1, 1));
  assert.deepEqual(await body, Buffer.alloc(200_000, 'x'));
  client.destroy();
});

test('what clients do not take is bounded in memory, in however small frames they want it', async () => {
  const streams = Array.from({ length: 100 }, (_, at) => 2 * at + 1);
  const one = Buffer.from([0, 0, 0, 1]);
  const updates = Buffer.concat(streams.map((stream) => frame(TYPES.windowUpdate, 0, stream, one)));
  const before = await memory();
  const clients = Array.from({ length: 5 }, () =>
    connect((stream, connection) => {
      connection.respond(stream, encodeHeaders([':status', '200']), LARGE);
    }),
  );
  for (const { client, turn } of clients) {
    client.pause();
    client.write(windowOf(0));
    client.write(Buffer.concat(streams.map((stream) => frame(TYPES.headers, 5, stream, POST))));
    // Until the server reads no more.
    while (client.writableLength < 200_000) {
      client.write(updates);
      await turn();
    }
  }
  const held = ((await memory()) - before) / clients.length;
  assert.ok(held < 3_500_000, `${held} bytes for each`);
  for (const { client } of clients) client.destroy();
});

test('a table holds no more than it may, whatever went through it', async () => {
  const [field, value] = [Buffer.from([0x40, 1, 0x61, 0x7f, 0xa1, 0x1e]), Buffer.alloc(4_000, 'x')];
  const before = await memory();
  const decoders = Array.from({ length: 40 }, () => {
    const decoder = new HeaderDecoder();
    for (let at = 0; at < 250; at++) {
      assert.equal(decoder.decode(Buffer.concat([field, value]), 16_384)?.length, 2);
    }
    return decoder;
  });
  const held = ((await memory()) - before) / decoders.length;
  // 4 kB of its table, and what else happens in this process.
  assert.ok(held < 20_000, `${held} bytes each`);
});
