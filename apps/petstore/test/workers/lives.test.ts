import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import { Agent, createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onSharedEngines, SQLITE_FILE } from '@petstore/test-support/engines.ts';
import { childrenOf, finished, startProgram } from '@petstore/test-support/program.ts';
import { steadyLoad } from '@petstore/test-support/steady-load.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { concurrentClients } from '../support/concurrent-clients.ts';
import { metricsOnce, readMetrics } from '../support/metrics.ts';
import { PETSTORE, petstore, serve } from '../support/program.ts';
import { ask, startWorkers } from '../support/workers.ts';

onSharedEngines(
  'a worker that is killed is replaced, and no new connection fails meanwhile',
  async (t, engine) => {
    const service = await startWorkers(t, engine, 2);
    const { workers, program } = service;
    for (let deaths = 1; deaths <= 2; deaths++) {
      const [first] = (await workers()) as [number];
      process.kill(first, 'SIGKILL');
      // Nothing was under way at it. Those that reach its socket now wait for the next one.
      const responses = await Promise.all(Array.from({ length: 40 }, () => service.ask('/pets')));
      assert.ok(responses.every(({ status }) => status === 200));
      await service.haveReplaced([first], 2);
      const metrics = await readMetrics(service.origin);
      assert.equal(metrics.value('petstore_worker_deaths_total'), deaths);
    }
    assert.equal(
      program.output.stderr.match(/a worker died; another one takes its place/g)?.length,
      2,
    );
  },
);

onSharedEngines(
  'SIGHUP replaces the workers one by one, and no request fails',
  async (t, engine) => {
    const service = await startWorkers(t, engine, 2);
    const fresh = steadyLoad(() => service.ask('/pets'), 200);
    const creates = steadyLoad(
      () => service.ask('/pets', { method: 'POST', body: { name: 'Rex', categoryId: 1 } }),
      201,
      3,
    );
    // These keep their connections: one each, so that none is idle for as long as a worker that ends waits for it.
    const kept = Array.from({ length: 6 }, () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      cleanUp(t, () => agent.destroy());
      const get = async () => {
        // Where this process stood still, it first reads that a connection was closed meanwhile.
        await nextTurn();
        return service.ask('/pets?limit=1', { agent });
      };
      return steadyLoad(get, 200, 1);
    });
    for (let reloads = 0; reloads < 2; reloads++) {
      const former = await service.workers();
      service.program.child.kill('SIGHUP');
      await service.haveReplaced(former, 2);
    }
    assert.ok((await fresh.end()) > 0);
    for (const client of kept) assert.ok((await client.end()) > 0);
    const made = await creates.end();
    const labels = { method: 'POST', route: '/v1/pets', status: '201' };
    const metrics = await metricsOnce(service.origin, 'petstore_http_requests_total', labels, made);
    assert.equal(metrics.value('petstore_http_requests_total', labels), made);
  },
);

onSharedEngines(
  'what a worker was told is seen at every other one, in order, while workers die and are replaced',
  async (t, engine) => {
    const service = await startWorkers(t, engine, 3);
    // `fetch` keeps several connections, and chance picks the worker of each.
    const clients = concurrentClients(t, [service.origin], service.key);
    for (let faults = 0; faults < 4; faults++) {
      await timeUntil(async () => clients.statuses.get('POST 201') !== undefined);
      const former = await service.workers();
      if (faults % 2 === 0) {
        const [first] = former as [number];
        process.kill(first, 'SIGKILL');
        await service.haveReplaced([first], 3);
      } else {
        service.program.child.kill('SIGHUP');
        await service.haveReplaced(former, 3);
      }
    }
    for (const kind of ['POST 201', 'PATCH 200', 'GET 200']) {
      await timeUntil(async () => (clients.statuses.get(kind) ?? 0) > 100);
    }
    await clients.end();
    assert.deepEqual(clients.history.violations(), []);
  },
);

onSharedEngines(
  'a service of workers stops as one process does: what is under way is answered',
  async (t, engine) => {
    const service = await startWorkers(t, engine, 2, { PETSTORE_SHUTDOWN_DELAY_MS: '0' });
    const responses = Array.from({ length: 20 }, () =>
      service.ask('/pets', { method: 'POST', body: { name: 'Rex', categoryId: 1 } }),
    );
    await responses[0];
    service.program.child.kill('SIGTERM');
    const settled = await Promise.allSettled(responses);
    assert.equal((await finished(service.program)).code, 0);
    for (const outcome of settled) {
      // One that had no connection yet may be refused.
      if (outcome.status === 'fulfilled') assert.equal(outcome.value.status, 201);
      else assert.equal(outcome.reason.code, 'ECONNREFUSED');
    }
    await assert.rejects(ask(`${service.origin}/livez`), { code: 'ECONNREFUSED' });
  },
);

onSharedEngines(
  'workers end with the process that started them, however that ends',
  async (t, engine) => {
    const service = await startWorkers(t, engine, 2);
    const workers = await service.workers();
    service.program.child.kill('SIGKILL');
    await timeUntil(async () => workers.every((pid) => !isAlive(pid)));
  },
);

test('workers that cannot start leave the former ones serving', async (t) => {
  const file = join(await temporaryFolder(t), 'token');
  await writeFile(file, 'first\n');
  const service = await startWorkers(t, SQLITE_FILE, 2, { PETSTORE_METRICS_TOKEN_FILE: file });
  const former = await service.workers();
  await rename(file, `${file}.away`);
  service.program.child.kill('SIGHUP');
  await timeUntil(async () =>
    service.program.output.stderr.includes('a new worker cannot start; the former ones go on'),
  );
  assert.deepEqual(await service.workers(), former);
  assert.match(service.program.output.stderr, /PETSTORE_METRICS_TOKEN_FILE/);
  assert.equal((await service.ask('/pets')).status, 200);
  // What the file holds now counts from the next replacement on.
  await writeFile(file, 'second\n');
  service.program.child.kill('SIGHUP');
  const headers = { authorization: 'Bearer second' };
  await timeUntil(async () => (await ask(`${service.origin}/metrics`, { headers })).status === 200);
});

test('a worker that fails after it has joined leaves the others serving, and its place is taken later', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'url');
  const now = await SQLITE_FILE.createDatabase(t);
  await writeFile(file, now);
  const env = { PETSTORE_DATABASE_URL_FILE: file };
  const program = await serve(t, folder, env, ['--workers', '2']);
  const workers = () => childrenOf(program.child.pid as number);
  const says = (what: string) => timeUntil(async () => program.output.stderr.includes(what));
  const former = await workers();
  // Each worker compares it with the supervisor's.
  await writeFile(file, await SQLITE_FILE.createDatabase(t));
  program.child.kill('SIGHUP');
  await says('a new worker cannot start; the former ones go on');
  assert.match(program.output.stderr, /^petstore: PETSTORE_DATABASE_URL names another/m);
  assert.deepEqual(await workers(), former);

  const [first, second] = former as [number, number];
  process.kill(first, 'SIGKILL');
  // The one in its place has failed as well.
  await says('"restartInMs":100');
  await writeFile(file, now);
  await timeUntil(async () => {
    const { text } = await ask(`${program.origin}/metrics`);
    return text.includes('\npetstore_workers 2\n');
  });
  program.child.kill('SIGHUP');
  await says('the workers were replaced');
  await timeUntil(async () => !isAlive(second));
});

test('where the start fails though the workers serve, all of them end', async (t) => {
  const folder = await temporaryFolder(t);
  const env = { PETSTORE_DATABASE_URL: await SQLITE_FILE.createDatabase(t), PETSTORE_PORT: '0' };
  await petstore(folder, ['migrate'], env);
  // Another program writes, so the first key cannot be stored.
  const db = new DatabaseSync(env.PETSTORE_DATABASE_URL.replace('sqlite:', ''));
  cleanUp(t, () => db.close());
  db.exec('BEGIN IMMEDIATE');
  const args = [PETSTORE, 'serve', '--workers', '2', '--first-key'];
  const program = startProgram(t, process.execPath, args, folder, env);
  const { code, stdout, stderr } = await finished(program);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^petstore: /m);
  const ports = Array.from(stderr.matchAll(/"port":(\d+),"msg":"listening"/g), ([, port]) => port);
  assert.equal(ports.length, 2, stderr);
  await assert.rejects(ask(`http://127.0.0.1:${ports[0]}/livez`), { code: 'ECONNREFUSED' });
});

test('an invalid number of workers, a database in memory and a port in use are each explained in a sentence', async (t) => {
  const folder = await temporaryFolder(t);
  for (const wrong of ['0', '-1', '1.5', 'many', '257', '']) {
    const { code, stderr } = await petstore(folder, ['serve', '--workers', wrong]);
    assert.equal(code, 1, wrong);
    assert.match(stderr, /--workers.*It must be a number from 1 to 256, or auto\./s, wrong);
  }
  const inMemory = await petstore(folder, ['serve', '--workers', '2'], {
    PETSTORE_DATABASE_URL: 'sqlite::memory:',
  });
  assert.equal(inMemory.code, 1);
  assert.match(inMemory.stderr, /^petstore: --workers needs a database that processes can share/);

  const taken = createServer().listen(0, '127.0.0.1');
  cleanUp(t, () => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const env = { PETSTORE_PORT: String(port) };
  const outcome = await petstore(folder, ['serve', '--workers', '2'], env);
  assert.equal(outcome.code, 1);
  assert.match(outcome.stderr, new RegExp(`Port ${port} on 127.0.0.1 is in use`));

  // Another service of workers divides its port among its own processes alone.
  const service = await startWorkers(t, SQLITE_FILE, 2);
  const again = await petstore(folder, ['serve', '--workers', '2'], {
    PETSTORE_PORT: new URL(service.origin).port,
  });
  assert.equal(again.code, 1);
  assert.match(again.stderr, /is in use/);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
