import assert from 'node:assert/strict';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onBothEngines, onSharedEngines } from '@petstore/test-support/engines.ts';
import { openStore } from '../../src/store/open-store.ts';
import { assertError } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

const REX = '{"name":"Rex","categoryId":7}';

onBothEngines('an animal that was removed is gone everywhere', async (t) => {
  const { post, get, call } = await startService(t);
  await post('/pets', REX);
  await post('/pets', REX);
  for (let again = 0; again < 3; again++) assert.equal((await get('/pets/1')).status, 200);
  const answer = await call('/pets/1', { method: 'DELETE' });
  assert.deepEqual([answer.status, await answer.text()], [204, '']);
  assert.equal(answer.headers.get('content-type'), null);
  await assertError(await get('/pets/1'), 'not_found');
  assert.doesNotMatch(await (await get('/pets')).text(), /"id":1,/);
  await assertError(await call('/pets/1', { method: 'DELETE' }), 'not_found');
  await assertError(await call('/pets/x', { method: 'DELETE' }), 'not_found');
});

onSharedEngines('an id is never given again, also after a restart', async (t, engine) => {
  const url = await engine.createDatabase(t);
  const rex = { name: 'Rex', categoryId: 1n, status: 'available' } as const;
  const first = await openStore(url);
  for (let i = 0; i < 3; i++) await first.pets.create(rex);
  assert.equal(await first.pets.remove(3n), 'removed');
  await first.close();
  const second = await openStore(url);
  cleanUp(t, () => second.close());
  assert.equal((await second.pets.create(rex)).id, 4n);
});

onBothEngines('following pages while animals leave shows each one that stays once', async (t) => {
  const { post, call } = await startService(t);
  for (let i = 0; i < 30; i++) await post('/pets', REX);
  const ids: number[] = [];
  let path: string | undefined = '/pets?limit=4';
  while (path) {
    const answer: Response = await call(path);
    ids.push(...((await answer.json()) as { id: number }[]).map(({ id }) => id));
    path = /\/v1([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    // The one that the cursor stands on, and one that is still to come.
    await call(`/pets/${ids.at(-1)}`, { method: 'DELETE' });
    await call(`/pets/${(ids.at(-1) ?? 0) + 2}`, { method: 'DELETE' });
  }
  const left = Array.from({ length: 30 }, (_, i) => i + 1).filter((id) => ids.includes(id));
  assert.deepEqual(ids, left, 'in order, none twice');
  assert.deepEqual(ids.slice(0, 8), [1, 2, 3, 4, 5, 7, 8, 9]);
});
