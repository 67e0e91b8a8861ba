import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { connectTo, PostgresServer } from '@petstore/test-support/postgres.ts';
import { coverNoPrograms } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { assertTook, assertWithin, timeUntil } from '@petstore/test-support/within.ts';
import { serve } from '../support/program.ts';

coverNoPrograms();

/** Connections that write, of a pool of ten. */
const WRITERS = 4;

/** A server that waits with each commit for a standby, whenever it is told to. */
async function serverWithStandbys(t: Parameters<typeof cleanUp>[0]) {
  const server = await PostgresServer.start(t);
  const url = await server.createDatabase();
  const sql = connectTo(url);
  cleanUp(t, () => sql.end());
  const await_ = async (names: string) => {
    await sql.unsafe(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await sql.unsafe('SELECT pg_reload_conf()');
  };
  return { url, sql, leave: () => await_('nobody'), return: () => await_('') };
}

test('while the standbys are away reads go on, writes are a 503 in time, and connections stay within their number', async (t) => {
  const standbys = await serverWithStandbys(t);
  const { url, sql } = standbys;
  const program = await serve(
    t,
    await temporaryFolder(t),
    { PETSTORE_DATABASE_URL: url, PETSTORE_RATE_LIMIT: '100000' },
    ['--first-key'],
  );
  const key = /pk_live_\w{38}/.exec(program.output.stdout)?.[0];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const call = async (method: string, path: string, body?: string, more = {}) => {
    const begun = performance.now();
    const response = await fetch(`${program.origin}${path}`, {
      method,
      headers: { ...headers, ...more },
      ...(body && { body }),
    });
    const text = await response.text();
    return { status: response.status, text, ms: performance.now() - begun };
  };
  const create = (name: string, more = {}) =>
    call('POST', '/v1/pets', `{"name":"${name}","categoryId":1}`, more);
  assert.equal((await create('first')).status, 201);

  let isOver = false;
  const reads: { ms: number }[] = [];
  const statusesOfReads = new Set<number>();
  const writes: { status: number; ms: number }[] = [];
  const acknowledged: string[] = [];
  const readers = ['/v1/pets?limit=5', '/v1/pets/1'].map(async (path) => {
    while (!isOver) {
      const read = await call('GET', path);
      reads.push(read);
      statusesOfReads.add(read.status);
      await sleep(5);
    }
  });
  const writers = Array.from({ length: 12 }, async (_, at) => {
    for (let i = 0; !isOver; i++) {
      const name = `${at}-${i}`;
      const kinds = [
        () => create(name),
        () => create(name, { 'idempotency-key': name }),
        () => call('PATCH', '/v1/pets/1', `{"name":"first ${i}"}`),
      ];
      const write = await kinds[at % 3]?.();
      if (!write) continue;
      writes.push(write);
      if (write.status === 201) acknowledged.push(name);
    }
  });
  let most = 0;
  const counting = (async () => {
    while (!isOver) {
      const [row] = await sql<{ n: number }>`
        SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE datname = current_database() AND (wait_event = 'SyncRep' OR wait_event_type = 'Lock')`;
      most = Math.max(most, row?.n ?? 0);
      await sleep(100);
    }
  })();

  await timeUntil(async () => writes.length > 20);
  assert.ok(writes.every(({ status }) => status < 300));
  await standbys.leave();
  await timeUntil(async () => {
    const waiting = await sql`SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event = 'SyncRep'`;
    return waiting.length > 0;
  });
  const medianOf = (some: typeof reads) =>
    some.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor(some.length / 2)] ?? Infinity;
  const before = medianOf(reads);
  await timeUntil(async () => (await call('GET', '/readyz/writes')).status === 503);
  assert.equal((await call('GET', '/readyz/reads')).status, 200);
  const notReady = await call('GET', '/readyz/writes');
  assert.equal(notReady.status, 503);
  assert.match(notReady.text, /"writes":\{"status":"failed","message":"The .* write in time/);
  const refused = () => writes.filter(({ status }) => status === 503);
  await timeUntil(async () => refused().length >= 12);
  const medianNow = async () => {
    reads.length = 0;
    await timeUntil(async () => reads.length > 100);
    const times = reads.map(({ ms }) => ms).sort((a, b) => a - b);
    const median = medianOf(reads);
    const p99 = times[Math.floor(times.length * 0.99)];
    t.diagnostic(
      `${reads.length} reads, median ${median.toFixed(1)} ms, p99 ${p99?.toFixed(1)} ms; ${writes.length} writes; ${most} connections wait`,
    );
    return median;
  };
  // As quick as while writes went on, whatever the machine is. What else it does meanwhile may slow one look.
  const limitMs = Math.max(20, 3 * before);
  const medians = [await medianNow()];
  while (medians.every((median) => median >= limitMs) && medians.length < 5)
    medians.push(await medianNow());
  assert.ok(Math.min(...medians) < limitMs, `${medians} ms, and ${before} ms before`);
  assert.deepEqual([...statusesOfReads], [200], 'every read succeeds');
  assert.deepEqual(refused(), writes.slice(-refused().length), 'no write succeeds');
  assert.equal((await call('GET', '/readyz/reads')).status, 200);
  assert.equal((await call('GET', '/readyz/writes')).status, 503);

  await standbys.return();
  await assertWithin(2_000, () => timeUntil(async () => (await create('back')).status === 201));
  await timeUntil(async () => (await call('GET', '/readyz')).status === 200);
  isOver = true;
  await Promise.all([...readers, ...writers, counting]);
  assert.ok(most <= WRITERS, `${most} at a time: who is given up leaves the server`);
  await assertTook(Math.max(...writes.map(({ ms }) => ms)), 8_500, 'a write');

  const found = new Map<string, number>();
  const rows = await sql<{ name: string }>`SELECT name FROM pets`;
  for (const { name } of rows) found.set(name, (found.get(name) ?? 0) + 1);
  assert.deepEqual(
    acknowledged.filter((name) => !found.has(name)),
    [],
    'what was acknowledged is there',
  );
  for (const [name, times] of found) {
    if (Number(name.split('-')[0]) % 3 === 1) assert.equal(times, 1, `${name}, once for its key`);
  }
  assert.equal(program.child.exitCode, null, program.output.stderr);
});
