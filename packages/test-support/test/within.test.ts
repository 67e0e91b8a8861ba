import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { assertTook, assertWithin, timeUntil } from '@petstore/test-support/within.ts';

test('what takes a hundred thousand times as long as it may is too slow on every machine', async () => {
  await assertTook(9, 10);
  await assert.rejects(
    assertTook(1_000_000, 10, 'the end'),
    /^AssertionError.*: the end took 1\.00e\+6 ms/,
  );
  let measured = 0;
  const measure = () => {
    measured += 1;
    return 1_000_000;
  };
  await assert.rejects(assertWithin(10, measure, 'it'), /each time 10 ms or more/);
  assert.equal(measured, 5);
  await assertWithin(10, () => (measured++ === 7 ? 9 : 1_000_000));
});

test('how long something takes is measured by the real clock, also where a test holds it', async (t) => {
  t.mock.method(performance, 'now', () => 0);
  let looks = 0;
  assert.ok((await timeUntil(async () => ++looks > 2)) > 0);
});

test('a response is read until it is whole, however long the server says nothing in between', async (t) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': 6 });
    response.write('abc');
    setTimeout(() => response.end('def'), 200);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  const both = await exchange(port, get + get, { timeoutMs: 20, responses: 2 });
  assert.deepEqual(
    both.map(({ body }) => body),
    ['abcdef', 'abcdef'],
  );
  const [first, ...more] = await exchange(port, get, { timeoutMs: 20 });
  assert.equal(first?.body, 'abcdef');
  assert.deepEqual(more, []);
});
