import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSharedEngines, SQLITE_FILE } from '@petstore/test-support/engines.ts';
import { timeOf, timeUntil } from '@petstore/test-support/within.ts';
import { metricsOnce } from '../support/metrics.ts';
import { petstore } from '../support/program.ts';
import { ask, startWorkers } from '../support/workers.ts';

// What holds for a service holds for its workers together, whichever of them a connection reaches.

onSharedEngines(
  'workers let a key make its quota of requests, and not one more',
  async (t, engine) => {
    const service = await startWorkers(t, engine, 3, {
      PETSTORE_RATE_LIMIT: '1',
      PETSTORE_RATE_LIMIT_WINDOW_SECONDS: '300',
    });
    let passed = 0;
    for (let refused = 0; refused < 40; ) {
      const responses = await Promise.all(Array.from({ length: 20 }, () => service.ask('/pets')));
      for (const { status, headers } of responses) {
        if (status === 200) passed++;
        else {
          assert.equal(status, 429);
          assert.match(String(headers.ratelimit), /^"default";r=0;t=\d+$/);
          refused++;
        }
      }
    }
    assert.equal(passed, 300);
  },
);

// On PostgreSQL the database counts, for processes of other machines, too, and takes nothing back.
test('a worker that is replaced leaves its part of a quota to the others', async (t) => {
  const service = await startWorkers(t, SQLITE_FILE, 2, {
    PETSTORE_RATE_LIMIT: '1',
    PETSTORE_RATE_LIMIT_WINDOW_SECONDS: '200',
  });
  for (let sent = 0; sent < 20; sent++) assert.equal((await service.ask('/pets')).status, 200);
  const former = await service.workers();
  service.program.child.kill('SIGHUP');
  await service.haveReplaced(former, 2);
  let passed = 20;
  for (let refused = 0; refused < 10; ) {
    if ((await service.ask('/pets')).status === 200) passed++;
    else refused++;
  }
  assert.equal(passed, 200);
});

const MINUTE_MS = 60_000;

/** For so long the supervisor waits for a worker's metrics, and a bit less. */
const METRICS_MS = 1_900;

onSharedEngines('wrong keys are counted over all workers', async (t, engine) => {
  const service = await startWorkers(t, engine, 3, { PETSTORE_AUTH_FAILURES_PER_MINUTE: '10' });
  // The supervisor has asked every worker, and each has first heard what the supervisor had sent it before.
  const heard = () =>
    timeUntil(async () => (await timeOf(() => ask(`${service.origin}/metrics`))) < METRICS_MS);
  const statusesFrom = async (from: string, count: number) => {
    const statuses: number[] = [];
    while (statuses.length < count) {
      const { status } = await service.ask('/pets', { key: 'pk_live_wrong', from });
      statuses.push(status);
      if (status !== 401) continue;
      // The first time the supervisor hears of the failure, the second time the other workers do.
      await heard();
      await heard();
    }
    return statuses;
  };
  // A busy machine may take longer than the minute in which failures count: so up to four times, each from another
  // address.
  for (const from of ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']) {
    const begun = performance.now();
    const isOver = () => performance.now() - begun > MINUTE_MS;
    const statuses = await statusesFrom(from, 30);
    if (isOver()) continue;
    assert.deepEqual(statuses, [...Array(10).fill(401), ...Array(20).fill(429)]);

    // One that begins later knows of them.
    const former = await service.workers();
    service.program.child.kill('SIGHUP');
    await service.haveReplaced(former, 3);
    const later = await statusesFrom(from, 10);
    if (isOver()) continue;
    assert.deepEqual(later, Array(10).fill(429));
    return;
  }
  assert.fail('each time the minute was over');
});

onSharedEngines(
  'a key that is revoked is refused by every worker from then on',
  async (t, engine) => {
    const service = await startWorkers(t, engine, 3);
    const status = async () => (await service.ask('/pets')).status;
    for (let sent = 0; sent < 20; sent++) assert.equal(await status(), 200);
    const [listed] = JSON.parse(
      (await petstore(service.folder, ['keys', 'list', '--json'], service.env)).stdout,
    ) as { id: string }[];
    const { code } = await petstore(
      service.folder,
      ['keys', 'revoke', listed?.id ?? ''],
      service.env,
    );
    assert.equal(code, 0);
    const statuses = () => Promise.all(Array.from({ length: 20 }, () => status()));
    // PostgreSQL tells it within a second: faults/postgres.test.ts.
    if (engine.name === 'PostgreSQL') {
      await timeUntil(async () => (await statuses()).every((status) => status === 401));
    }
    assert.deepEqual(await statuses(), Array(20).fill(401));
  },
);

onSharedEngines(
  'one Idempotency-Key at all workers at once makes one animal',
  async (t, engine) => {
    const service = await startWorkers(t, engine, 3);
    const body = { name: 'Rex', categoryId: 1 };
    const headers = { 'idempotency-key': '"once"' };
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => service.ask('/pets', { method: 'POST', body, headers })),
    );
    const made = responses.filter(({ status }) => status === 201);
    // Whoever comes while it is being made is told so.
    assert.ok(responses.every(({ status }) => status === 201 || status === 409));
    assert.ok(made.length > 0);
    assert.equal(new Set(made.map(({ text }) => text)).size, 1);
    assert.equal(JSON.parse((await service.ask('/pets')).text).length, 1);
  },
);

onSharedEngines('metrics are those of all workers, of ended ones, too', async (t, engine) => {
  const service = await startWorkers(t, engine, 3);
  const labels = { method: 'GET', route: '/v1/pets', status: '200' };
  for (let sent = 0; sent < 30; sent++) await service.ask('/pets');
  // Whichever worker tells them.
  for (let read = 0; read < 6; read++) {
    const metrics = await metricsOnce(service.origin, 'petstore_http_requests_total', labels, 30);
    assert.equal(metrics.value('petstore_http_requests_total', labels), 30);
    assert.equal(metrics.value('petstore_workers'), 3);
    assert.equal(metrics.labels('petstore_build_info').length, 1);
    const [info] = metrics.labels('petstore_build_info');
    assert.equal(metrics.value('petstore_build_info', info), 1);
  }
  const former = await service.workers();
  service.program.child.kill('SIGHUP');
  await service.haveReplaced(former, 3);
  for (let sent = 0; sent < 5; sent++) await service.ask('/pets');
  const metrics = await metricsOnce(service.origin, 'petstore_http_requests_total', labels, 35);
  assert.equal(metrics.value('petstore_http_requests_total', labels), 35);
  const { text } = await ask(`${service.origin}/metrics`);
  const names = text.match(/^# TYPE \S+/gm) ?? [];
  assert.equal(names.length, new Set(names).size, 'a metric is shown twice');
});
