import assert from 'node:assert/strict';
import { readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { coverNoPrograms, finished, startProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { assertTook, timeUntil } from '@petstore/test-support/within.ts';
import { assertError, assertNotReady } from '../support/assert-error.ts';
import { clockOfThreads } from '../support/clock-of-threads.ts';
import { readMetrics } from '../support/metrics.ts';
import { originInBanner, PETSTORE, petstore, serve } from '../support/program.ts';

coverNoPrograms();

const BODY = JSON.stringify({ name: 'x'.repeat(255), categoryId: 1 });

function client(origin: string, banner: string) {
  const key = /pk_live_\w{38}/.exec(banner)?.[0];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const send = (method: string, path: string, body: string, type = 'application/json') =>
    fetch(`${origin}/v1${path}`, { method, headers: { ...headers, 'content-type': type }, body });
  // Of what happens in no test here, so that nothing is delivered.
  const webhook = JSON.stringify({ url: 'https://example.com/', events: ['order.cancelled'] });
  return {
    get: (path: string) => fetch(`${origin}/v1${path}`, { headers }),
    post: () => send('POST', '/pets', BODY),
    postWebhook: () => send('POST', '/webhooks', webhook),
    patchWebhook: (id: string, url: string) =>
      send('PATCH', `/webhooks/${id}`, JSON.stringify({ url }), 'application/merge-patch+json'),
    rotate: (id: string) => send('POST', `/webhooks/${id}/rotate`, '{}'),
    removeWebhook: (id: string) =>
      fetch(`${origin}/v1/webhooks/${id}`, { method: 'DELETE', headers }),
  };
}

async function idOf(response: Response): Promise<string> {
  const text = await response.text();
  assert.equal(response.status, 201, text);
  return String((JSON.parse(text) as { id: unknown }).id);
}

test('on a full disk writes are refused, reads go on, and nothing acknowledged is lost', async (t) => {
  const folder = await temporaryFolder(t);
  // No file may grow beyond 300 KiB: what a full disk looks like to a process.
  const script = 'unset NODE_V8_COVERAGE; ulimit -f 300; exec "$0" "$1" serve --first-key';
  const program = startProgram(t, 'bash', ['-c', script, process.execPath, PETSTORE], folder, {
    PETSTORE_PORT: '0',
    PETSTORE_MAX_EVENT_LOOP_DELAY_MS: '0',
  });
  const origin = await originInBanner(program);
  const { get, post } = client(origin, program.output.stdout);

  const acknowledged = new Set<string>();
  let refused = 0;
  for (let i = 0; i < 200; i++) {
    const answer = await post();
    if (answer.status === 201) {
      const id = /"id":(\d+)/.exec(await answer.text())?.[1] ?? '';
      assert.ok(!acknowledged.has(id), `id ${id} was given twice`);
      acknowledged.add(id);
    } else {
      await assertError(answer, 'unavailable');
      refused++;
    }
  }
  assert.ok(acknowledged.size > 0 && refused > 0);
  assert.equal((await get('/pets')).status, 200);
  await assertNotReady(await fetch(`${origin}/readyz`), 'writes', /^The disk /);
  program.child.kill('SIGKILL');
  await finished(program);

  const db = new DatabaseSync(join(folder, 'data/petstore.db'));
  cleanUp(t, () => db.close());
  const stored = new Set(
    db
      .prepare('SELECT id FROM pets')
      .all()
      .map(({ id }) => String(id)),
  );
  for (const id of acknowledged)
    assert.ok(stored.has(id), `pet ${id} was acknowledged and is lost`);
  assert.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');

  // With room again, writes go on, and what was told is what was stored.
  const again = await serve(t, folder);
  const restarted = client(again.origin, program.output.stdout);
  assert.equal((await restarted.post()).status, 201);
  const told: string[] = [];
  for (let after = '0', isMore = true; isMore; ) {
    const page = await restarted.get(`/events?limit=100&after=${after}`);
    const events = (await page.json()) as { id: string; type: string; data: { id: number } }[];
    told.push(...events.map(({ type, data }) => `${type} ${data.id}`));
    after = events.at(-1)?.id ?? after;
    isMore = page.headers.has('link');
  }
  const ids = db.prepare('SELECT id FROM pets ORDER BY id').all();
  assert.deepEqual(
    told,
    ids.map(({ id }) => `pet.created ${id}`),
  );
});

test('while another program holds the database locked, writes are 503 and all else goes on', async (t) => {
  const folder = await temporaryFolder(t);
  const clock = clockOfThreads(folder);
  const program = await serve(t, folder, clock.env, ['--first-key']);
  const { get, post } = client(program.origin, program.output.stdout);
  assert.equal((await post()).status, 201);

  const db = new DatabaseSync(join(folder, 'data/petstore.db'), { timeout: 10_000 });
  cleanUp(t, () => db.close());
  db.exec('BEGIN IMMEDIATE');
  // However long the reads take, the writes wait meanwhile.
  await clock.stop();
  const writes = [post(), post(), post()];
  await timeUntil(async () => {
    const metrics = await readMetrics(program.origin);
    return metrics.value('petstore_write_queue_depth') === 3;
  });
  let slowest = 0;
  for (let i = 0; i < 20; i++) {
    const start = performance.now();
    assert.equal((await fetch(`${program.origin}/livez`)).status, 200);
    assert.equal((await get('/pets')).status, 200);
    slowest = Math.max(slowest, performance.now() - start);
  }
  await assertTook(slowest, 500, 'a read');
  assert.equal(await Promise.race([...writes, 'none']), 'none', 'writes wait');
  await clock.resume();
  for (const write of writes) await assertError(await write, 'unavailable');
  await assertNotReady(
    await fetch(`${program.origin}/readyz`),
    'writes',
    /holds the database locked/,
  );
  db.exec('ROLLBACK');
  assert.equal((await post()).status, 201);
  assert.equal((await fetch(`${program.origin}/readyz`)).status, 200);
  const pets = (await (await get('/pets')).json()) as unknown[];
  assert.equal(pets.length, 2, 'what was refused did not happen');
});

test('when the database file is deleted or replaced, writes are refused and readiness tells', async (t) => {
  for (const damage of [
    (file: string) => rm(file),
    (file: string) => rm(`${file}-wal`),
    async (file: string) => {
      await rename(file, `${file}.old`);
      await writeFile(file, '');
    },
  ]) {
    const folder = await temporaryFolder(t);
    const program = await serve(t, folder, {}, ['--first-key']);
    const { post, postWebhook, patchWebhook, rotate, removeWebhook } = client(
      program.origin,
      program.output.stdout,
    );
    assert.equal((await post()).status, 201);
    const id = await idOf(await postWebhook());
    // Whoever opens the database after the damage recovers what is left of it, for all.
    await timeUntil(async () => {
      const metrics = await readMetrics(program.origin);
      return metrics.value('petstore_webhook_owned') === 1;
    });
    await damage(join(folder, 'data/petstore.db'));
    await assertError(await post(), 'unavailable');
    await assertError(await postWebhook(), 'unavailable');
    await assertError(await patchWebhook(id, 'https://example.com/2'), 'unavailable');
    await assertError(await rotate(id), 'unavailable');
    await assertError(await removeWebhook(id), 'unavailable');
    for (const check of ['reads', 'writes'] as const) {
      const report = await fetch(`${program.origin}/readyz`);
      await assertNotReady(report, check, /was moved, deleted or/);
    }
    assert.equal((await fetch(`${program.origin}/livez`)).status, 200);
  }
});

test('when the database file is cut short, writes are refused and readiness tells', async (t) => {
  for (const lengthBytes of [0, 50, 8 * 4096]) {
    const folder = await temporaryFolder(t);
    await petstore(folder, ['seed', '--count', '1000']);
    const program = await serve(t, folder, {}, ['--first-key']);
    const { post } = client(program.origin, program.output.stdout);
    const readyz = () => fetch(`${program.origin}/readyz`);
    assert.equal((await post()).status, 201);
    assert.equal((await readyz()).status, 200);
    await truncate(join(folder, 'data/petstore.db'), lengthBytes);
    await assertNotReady(await readyz(), 'reads', /was cut short/);
    await assertError(await post(), 'unavailable');
    await assertNotReady(await readyz(), 'reads', /was cut short/);
    assert.equal((await fetch(`${program.origin}/livez`)).status, 200);
  }
});

test('a database file that was cut short stays so, whatever is asked of the service', async (t) => {
  const folder = await temporaryFolder(t);
  await petstore(folder, ['seed', '--count', '1000']);
  const program = await serve(t, folder, {}, ['--first-key']);
  const { post, postWebhook, patchWebhook } = client(program.origin, program.output.stdout);
  const readyz = () => fetch(`${program.origin}/readyz`);
  const id = await idOf(await postWebhook());
  const file = join(folder, 'data/petstore.db');
  const db = new DatabaseSync(file, { timeout: 10_000 });
  cleanUp(t, () => db.close());
  db.exec('PRAGMA wal_checkpoint(FULL)');
  await truncate(file, (await stat(file)).size - 24 * 4096);
  await assertNotReady(await readyz(), 'reads', /was cut short/);
  // Each page in the WAL is one that the file may lack.
  for (let i = 0; i < 15; i++) await patchWebhook(id, `https://example.com/${i}`);
  await assertNotReady(await readyz(), 'reads', /was cut short/);
  await assertError(await post(), 'unavailable');
  await assertError(await patchWebhook(id, 'https://example.com/last'), 'unavailable');
});

test('a database file that has grown and was then cut short takes no more writes', async (t) => {
  const folder = await temporaryFolder(t);
  const program = await serve(t, folder, {}, ['--first-key']);
  const { postWebhook } = client(program.origin, program.output.stdout);
  const file = join(folder, 'data/petstore.db');
  const db = new DatabaseSync(file, { timeout: 10_000 });
  cleanUp(t, () => db.close());
  // All that the WAL has is in the file as well.
  const checkpoint = () => db.exec('PRAGMA wal_checkpoint(FULL)');
  checkpoint();
  const { size } = await stat(file);
  await idOf(await postWebhook());
  db.exec('CREATE TABLE other (content); INSERT INTO other VALUES (zeroblob(1000000))');
  checkpoint();
  await truncate(file, size + 24 * 4096);
  await assertError(await postWebhook(), 'unavailable');
});

test('a database that is packed under the service stays in service', async (t) => {
  const folder = await temporaryFolder(t);
  await petstore(folder, ['seed', '--count', '5000']);
  const program = await serve(t, folder, {}, ['--first-key']);
  const { post } = client(program.origin, program.output.stdout);
  assert.equal((await post()).status, 201);
  const file = join(folder, 'data/petstore.db');
  const { size } = await stat(file);
  const db = new DatabaseSync(file, { timeout: 10_000 });
  cleanUp(t, () => db.close());
  db.exec('DELETE FROM pets WHERE id > 10');
  db.exec('VACUUM');
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  assert.ok((await stat(file)).size < size / 2, 'it has got smaller');
  assert.equal((await post()).status, 201);
  assert.equal((await fetch(`${program.origin}/readyz`)).status, 200);
});

test('a damaged page is a 503 for the animals on it, and all else goes on', async (t) => {
  const folder = await temporaryFolder(t);
  await petstore(folder, ['seed', '--count', '6000']);
  const file = join(folder, 'data/petstore.db');
  const db = new DatabaseSync(file);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  const bytes = await readFile(file);
  bytes.fill(0xff, 60 * 4096, 64 * 4096);
  await writeFile(file, bytes);

  const program = await serve(t, folder, {}, ['--first-key']);
  const { get } = client(program.origin, program.output.stdout);
  const statuses = new Map<number, number>();
  // Several at once, so that good and bad ones are read together; twice, so that all ways are taken.
  for (let id = 1; id < 5_970; id += 35) {
    const around = [0, 7, 14, 21, 28].map((step) => `/pets/${id + step}`);
    const answers = await Promise.all([...around, ...around].map(get));
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  assert.deepEqual([...statuses.keys()].sort(), [200, 503]);
  assert.equal((await fetch(`${program.origin}/livez`)).status, 200);
});

test('kill -9 under 64 writing connections loses no acknowledged pet and stores none twice', async (t) => {
  const folder = await temporaryFolder(t);
  const names = new Set<string>();
  let banner = '';
  for (let round = 0; round < 10; round++) {
    const program = await serve(t, folder, {}, ['--first-key']);
    banner ||= program.output.stdout;
    const key = /pk_live_\w{38}/.exec(banner)?.[0];
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    let count = 0;
    const writers = Array.from({ length: 64 }, async (_, writer) => {
      for (;;) {
        const name = `${round}-${writer}-${count++}`;
        const body = JSON.stringify({ name, categoryId: 1 });
        const answer = await fetch(`${program.origin}/v1/pets`, { method: 'POST', headers, body });
        if (answer.status !== 201) return;
        names.add(name);
        await answer.arrayBuffer();
      }
    });
    const writing = Promise.allSettled(writers);
    const before = names.size;
    for (let waitedMs = 0; names.size < before + 50 && waitedMs < 10_000; waitedMs += 10) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    program.child.kill('SIGKILL');
    await finished(program);
    await writing;

    const db = new DatabaseSync(join(folder, 'data/petstore.db'));
    assert.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
    const stored = db
      .prepare('SELECT name FROM pets')
      .all()
      .map(({ name }) => String(name));
    db.close();
    const found = new Set(stored);
    assert.equal(found.size, stored.length, 'no pet twice');
    const lost = [...names].filter((name) => !found.has(name));
    assert.deepEqual(lost, [], 'no acknowledged pet lost');
  }
  assert.ok(names.size >= 500, `only ${names.size} writes were acknowledged`);
});
