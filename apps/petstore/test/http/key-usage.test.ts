import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { generateKey } from '../../src/keys/key.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { StoreUnavailableError } from '../../src/store/store-errors.ts';
import { startService } from '../support/service.ts';

const START = Date.parse('2026-11-22T12:00:00.000Z');

async function lastUses({ keys }: Store): Promise<Record<string, number | undefined>> {
  const records = await keys.list();
  return Object.fromEntries(records.map(({ name, lastUsedAt }) => [name, lastUsedAt?.getTime()]));
}

/** A minute passes, and what was to be written then is. How often something was. */
async function minutePasses(t: TestContext, { keys }: Store): Promise<number> {
  const { mock } = t.mock.method(keys, 'noteUses');
  t.mock.timers.tick(60_000);
  mock.restore();
  await Promise.allSettled(mock.calls.map(({ result }) => result));
  return mock.callCount();
}

onBothEngines('when a key was last used is written once a minute, and not before', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = START;
  const service = await startService(t, { now: () => now });
  const idle = generateKey('idle', 'production', new Date());
  await service.store.keys.add(idle);
  for (now of [START, START + 5, START + 7]) await service.get('/pets');
  const refused = { authorization: `Bearer ${idle.key.slice(0, -1)}-` };
  assert.equal((await service.call('/pets', { headers: refused })).status, 401);
  assert.deepEqual(await lastUses(service.store), { test: undefined, idle: undefined });
  await minutePasses(t, service.store);
  assert.deepEqual(await lastUses(service.store), { test: START + 7, idle: undefined });
});

test('nothing is written in a minute in which no key was used', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { get, store } = await startService(t);
  await get('/pets');
  assert.equal(await minutePasses(t, store), 1);
  assert.equal(await minutePasses(t, store), 0);
});

onBothEngines(
  'a service that stops writes down the last uses, those of the fast path too',
  async (t) => {
    let now = START;
    const { app, get, post, store } = await startService(t, { now: () => now });
    await post('/pets', '{"name":"Rex","categoryId":1}');
    for (let i = 0; i < 5; i++) {
      now++;
      assert.equal((await get(i % 2 ? '/pets/1' : '/pets')).status, 200);
    }
    app.server.closeAllConnections();
    await app.close();
    assert.deepEqual(await lastUses(store), { test: START + 5 });
  },
);

test('what could not be written is told, and written the next time', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const working = await openStore('sqlite::memory:');
  let isAway = true;
  const keys = {
    ...working.keys,
    noteUses: async (uses: ReadonlyMap<string, number>) => {
      if (isAway) throw new StoreUnavailableError('away');
      await working.keys.noteUses(uses);
    },
  };
  const store = { ...working, keys };
  const { get, logged } = await startService(t, { store, now: () => START });
  await get('/pets');
  await minutePasses(t, store);
  assert.match(logged.join(''), /the times of last use of keys could not be stored/);
  assert.deepEqual(await lastUses(working), { test: undefined });
  isAway = false;
  await minutePasses(t, store);
  assert.deepEqual(await lastUses(working), { test: START });
});
