import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { coverNoPrograms, finished } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { assertTook, timeUntil } from '@petstore/test-support/within.ts';
import { ask, databaseIn } from '../support/animals.ts';
import { assertNotReady } from '../support/assert-error.ts';
import { serve } from '../support/program.ts';

coverNoPrograms();

/** More of them take minutes: PETSTORE_FAULT_TRIES=50 node --test apps/petstore/test/faults/graceful-stop.test.ts */
const TRIES = Number(process.env.PETSTORE_FAULT_TRIES ?? 8);
const CONNECTIONS = 16;

interface Client {
  /** Pets that were acknowledged. */
  readonly created: number;
  /** Whether a request was sent and not answered in full. */
  readonly isOwed: boolean;
  readonly error: string | undefined;
  readonly wasToldToClose: boolean;
}

/** Sends one request after the other, each when the last was answered, until it is told to stop. */
function client(port: number, key: string, onResponse: () => void): Promise<Client> {
  const head = `Host: a\r\nAuthorization: Bearer ${key}\r\n`;
  const body = '{"name":"Rex","categoryId":1}';
  const requests = [
    `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    `GET /v1/pets HTTP/1.1\r\n${head}\r\n`,
  ];
  const socket = connect(port, '127.0.0.1');
  let sent = 0;
  let created = 0;
  let isOwed = false;
  let wasToldToClose = false;
  let error: string | undefined;
  let received = '';
  const send = () => {
    isOwed = true;
    socket.write(requests[sent++ % 2] ?? '');
  };
  socket.setEncoding('utf8');
  socket.on('connect', send);
  socket.on('data', (text) => {
    received += text;
    const end = received.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(received.slice(0, end))?.[1]);
    if (end < 0 || received.length < end + 4 + length) return;
    if (received.startsWith('HTTP/1.1 201')) created++;
    wasToldToClose = /^connection: close/im.test(received.slice(0, end));
    received = '';
    isOwed = false;
    onResponse();
    if (!wasToldToClose) send();
  });
  socket.on('error', ({ message }) => {
    error = message;
  });
  return new Promise<Client>((resolve) => {
    socket.on('close', () => resolve({ created, isOwed, error, wasToldToClose }));
  });
}

async function stopUnderLoad(t: TestContext, after: number): Promise<void> {
  const folder = await temporaryFolder(t);
  const program = await serve(t, folder, {}, ['--first-key']);
  const key = /pk_live_\w{38}/.exec(program.output.stdout)?.[0] ?? '';
  const port = Number(new URL(program.origin).port);
  let responses = 0;
  const onResponse = () => {
    if (++responses === after) program.child.kill('SIGTERM');
  };
  const clients = Array.from({ length: CONNECTIONS }, () => client(port, key, onResponse));
  const outcomes = await Promise.all(clients);
  assert.equal((await finished(program)).code, 0);
  for (const outcome of outcomes) {
    assert.deepEqual(
      { isOwed: outcome.isOwed, error: outcome.error, wasToldToClose: outcome.wasToldToClose },
      { isOwed: false, error: undefined, wasToldToClose: true },
    );
  }
  assert.ok(!existsSync(`${databaseIn(folder)}-wal`), 'what was written is in the database itself');
  const created = outcomes.reduce((sum, outcome) => sum + outcome.created, 0);
  assert.equal(ask(folder, 'SELECT count(*) FROM pets'), created);
}

test(`SIGTERM under load loses no request that was sent, in ${TRIES} tries`, async (t) => {
  for (let tried = 0; tried < TRIES; tried++) {
    const after = 1 + Math.floor(Math.random() * 200);
    await t.test(`after ${after} responses`, (each) => stopUnderLoad(each, after));
  }
});

/** What is received for a request that came while a stopping service stood still; undefined: it had stopped before. */
async function askStandingStill(t: TestContext): Promise<string | undefined> {
  const { child, origin } = await serve(t, await temporaryFolder(t), {});
  const request = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n';
  let received = '';
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.on('error', () => undefined).on('data', (text) => (received += text));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(request);
  await timeUntil(async () => received !== '');
  child.kill('SIGTERM');
  const told = async () => (await fetch(`${origin}/livez`)).headers.get('connection');
  await timeUntil(async () => (await told().catch(() => 'close')) === 'close');
  child.kill('SIGSTOP');
  received = '';
  await sleep(100);
  if (socket.readableEnded || socket.closed) return undefined;
  socket.write(request);
  // Longer than clients are waited for.
  await sleep(1_500);
  child.kill('SIGCONT');
  await closed;
  return received;
}

test('a request that has arrived is answered, though the stopping service stood still until clients had to be gone', async (t) => {
  let received: string | undefined;
  for (let tries = 0; tries < 5 && received === undefined; tries++) {
    received = await askStandingStill(t);
  }
  assert.match(received ?? '', /^HTTP\/1\.1 200 /);
});

test('a service that is to stop says that it is not ready, and serves on for the delay', async (t) => {
  const folder = await temporaryFolder(t);
  // Long enough for four requests on a slow machine.
  const program = await serve(t, folder, { PETSTORE_SHUTDOWN_DELAY_MS: '2500' });
  const readyz = () => fetch(`${program.origin}/readyz`);
  assert.equal((await readyz()).status, 200);
  const askedAt = performance.now();
  program.child.kill('SIGTERM');
  await timeUntil(async () => (await readyz()).status === 503);
  await assertNotReady(await readyz(), 'process', /is stopping/);
  assert.equal((await fetch(`${program.origin}/livez`)).status, 200);
  assert.equal((await finished(program)).code, 0);
  assert.ok(performance.now() - askedAt >= 2_500);
});

test('a request that does not finish is cut off when the time is up, and the database is closed', async (t) => {
  const folder = await temporaryFolder(t);
  const program = await serve(t, folder, { PETSTORE_SHUTDOWN_TIMEOUT_MS: '300' });
  const socket = connect(Number(new URL(program.origin).port), '127.0.0.1');
  cleanUp(t, () => socket.destroy());
  socket.on('error', () => undefined);
  socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n');
  await once(socket, 'connect');
  // The service reads connections in the order in which they came.
  await fetch(`${program.origin}/livez`, { headers: { connection: 'close' } });
  const start = performance.now();
  program.child.kill('SIGTERM');
  const { code, stderr } = await finished(program);
  assert.equal(code, 1);
  assert.match(stderr, /did not finish in time/);
  await assertTook(performance.now() - start, 3_000);
  assert.ok(!existsSync(join(folder, 'data/petstore.db-wal')));
});
