import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { openStore } from '../../src/store/open-store.ts';
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
    const deadline = Date.now() + 5_000;
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
