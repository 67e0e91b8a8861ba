import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onSharedEngines, onEveryEngine as test } from '@petstore/test-support/engines.ts';
import { roomOf } from '../../src/report/record-bounds.ts';
import type { UnnumberedRequest } from '../../src/report/recorded-request.ts';
import { openStore } from '../../src/store/open-store.ts';
import { addSandbox } from '../support/sandboxes.ts';

const MIB = 1024 * 1024;
const FIVE = { count: 5, bytes: MIB };
const FIFTY = { count: 50, bytes: MIB };

// What every engine promises of what clients of sandboxes asked for.

const request = (target: string): UnnumberedRequest => ({
  ...{ at: 1_000, durationMs: 1.5, method: 'GET', target, status: 200 },
  usedIds: ['9007199254740993'],
});

test('requests are numbered for each sandbox, the newest are kept, and go with it', async (t, engine) => {
  const store = await openStore(await engine.createDatabase(t));
  cleanUp(t, () => store.close());
  const { reports, sandboxes } = store;
  await addSandbox(store, { id: 'a' });
  await addSandbox(store, { id: 'b' });
  const batch = (sandbox: string, targets: string[], lost = 0) => ({
    ...{ sandbox, lost },
    requests: targets.map(request),
  });
  await reports.record([batch('b', ['/1']), batch('a', ['/1', '/2']), batch('gone', ['/1'])], FIVE);
  assert.deepEqual(await reports.requests('a'), [
    { number: 1, ...request('/1') },
    { number: 2, ...request('/2') },
  ]);
  await reports.record([batch('a', ['/6', '/7', '/8'], 3)], FIVE);
  const numbers = async (sandbox: string) =>
    (await reports.requests(sandbox)).map(({ number, target }) => [number, target]);
  assert.deepEqual(await numbers('a'), [
    [6, '/6'],
    [7, '/7'],
    [8, '/8'],
  ]);
  assert.deepEqual(await numbers('b'), [[1, '/1']]);
  assert.deepEqual(await numbers('gone'), []);

  const run = { code: 'poll', seed: 7, startedAt: 5, after: 8 };
  assert.equal(await reports.run('a'), undefined);
  assert.equal(await reports.keepRun('a', run), true);
  assert.equal(await reports.keepRun('a', { ...run, endedAt: 6 }), true);
  assert.deepEqual(await reports.run('a'), { ...run, endedAt: 6 });
  assert.equal(await reports.keepRun('gone', run), false);

  assert.equal(await sandboxes.remove('a'), true);
  assert.deepEqual(await numbers('a'), []);
  assert.equal(await reports.run('a'), undefined);
  await reports.record([batch('a', ['/9'])], FIVE);
  assert.deepEqual(await numbers('a'), []);
  assert.equal(await reports.keepRun('a', run), false);
  assert.deepEqual(await numbers('b'), [[1, '/1']]);
});

test('the oldest requests of a sandbox go where all are too long together; the newest stays', async (t, engine) => {
  const store = await openStore(await engine.createDatabase(t));
  cleanUp(t, () => store.close());
  await addSandbox(store, { id: 'a' });
  await addSandbox(store, { id: 'b' });
  const bytes = roomOf(JSON.stringify(request('/1'))) * 3;
  const record = (sandbox: string, ...targets: string[]) =>
    store.reports.record([{ sandbox, lost: 0, requests: targets.map(request) }], {
      count: 5,
      bytes,
    });
  const numbers = async (sandbox: string) =>
    (await store.reports.requests(sandbox)).map(({ number }) => number);
  await record('a', '/1', '/2', '/3');
  await record('b', '/1');
  assert.deepEqual(await numbers('a'), [1, 2, 3]);
  await record('a', '/4');
  await record('a', '/5', '/6');
  assert.deepEqual(await numbers('a'), [4, 5, 6]);
  await record('a', `/${'x'.repeat(bytes)}`);
  assert.deepEqual(await numbers('a'), [7]);
  await record('a', '/8', '/9', '/10');
  assert.deepEqual(await numbers('a'), [8, 9, 10]);
  assert.deepEqual(await numbers('b'), [1], 'each sandbox has its own room');
});

onSharedEngines('two processes give no number twice', async (t, engine) => {
  const url = await engine.createDatabase(t);
  const stores = [await openStore(url), await openStore(url)] as const;
  cleanUp(t, () => Promise.all(stores.map((store) => store.close())));
  await addSandbox(stores[0], { id: 'a' });
  const write = (store: (typeof stores)[0], from: number) =>
    Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        store.reports.record(
          [{ sandbox: 'a', lost: 0, requests: [request(`/${from + i}`)] }],
          FIFTY,
        ),
      ),
    );
  await Promise.all([write(stores[0], 0), write(stores[1], 10)]);
  const found = await stores[1].reports.requests('a');
  assert.deepEqual(
    found.map(({ number }) => number),
    Array.from({ length: 20 }, (_, i) => i + 1),
  );
  assert.equal(new Set(found.map(({ target }) => target)).size, 20);
});
