import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { resetConnection } from '@petstore/http/reset-connection.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { parseResponses } from '@petstore/test-support/raw-http.ts';
import { assertError } from '../support/assert-error.ts';
import { startWithSandbox } from '../support/sandbox.ts';
import { startService } from '../support/service.ts';
import { isWhole, receive } from '../support/wire.ts';

const FAULT = { 'petstore-fault': 'status=503' };

test('with any other key the header is a 400 that says so, on reads and writes, and nothing is done', async (t) => {
  const { call, get, post, origin, inSandbox } = await startWithSandbox(t);
  const message = /^Petstore-Fault is for the keys of sandboxes, which begin with pk_sand_/;
  assert.equal((await get('/pets')).status, 200, 'the key is known from here on');
  for (const fault of ['status=503', 'nonsense', '']) {
    const headers = { 'petstore-fault': fault };
    await assertError(await call('/pets', { headers }), 'invalid_request', message);
    await assertError(await call('/pets/1', { headers }), 'invalid_request', message);
    const body = '{"name":"Rex","categoryId":1}';
    await assertError(await post('/pets', body, headers), 'invalid_request', message);
  }
  assert.deepEqual(await (await get('/pets')).json(), []);
  await assertError(await fetch(`${origin}/v1/pets`, { headers: FAULT }), 'unauthorized');
  assert.equal((await fetch(`${origin}/v1/openapi.json`, { headers: FAULT })).status, 200);
  await assertError(await call('/nothing', { headers: FAULT }), 'not_found');
  await assertError(
    await inSandbox('/pets', { fault: 'status=200' }),
    'invalid_request',
    /^Petstore-Fault: status=200 is not right/,
  );
  for (const [method, path] of [
    ['GET', '/faults'],
    ['DELETE', '/faults'],
    ['POST', '/sandbox/reset'],
  ] as const) {
    const response = await inSandbox(path, { method, fault: 'status=503' });
    assert.ok(response.ok, 'what looks after a sandbox never fails on request');
  }
});

test('where faults are not offered the header is as any unknown one', async (t) => {
  for (const config of [
    { stability: 'stable' },
    { stability: 'beta' },
    { sandboxes: 'off' },
  ] as const) {
    const { call, origin } = await startService(t, { config });
    assert.equal((await call('/pets', { headers: FAULT })).status, 200);
    await assertError(await call('/faults'), 'not_found', /^Nothing is at this path/);
    const text = await (await fetch(`${origin}/v1/openapi.json`)).text();
    assert.doesNotMatch(text, /petstore-fault|listFaults/i);
  }
});

test('pipelined requests keep their order, and those behind the end of a connection are not done', async (t) => {
  const { port, sandboxKey, inSandbox } = await startWithSandbox(t);
  const request = (fault: string, method = 'GET', path = '/pets/1', body = '') =>
    `${method} /v1${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${sandboxKey}\r\n` +
    `Petstore-Fault: ${fault}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`;
  const create = (fault: string) =>
    request(fault, 'POST', '/pets', '{"name":"Rex","categoryId":1}');
  const many = (count: number) => (text: string) =>
    text.split('HTTP/1.1 ').length > count && isWhole(text.slice(text.lastIndexOf('HTTP/1.1 ')));
  const slowFirst = request('latency=50ms') + request('status=503') + request('slow=1ms');
  const inOrder = parseResponses((await receive(port, slowFirst, many(3))).text);
  assert.deepEqual(
    inOrder.map(({ status, headers }) => [status, headers['petstore-fault-applied']]),
    [
      [200, 'latency=50;when=before'],
      [503, 'status=503;when=before'],
      [200, 'slow=1'],
    ],
  );
  for (const fault of ['cut=3', 'duplicate', 'length=-3', 'reset=after', 'reset']) {
    const before = ((await (await inSandbox('/pets')).json()) as []).length;
    const { text, ending } = await receive(port, create(fault) + create('cut;rate=0'), () => false);
    assert.ok(['end', 'reset'].includes(ending));
    assert.equal(
      text.split('HTTP/1.1 ').length - 1,
      { duplicate: 2, reset: 0 }[fault] ?? (fault === 'reset=after' ? 0 : 1),
      fault,
    );
    const after = ((await (await inSandbox('/pets')).json()) as []).length;
    assert.equal(after, before + (fault === 'reset' ? 0 : 1), `${fault}: the second was not done`);
  }
  const reads = await receive(
    port,
    request('duplicate') + request('slow=1ms') + request('cut'),
    () => false,
  );
  assert.ok(reads.text.split('HTTP/1.1 ').length - 1 >= 2, 'the duplicate came');
  const after = await inSandbox('/pets');
  assert.equal(after.status, 200, 'the service goes on');
});

test('a browser may send the header and read what was applied', async (t) => {
  const origin = 'https://app.example.com';
  const service = await startWithSandbox(t, { config: { corsOrigins: [origin] } });
  const preflight = await fetch(`${service.origin}/v1/pets`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'GET' },
  });
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Petstore-Fault/);
  for (const fault of ['status=503', 'malformed', 'status=418;when=after', 'clock=1h']) {
    const { headers } = await service.inSandbox('/pets', { fault, headers: { origin } });
    assert.equal(headers.get('access-control-allow-origin'), origin, fault);
    assert.match(headers.get('access-control-expose-headers') ?? '', /Petstore-Fault-Applied/);
    assert.equal(headers.get('vary'), 'Origin');
    assert.ok(headers.get('petstore-fault-applied'));
    assert.ok(headers.get('x-request-id'));
  }
});

test('few requests of a sandbox wait at a time, and none once the service stops', async (t) => {
  const { inSandbox, call, app } = await startWithSandbox(t);
  const waiting = Array.from({ length: 20 }, () => inSandbox('/pets', { fault: 'latency=30s' }));
  const settled = waiting.map((response) => response.then(({ status }) => status));
  // The 21st is refused once the others have arrived; until then it waits a little itself.
  let refused = await inSandbox('/pets', { fault: 'latency=1ms' });
  while (refused.status === 200) refused = await inSandbox('/pets', { fault: 'latency=1ms' });
  await assertError(
    refused,
    'unavailable',
    /^Too many requests wait for their faults\. At most 20/,
  );
  assert.equal((await inSandbox('/pets')).status, 200, 'what does not wait is served');
  assert.equal((await call('/pets')).status, 200);
  const startedAt = performance.now();
  await app.close();
  assert.deepEqual(new Set(await Promise.all(settled)), new Set([200]));
  assert.ok(performance.now() - startedAt < 20_000, 'nobody waited for the end of the latency');
});

test('a client that leaves while it waits is forgotten, and its place is free', async (t) => {
  const { port, sandboxKey, inSandbox } = await startWithSandbox(t);
  const bytes =
    `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${sandboxKey}\r\n` +
    'Petstore-Fault: slow=1s\r\n\r\n';
  for (let round = 0; round < 3; round++) {
    await Promise.all(
      Array.from({ length: 15 }, () => receive(port, bytes, (text) => text.includes('\r\n\r\n'))),
    );
  }
  let response = await inSandbox('/pets', { fault: 'latency=1ms' });
  while (response.status === 503) response = await inSandbox('/pets', { fault: 'latency=1ms' });
  assert.equal(response.status, 200);
});

test('clients that leave at any moment, also with requests sent ahead, leave no place taken', async (t) => {
  const { port, sandboxKey, inSandbox } = await startWithSandbox(t);
  const bytes = (fault: string) =>
    `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${sandboxKey}\r\n` +
    `Petstore-Fault: ${fault}\r\n\r\n`;
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  cleanUp(t, () => process.off('warning', note));
  // To count the request of a fault that is drawn takes time, in which a client may leave.
  for (let round = 0; round < 10; round++) {
    await Promise.all(
      Array.from({ length: 10 }, async (_, at) => {
        const socket = connect(port, '127.0.0.1').on('error', () => {});
        await once(socket, 'connect');
        socket.write(bytes('latency=30s;rate=0.999'));
        await sleep(at / 2);
        resetConnection(socket);
      }),
    );
  }
  const isFree = async () => {
    const all = Array.from({ length: 20 }, () => inSandbox('/pets', { fault: 'latency=50ms' }));
    return (await Promise.all(all)).every(({ status }) => status === 200);
  };
  // Until they have arrived, and taken all places.
  for (let isTaken = false; !isTaken; ) {
    const ahead = connect(port, '127.0.0.1').on('error', () => {});
    ahead.write(bytes('latency=30s').repeat(20));
    await sleep(50);
    isTaken = (await inSandbox('/pets', { fault: 'latency=1ms' })).status === 503;
    ahead.destroy();
  }
  for (let tries = 0; !(await isFree()); tries++) {
    assert.ok(tries < 100, 'places are still taken by those who left');
  }
  assert.deepEqual(warnings, []);
});

test('a stream of events takes no place of those who wait', async (t) => {
  const { inSandbox } = await startWithSandbox(t);
  const headers = { accept: 'text/event-stream' };
  for (let count = 0; count < 20; count++) {
    const stream = await inSandbox('/events', { fault: 'latency=1ms', headers });
    assert.equal(stream.headers.get('petstore-fault-applied'), 'latency=1;when=before');
    cleanUp(t, () => stream.body?.cancel());
  }
  assert.equal((await inSandbox('/pets', { fault: 'latency=1ms' })).status, 200);
});

test('HEAD and 304 end once, with the faults that need no body', async (t) => {
  const { inSandbox } = await startWithSandbox(t);
  const etag = (await inSandbox('/pets')).headers.get('etag') ?? '';
  const notModified = { headers: { 'if-none-match': etag } };
  const rows: [fault: string, init: RequestInit, status: number, applied: string | null][] = [
    ['latency=1ms;when=after', { method: 'HEAD' }, 200, 'latency=1;when=after'],
    ['latency=1ms;when=after', notModified, 304, 'latency=1;when=after'],
    ['cut, slow, duplicate', { method: 'HEAD' }, 200, null],
    ['cut, slow, length=5, drift=all', notModified, 304, null],
    ['type, clock=1h', { method: 'HEAD' }, 200, 'type=text/html, clock=3600000'],
    ['type, clock=1h', notModified, 304, 'clock=3600000'],
    ['status=503;when=after', { method: 'HEAD' }, 503, 'status=503;when=after'],
    ['status=503;when=after', notModified, 503, 'status=503;when=after'],
  ];
  for (const [fault, init, status, applied] of rows) {
    const response = await inSandbox('/pets', { fault, ...init });
    const seen = [response.status, response.headers.get('petstore-fault-applied')];
    assert.deepEqual(seen, [status, applied], `${fault} ${JSON.stringify(init)}`);
    assert.ok(init.method !== 'HEAD' || (await response.text()) === '');
  }
});
