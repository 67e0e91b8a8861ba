import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { apiCaller, NoResponseError } from '../../src/mcp/api-caller.ts';
import { StdioTransport } from '../../src/mcp/stdio-transport.ts';

// Bounds of what an agent can make the command hold in memory.

const request = (id: number) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`;

test('with so many requests that wait nothing more is read, until one has its result', async () => {
  const input = new PassThrough();
  const output = new PassThrough().resume();
  const transport = new StdioTransport(input, output);
  let received = 0;
  const all = new Promise<void>((resolve) => {
    transport.onmessage = () => {
      received++;
      if (received === 32) resolve();
    };
  });
  await transport.start();
  for (let id = 1; id <= 31; id++) input.write(request(id));
  // What needs no result does not wait.
  input.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  await all;
  assert.equal(input.isPaused(), false);
  const read = once(input, 'pause');
  input.write(request(32));
  await read;
  assert.equal(received, 33);
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
  assert.equal(input.isPaused(), false);
  await transport.close();
});

test('of a response no more is read than a tool may give', async (t) => {
  const server = createServer(({ url }, response) =>
    response.end('x'.repeat(Number(url?.slice(4)))),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const callApi = apiCaller({ baseUrl, headers: {} });
  const get = (bytes: number) =>
    callApi(
      { method: 'GET', target: `/${bytes}`, headers: {}, body: undefined },
      new AbortController().signal,
    );
  assert.equal((await get(4_000_000)).body.length, 4_000_000);
  await assert.rejects(
    get(4_000_001),
    (error) => error instanceof NoResponseError && /more than 4000000 bytes/.test(error.message),
  );
});
