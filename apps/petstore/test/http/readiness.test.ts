import assert from 'node:assert/strict';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { holdTimers } from '@petstore/test-support/hold-timers.ts';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { pino } from 'pino';
import { openStore } from '../../src/store/open-store.ts';
import type { Problem } from '../../src/store/store.ts';
import { assertNotReady } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

test('a thousand probes ask the store once, and none waits longer than the timeout', async (t) => {
  let asked = 0;
  let answer: (problem: Problem | undefined) => void = () => undefined;
  const store = {
    ...(await openStore('sqlite::memory:')),
    checks: {
      reads: async () => undefined,
      writes: () => {
        asked++;
        return new Promise<Problem | undefined>((resolve) => {
          answer = resolve;
        });
      },
    },
  };
  const { app, origin, port } = await startService(t, { store, config: { readyTimeoutMs: 300 } });
  const probe = () => fetch(`${origin}/readyz`);
  const timeouts = holdTimers(t, [300]);
  let arrived = 0;
  app.server.on('request', () => arrived++);
  const last = 'GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  const ahead = last.replace('Connection: close\r\n', '').repeat(49) + last;
  const probes = Promise.all(
    Array.from({ length: 20 }, () => exchange(port, ahead, { responses: 50 })),
  );
  await timeUntil(async () => arrived === 1_000);
  for (const { end } of [...timeouts]) end();
  const answers = (await probes).flat();
  assert.equal(asked, 1);
  assert.equal(answers.length, 1_000);
  for (const answered of answers) await assertNotReady(answered, 'writes', /in time\.$/);
  // Well again: whoever comes now is told so.
  answer(undefined);
  const next = probe();
  await timeUntil(async () => asked === 2);
  answer(undefined);
  assert.equal((await next).status, 200);
  assert.equal(asked, 2);
});

test('a writer that died shows, and recovers by itself; the log tells of both', async (t) => {
  const workers: Worker[] = [];
  const onWorker = (worker: Worker) => workers.push(worker);
  process.on('worker', onWorker);
  cleanUp(t, () => process.off('worker', onWorker));
  const told: string[] = [];
  const log = pino({}, { write: (line) => told.push(line) });
  const store = await openStore(`sqlite:${join(await temporaryFolder(t), 'pets.db')}`, { log });
  const { origin, post, logged } = await startService(t, { store });
  const readyz = () => fetch(`${origin}/readyz`);
  const isReady = async () => (await readyz()).status === 200;
  // It is started again at once after the first death, and later after the next ones: when the test says so.
  const delays = [0, 100, 500];
  const held = holdTimers(t, delays);
  // However long the test takes, no thread lives so long that its death counts as the first again.
  const now = Date.now();
  t.mock.method(Date, 'now', () => now);
  for (const [deaths, delayMs] of delays.entries()) {
    assert.equal((await post('/pets', '{"name":"Rex","categoryId":1}')).status, 201);
    await workers.at(-1)?.terminate();
    await assertNotReady(await readyz(), 'writes', /^The thread that writes has ended/);
    assert.deepEqual(
      held.map(({ ms }) => ms),
      [delayMs],
    );
    assert.equal(workers.length, deaths + 1);
    held[0]?.end();
    await timeUntil(isReady).catch(async (error) => {
      assert.fail(`${error}: ${await (await readyz()).text()} ${told.join('')}`);
    });
  }
  const lines = logged.join('');
  assert.match(lines, /"failed":\{"writes":"The thread that writes has ended[^}]+\}.*"not ready"/);
  assert.match(lines, /"ready again"/);
});

test('one long pause of the event loop turns nobody away, slow turns one after the other do', async (t) => {
  // The service looks at the turns since its last look when the test says so.
  t.mock.timers.enable({ apis: ['setInterval'] });
  const look = () => t.mock.timers.tick(100);
  const { get, origin } = await startService(t, { config: { maxEventLoopDelayMs: 60 } });
  const turns = monitorEventLoopDelay({ resolution: 10 });
  turns.enable();
  cleanUp(t, () => turns.disable());
  const never = new Int32Array(new SharedArrayBuffer(4));
  const block = (ms: number) => Atomics.wait(never, 0, 0, ms);
  const someWereQuick = () => timeUntil(async () => turns.count > 2 && turns.min < 30e6);

  await someWereQuick();
  block(300);
  await timeUntil(async () => turns.max > 200e6);
  look();
  assert.equal((await get('/pets')).status, 200);

  // What was before them is in the first look.
  for (let looks = 0; looks < 2; looks++) {
    for (let i = 0; i < 5; i++) {
      block(80);
      await turn();
    }
    look();
  }
  assert.equal((await get('/pets')).status, 503);
  assert.equal((await fetch(`${origin}/livez`)).status, 200);
  turns.reset();
  await someWereQuick();
  look();
  assert.equal((await get('/pets')).status, 200);
});
