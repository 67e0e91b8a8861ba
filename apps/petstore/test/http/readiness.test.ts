import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { exchange } from '@petstore/test-support/raw-http.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
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
  const { origin, port } = await startService(t, { store, config: { readyTimeoutMs: 300 } });
  const probe = () => fetch(`${origin}/readyz`);
  const start = performance.now();
  // On few connections: a thousand of fetch take a busy machine longer than it has.
  const ahead = 'GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(50);
  const probes = await Promise.all(Array.from({ length: 20 }, () => exchange(port, ahead)));
  assert.ok(performance.now() - start < 5_000);
  assert.equal(asked, 1);
  assert.equal(probes.flat().length, 1_000);
  for (const answered of probes.flat()) await assertNotReady(answered, 'writes', /in time\.$/);
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
  const store = await openStore(`sqlite:${join(await temporaryFolder(t), 'pets.db')}`);
  const { origin, post, logged } = await startService(t, { store });
  const readyz = () => fetch(`${origin}/readyz`);
  // It is started again at once after the first death, and later after the next ones.
  for (let death = 0; death < 3; death++) {
    assert.equal((await post('/pets', '{"name":"Rex","categoryId":1}')).status, 201);
    await workers.at(-1)?.terminate();
    while (death < 2 && (await readyz()).status !== 200) await sleep(10);
  }
  await assertNotReady(await readyz(), 'writes', /^The thread that writes has ended/);
  const deadline = Date.now() + 5_000;
  while ((await readyz()).status !== 200) {
    assert.ok(Date.now() < deadline);
    await sleep(20);
  }
  const lines = logged.join('');
  assert.match(lines, /"failed":\{"writes":"The thread that writes has ended[^}]+\}.*"not ready"/);
  assert.match(lines, /"ready again"/);
});

test('one long pause of the event loop turns nobody away, slow turns one after the other do', async (t) => {
  const { get, origin } = await startService(t, { config: { maxEventLoopDelayMs: 60 } });
  const block = (ms: number) => {
    const end = performance.now() + ms;
    while (performance.now() < end);
  };
  await sleep(150);
  block(500);
  await sleep(5);
  assert.equal((await get('/pets')).status, 200);

  let isBusy = true;
  const work = () => {
    block(80);
    if (isBusy) setImmediate(work);
  };
  work();
  await sleep(500);
  assert.equal((await get('/pets')).status, 503);
  assert.equal((await fetch(`${origin}/livez`)).status, 200);
  isBusy = false;
  await sleep(400);
  assert.equal((await get('/pets')).status, 200);
});
