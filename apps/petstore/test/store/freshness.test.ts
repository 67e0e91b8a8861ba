import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { Metrics } from '@petstore/service/metrics/instruments.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { openStore } from '../../src/store/open-store.ts';
import { ChangeDetector } from '../../src/store/sqlite/changes.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { readMetrics } from '../support/metrics.ts';
import { petstore, serve } from '../support/program.ts';
import { startService } from '../support/service.ts';

const BODY = '{"name":"Rex","categoryId":1}';

test('a read after a write sees it, whichever process on the machine wrote', async (t) => {
  const folder = await temporaryFolder(t);
  const one = await serve(t, folder);
  const two = await serve(t, folder);
  const made = await petstore(folder, ['keys', 'create', '--name', 'x', '--json']);
  const { key } = JSON.parse(made.stdout) as { key: string };
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (let written = 1; written <= 60; written++) {
    const [here, there] = written % 2 ? [one, two] : [two, one];
    // Both have the page in memory before the write.
    for (const { origin } of [one, two]) await fetch(`${origin}/v1/pets?limit=100`, { headers });
    const answer = await fetch(`${here.origin}/v1/pets`, { method: 'POST', headers, body: BODY });
    assert.equal(answer.status, 201);
    for (const { origin } of [there, here]) {
      const pets = await (await fetch(`${origin}/v1/pets?limit=100`, { headers })).json();
      assert.equal((pets as unknown[]).length, written);
    }
  }
});

test('a page is read once while nothing changes, and again after any commit', async (t) => {
  const file = join(await temporaryFolder(t), 'petstore.db');
  const store = await openStore(`sqlite:${file}`);
  cleanUp(t, () => store.close());
  const query = { limit: 20, status: undefined, after: undefined };
  await store.pets.create({ name: 'Rex', categoryId: 1n, status: 'sold' });
  const first = await store.pets.list(query);
  assert.equal(await store.pets.list(query), first, 'the very same object');
  const other = new DatabaseSync(file);
  other.exec("UPDATE pets SET name = 'Ada'");
  other.close();
  const second = await store.pets.list(query);
  assert.notEqual(second, first);
  assert.match(second.json, /"Ada"/);
});

test('what sandboxes write leaves the pages of the service in memory, and no other commit does', async (t) => {
  const file = join(await temporaryFolder(t), 'petstore.db');
  const metrics = new Metrics();
  const store = await openStore(`sqlite:${file}`, { metrics });
  cleanUp(t, () => store.close());
  const service = await startService(t, { store, metrics });
  const misses = async () =>
    (await readMetrics(service.origin)).value('petstore_page_cache_misses_total') ?? 0;
  const send = async (key: string, method: string, path: string, body?: object) => {
    const answer = await fetch(`${service.origin}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return text;
  };
  const pages = async () => (await service.get('/pets')).text();
  await service.post('/pets', BODY);
  await pages();
  const before = await misses();

  const { key } = JSON.parse(await send(service.key, 'POST', '/sandboxes', { seed: 200 }));
  const practice: readonly (readonly [method: string, path: string, body?: object])[] = [
    ['PATCH', '/pets/1', { name: 'Max' }],
    ['POST', '/pets', { name: 'Max', categoryId: 1 }],
    ['POST', '/webhooks', { url: 'https://example.com/' }],
    ['POST', '/faults', { fault: 'status=503', count: 1 }],
    ['DELETE', '/faults'],
    ['POST', '/sandbox/snapshots', { name: 'one' }],
    ['POST', '/sandbox/snapshots/one/restore'],
    ['GET', '/report'],
    ['POST', '/sandbox/reset'],
    ['DELETE', '/sandbox'],
  ];
  for (const [method, path, body] of practice) {
    await send(key, method, path, body);
    await pages();
    assert.equal(await misses(), before, `${method} ${path}`);
  }

  // Whoever else commits, here or elsewhere, is noticed, also right behind what a sandbox wrote.
  const other = new DatabaseSync(file, { timeout: 10_000 });
  cleanUp(t, () => other.close());
  const second = JSON.parse(await send(service.key, 'POST', '/sandboxes', { seed: 200 })).key;
  for (let round = 0; round < 30; round++) {
    const practising = Promise.all(
      [1, 2, 1].map((pet) => send(second, 'PATCH', `/pets/${pet}`, { name: `n${round}` })),
    );
    if (round % 3 === 0) other.exec(`UPDATE pets SET name = 'Ada ${round}'`);
    else if (round % 3 === 1) await send(service.key, 'PATCH', '/pets/1', { name: `Ada ${round}` });
    else {
      await practising;
      other.exec(`UPDATE pets SET name = 'Ada ${round}'`);
    }
    assert.match(await pages(), new RegExp(`"Ada ${round}"`));
    await practising;
  }

  // Where sandboxes have been silent for long, nobody looks for what they write; when they write again, it is found out.
  for (let round = 0; round < 100; round++) {
    await send(service.key, 'PATCH', '/pets/1', { name: `Eve ${round}` });
    assert.match(await pages(), new RegExp(`"Eve ${round}"`));
  }
  const practise = async (round: number) => {
    await send(second, 'PATCH', '/pets/1', { name: `m${round}` });
    await pages();
  };
  for (let round = 0; round < 70; round++) await practise(round);
  const settled = await misses();
  for (let round = 70; round < 80; round++) await practise(round);
  assert.equal(await misses(), settled);
});

test('what cannot be looked at for changes counts as changed', async (t) => {
  const folder = await temporaryFolder(t);
  const db = openDatabase(join(folder, 'some.db'));
  const changes = new ChangeDetector(db, join(folder, 'other.db'));
  changes.hasChanged();
  assert.equal(changes.hasChanged(), false);
  db.close();
  assert.equal(changes.hasChanged(), true);
});

test('with no memory for pages every page is read anew', async (t) => {
  const store = await openStore('sqlite::memory:', { pageCacheBytes: 0 });
  cleanUp(t, () => store.close());
  const query = { limit: 20, status: undefined, after: undefined };
  assert.notEqual(await store.pets.list(query), await store.pets.list(query));
});

test('when the writer thread dies, requests in flight get a 503, and writes go on soon after', async (t) => {
  const workers: Worker[] = [];
  const onWorker = (worker: Worker) => workers.push(worker);
  process.on('worker', onWorker);
  cleanUp(t, () => process.off('worker', onWorker));

  const file = join(await temporaryFolder(t), 'petstore.db');
  const lines: unknown[][] = [];
  const log = { error: (...line: unknown[]) => lines.push(line) };
  const store = await openStore(`sqlite:${file}`, { log: log as never });
  const { post, get } = await startService(t, { store });
  assert.equal((await post('/pets', BODY)).status, 201);

  let acknowledged = 1;
  for (let death = 0; death < 3; death++) {
    const writes = Array.from({ length: 50 }, () => post('/pets', BODY));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await workers.at(-1)?.terminate();
    for (const write of writes) {
      const { status } = await write;
      assert.ok(status === 201 || status === 503, `${status}`);
      if (status === 201) acknowledged++;
    }
    assert.equal((await get('/pets')).status, 200, 'reads go on');
    const deadline = Date.now() + 60_000;
    while ((await post('/pets', BODY)).status !== 201) {
      assert.ok(Date.now() < deadline, 'writes go on');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    acknowledged++;
  }
  assert.equal(lines.length, 3, 'the log tells of each death');

  const db = new DatabaseSync(file);
  cleanUp(t, () => db.close());
  const stored = Number(db.prepare('SELECT count(*) AS n FROM pets').get()?.n);
  assert.ok(stored >= acknowledged, `${acknowledged} acknowledged, ${stored} stored`);
  assert.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
});

test('one refused row never fails its neighbours, and the queue is bounded', async (t) => {
  const file = join(await temporaryFolder(t), 'petstore.db');
  const store = await openStore(`sqlite:${file}`);
  cleanUp(t, () => store.close());
  const create = (name: string) =>
    store.pets.create({ name, categoryId: 1n, status: 'sold' }).then(
      () => 'stored',
      (error: Error) => error.name,
    );
  // The database's own constraint refuses the empty name: it stands in for any rule that a row breaks.
  const outcomes = await Promise.all(['a', 'b', '', 'c'].map(create));
  assert.deepEqual(outcomes, ['stored', 'stored', 'Error', 'stored']);

  const flood = await Promise.all(Array.from({ length: 10_000 }, () => create('x')));
  const stored = flood.filter((outcome) => outcome === 'stored').length;
  assert.equal(stored, 8_192);
  assert.equal(
    flood.filter((outcome) => outcome === 'StoreOverloadedError').length,
    10_000 - stored,
  );
});
