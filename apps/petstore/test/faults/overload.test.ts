import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { resetConnection } from '@petstore/http/reset-connection.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { closed } from '@petstore/test-support/closed.ts';
import { holdTimers } from '@petstore/test-support/hold-timers.ts';
import { coverNoPrograms } from '@petstore/test-support/program.ts';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { assertTook, timeUntil } from '@petstore/test-support/within.ts';
import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { ask, databaseIn } from '../support/animals.ts';
import { assertError, assertNotReady } from '../support/assert-error.ts';
import { clockOfThreads } from '../support/clock-of-threads.ts';
import { readMetrics } from '../support/metrics.ts';
import { serve } from '../support/program.ts';
import { startService } from '../support/service.ts';

coverNoPrograms();

const BODY = '{"name":"Rex","categoryId":1}';

/** The service in a process of its own. */
async function startProcess(t: TestContext, env: Record<string, string>) {
  const folder = await temporaryFolder(t);
  const program = await serve(t, folder, env, ['--first-key']);
  const key = /pk_live_\w{38}/.exec(program.output.stdout)?.[0] ?? '';
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const { origin } = program;
  return {
    folder,
    key,
    origin,
    output: program.output,
    port: Number(new URL(origin).port),
    get: (path: string) => fetch(origin + path, { headers }),
    post: () => fetch(`${origin}/v1/pets`, { method: 'POST', headers, body: BODY }),
  };
}

/** The service in this process. */
function start(t: TestContext, env: Record<string, string>, store?: Store) {
  const settings = { PETSTORE_PORT: '0', PETSTORE_MAX_EVENT_LOOP_DELAY_MS: '0', ...env };
  return startService(t, { config: readConfig(settings), ...(store && { store }) });
}

/** A request as it goes over the wire. */
function request(method: string, path: string, key: string, body = ''): string {
  const head = `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
  const length = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `${head}${body && length}\r\n${body}`;
}

/** Keeps every write waiting until it is called. */
function holdWrites(t: TestContext, folder: string): () => void {
  const db = new DatabaseSync(databaseIn(folder), { timeout: 2_000 });
  cleanUp(t, () => db.close());
  db.exec('BEGIN IMMEDIATE');
  return () => db.exec('ROLLBACK');
}

/** The 99th percentile of how long requests take, one after the other on each of some connections. */
async function p99(get: () => Promise<Response>, durationMs: number): Promise<number> {
  const times: number[] = [];
  const end = performance.now() + durationMs;
  const clients = Array.from({ length: 4 }, async () => {
    while (performance.now() < end) {
      const sentAt = performance.now();
      const answer = await get();
      await answer.arrayBuffer();
      assert.equal(answer.status, 200);
      times.push(performance.now() - sentAt);
    }
  });
  await Promise.all(clients);
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}

test('200 clients that send headers and bodies a byte at a time cost the others next to nothing, and end in a 408', async (t) => {
  const { get, key, port } = await startProcess(t, {
    PETSTORE_HEADERS_TIMEOUT_MS: '5000',
    PETSTORE_REQUEST_TIMEOUT_MS: '6000',
  });
  // What else the machine does meets both, so they are asked at the same time.
  const unharmed = await startProcess(t, {});
  const lists = [() => get('/v1/pets'), () => unharmed.get('/v1/pets')];
  const measure = (durationMs: number) =>
    Promise.all(lists.map((list) => p99(list, durationMs))) as Promise<[number, number]>;
  await measure(300);

  const head = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
  const body = `${head}Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n`;
  let hasOneEnded = false;
  let connected = 0;
  const answers = Array.from({ length: 200 }, async (_, i) => {
    const socket = connect(port, '127.0.0.1', () => connected++);
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes;
    });
    socket.write(i % 2 ? `${head}X: ` : body);
    const trickle = setInterval(() => socket.writable && socket.write(' '), 50);
    cleanUp(t, () => clearInterval(trickle));
    await closed(socket);
    hasOneEnded = true;
    clearInterval(trickle);
    return received;
  });
  await timeUntil(async () => connected === 200);
  // Below some milliseconds it is the test's own work that is measured.
  const isBound = ([beside, alone]: [number, number]) => beside <= 2 * Math.max(alone, 5);
  const tries: [number, number][] = [];
  // What a busy machine does is in some of the tries, what the clients cost in each, as long as all are there.
  while (!hasOneEnded && !tries.some(isBound)) {
    const measured = await measure(700);
    if (!hasOneEnded) tries.push(measured);
  }
  assert.ok(tries.some(isBound), `p99 in ms, beside them and without: ${tries.join('; ')}`);
  for (const answer of await Promise.all(answers)) {
    assert.match(answer, /^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
  }
});

test('writes beyond the queue are refused at once, whoever sends them, and reads go on', async (t) => {
  const clock = clockOfThreads(await temporaryFolder(t));
  const { post, folder, key, origin, port, output } = await startProcess(t, {
    PETSTORE_MAX_QUEUED_WRITES: '16',
    ...clock.env,
  });
  assert.equal((await post()).status, 201);
  const release = holdWrites(t, folder);
  // However long all of this takes, the writer waits for the lock: whoever has a response did not wait for the writer.
  await clock.stop();
  const write = request('POST', '/v1/pets', key, BODY);
  // On bare connections: a busy machine takes seconds for a few hundred requests of fetch.
  const onEach = async (connections: number, count: number) => {
    const exchanges = Array.from({ length: connections }, () =>
      exchange(port, write.repeat(count), { timeoutMs: 20, responses: count }),
    );
    return (await Promise.all(exchanges)).flat();
  };
  const accepting = onEach(16, 1);
  const depth = async () => (await readMetrics(origin)).value('petstore_write_queue_depth');
  await timeUntil(async () => (await depth()) === 16);
  const refusedFrom = performance.now();
  const refused = await onEach(8, 25);
  const read = request('GET', '/v1/pets', key) + request('GET', '/readyz', key);
  const [list, readiness] = await exchange(port, read, { timeoutMs: 20, responses: 2 });
  // Not even the key or the body is looked at.
  const strangers = 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n';
  const [stranger] = await exchange(port, strangers, { timeoutMs: 20 });
  assert.equal(await depth(), 16, 'writes wait');
  release();
  await clock.resume();
  const accepted = await accepting;
  assert.equal(refused.length, 200);
  for (const answer of refused) {
    assert.equal(answer.headers['retry-after'], '1');
    await assertError(
      answer,
      'unavailable',
      /^Too many writes wait for the database\. The service is/,
    );
  }
  assert.equal(list?.status, 200);
  await assertNotReady(readiness, 'writeQueue', /^Too many writes wait/);
  assert.equal(stranger?.status, 503);

  const made = accepted.map(({ status }) => status);
  assert.deepEqual(made, Array(16).fill(201));
  assert.equal((await fetch(`${origin}/readyz`)).status, 200);
  assert.equal(ask(folder, 'SELECT count(*) FROM pets'), 17);
  // The log tells once a second how many there were since.
  const turnedAway = () =>
    [...output.stderr.matchAll(/"turnedAway":\{"writeQueue":(\d+)\}/g)].map(([, n]) => Number(n));
  const total = () => turnedAway().reduce((sum, n) => sum + n, 0);
  await timeUntil(async () => total() >= 201);
  const tookMs = performance.now() - refusedFrom;
  assert.equal(total(), 201);
  // Timers count whole milliseconds.
  assert.ok(turnedAway().length * 999 <= tookMs, 'no line for each');
  assert.doesNotMatch(output.stderr, /request failed/, 'no line for each');
});

test('requests beyond those that may be under way are refused; supervisors are answered', async (t) => {
  const store = await openStore('sqlite::memory:');
  let isHeld = Promise.resolve();
  const create: typeof store.pets.create = async (pet) => {
    await isHeld;
    return store.pets.create(pet);
  };
  const { app, get, post, key, origin, port } = await start(
    t,
    { PETSTORE_MAX_REQUESTS_IN_FLIGHT: '4' },
    { ...store, pets: { ...store.pets, create } },
  );
  const readyz = () => fetch(`${origin}/readyz`);
  assert.equal((await post('/pets', BODY)).status, 201);
  let arrived = 0;
  app.server.on('request', () => arrived++);
  /** Sends so many writes ahead, of which the first is held until `release`. */
  const sendAhead = async (count: number) => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    isHeld = promise;
    arrived = 0;
    const accepted = once(app.server, 'connection') as Promise<[Socket]>;
    const socket = connect(port, '127.0.0.1');
    cleanUp(t, () => socket.destroy());
    socket.write(request('POST', '/v1/pets', key, BODY).repeat(count));
    await timeUntil(async () => arrived === count);
    return { socket, peer: (await accepted)[0], release };
  };

  // Those that one client sends ahead count as well.
  const { socket, release } = await sendAhead(6);
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
  });
  await assertError(await get('/categories'), 'unavailable', /^Too many requests are under way\./);
  assert.equal((await fetch(`${origin}/livez`)).status, 200);
  await assertNotReady(await readyz(), 'requests', /under way/);
  release();
  await timeUntil(async () => /(HTTP.*){6}/s.test(received));
  assert.deepEqual(
    [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ['201', '201', '201', '201', '503', '503'],
  );
  assert.equal((await get('/categories')).status, 200);

  // Whoever leaves takes along what was sent ahead and never had its turn.
  for (let left = 0; left < 3; left++) {
    const { socket, peer, release } = await sendAhead(4);
    resetConnection(socket);
    await timeUntil(async () => peer.destroyed);
    release();
  }
  await timeUntil(async () => (await readyz()).status === 200);
  assert.equal((await get('/categories')).status, 200);
});

test('while each turn of the event loop takes too long, all but supervisors are turned away', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  // It is watched in steps of ten milliseconds, so a turn takes longer than one, unless it follows a late one.
  const { get, origin } = await start(t, { PETSTORE_MAX_EVENT_LOOP_DELAY_MS: '1' });
  const readyz = () => fetch(`${origin}/readyz`);
  // It stays so when nobody looks any more.
  await timeUntil(async () => {
    t.mock.timers.tick(100);
    return (await readyz()).status === 503;
  });
  await assertError(await get('/pets'), 'unavailable', /^Requests wait too long for their turn\./);
  assert.equal((await fetch(`${origin}/livez`)).status, 200);
  await assertNotReady(await readyz(), 'eventLoop', /wait too long/);
});

test('connections beyond the limit get a response and are closed, and far beyond it are closed unread', async (t) => {
  const { get, origin, port, logged } = await start(t, { PETSTORE_MAX_CONNECTIONS: '3' });
  const timers = holdTimers(t, [1_000, 2_000]);
  const open = async (text: string) => {
    const socket = connect(port, '127.0.0.1');
    cleanUp(t, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.resume().write(text);
    await once(socket, 'connect');
    return socket;
  };
  const idle = await Promise.all(Array.from({ length: 3 }, () => open('')));
  const turnedAway = await get('/pets');
  assert.equal(turnedAway.headers.get('connection'), 'close');
  await assertError(turnedAway, 'unavailable', /^Too many connections are open\./);
  const alive = await fetch(`${origin}/livez`);
  assert.equal(alive.status, 200);
  assert.equal(alive.headers.get('connection'), 'close');
  await assertNotReady(await fetch(`${origin}/readyz`), 'connections', /Too many connections/);

  const more = await Promise.all(Array.from({ length: 80 }, () => open('GET /livez HTTP/1.1\r\n')));
  const closed = () => more.filter((socket) => socket.closed).length;
  await timeUntil(async () => closed() >= 16);
  assert.ok(closed() < 80);
  // Time is up for those whose request never ends, and to tell.
  for (const { end } of [...timers]) end();
  await timeUntil(async () => closed() === 80);
  assert.ok(idle.every((socket) => !socket.closed));
  const metrics = await readMetrics(origin);
  assert.ok((metrics.value('petstore_http_shed_total', { reason: 'connections' }) ?? 0) >= 17);
  assert.match(logged.join(''), /"turnedAway":\{"connections":\d+\}/);
  for (const socket of idle) socket.destroy();
  await timeUntil(async () => (await fetch(`${origin}/readyz`)).status === 200);
  assert.equal((await get('/pets')).status, 200);
});

test('a client that does not read its responses is cut off, a slow one is not', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  const { app, post, origin, key, port } = await start(t, { PETSTORE_RESPONSE_TIMEOUT_MS: '3000' });
  for (let i = 0; i < 100; i++) await post('/pets', BODY);
  const list = request('GET', '/v1/pets?limit=100', key);
  /** A client that asks for some 20 MB, more than the system takes off the service's hands; and the service's side. */
  const reader = async () => {
    const accepted = once(app.server, 'connection') as Promise<[Socket]>;
    const socket = connect(port, '127.0.0.1');
    cleanUp(t, () => socket.destroy());
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.pause();
    socket.write(list.repeat(3_000));
    return { socket, peer: (await accepted)[0] };
  };
  const deaf = await reader();
  const slow = await reader();
  const taken = () => slow.peer.bytesWritten - slow.peer.writableLength;
  for (let looks = 0; looks < 10 && !deaf.peer.destroyed; looks++) {
    const before = taken();
    await timeUntil(async () => {
      slow.socket.read();
      return taken() > before;
    });
    now += 3_000;
    t.mock.timers.tick(3_000);
  }
  assert.ok(deaf.peer.destroyed);
  assert.ok(!slow.peer.destroyed && slow.peer.writableLength > 0);
  await assert.rejects(once(deaf.socket.resume(), 'end'), /ECONNRESET/);
  assert.equal((await fetch(`${origin}/livez`)).status, 200);
});

test('an idle connection is closed after its time, and too many headers are a 431', async (t) => {
  const hasty = await start(t, {
    PETSTORE_KEEP_ALIVE_TIMEOUT_MS: '100',
    PETSTORE_MAX_HEADERS: '20',
  });
  const patient = await start(t, { PETSTORE_KEEP_ALIVE_TIMEOUT_MS: '2900' });
  const headers = (count: number) =>
    Array.from({ length: count }, (_, i) => `X-${i}: x\r\n`).join('');
  const timedOut: string[] = [];
  /** A client that has its responses. When the time of its connection is up, that is noted. */
  const idle = async (name: string, service: typeof hasty, sent: string, responses: RegExp) => {
    service.app.server.once('connection', (peer: Socket) =>
      peer.once('timeout', () => timedOut.push(name)),
    );
    const socket = connect(service.port, '127.0.0.1');
    cleanUp(t, () => socket.destroy());
    const client = { socket, received: '' };
    socket.on('data', (bytes) => {
      client.received += bytes;
    });
    socket.write(sent);
    await timeUntil(async () => responses.test(client.received));
    return client;
  };
  const get = (count: number) => `GET /livez HTTP/1.1\r\nHost: a\r\n${headers(count)}\r\n`;
  const startedAt = performance.now();
  const { socket, received } = await idle('hasty', hasty, get(19) + get(20), /(HTTP.*){2}\}/s);
  // Its time begins later, and both services have the same timers, late or not.
  await idle('patient', patient, get(0), /HTTP.*\}/s);
  if (!socket.closed) await once(socket, 'close');
  await assertTook(performance.now() - startedAt, 4_000);
  assert.equal(timedOut[0], 'hasty');
  assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 431']);
  assert.match(
    received,
    /"headers_too_large","message":"A request may have at most 20 header fields\."/,
  );
});
