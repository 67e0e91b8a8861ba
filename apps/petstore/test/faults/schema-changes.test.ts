import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { openStore } from '../../src/store/open-store.ts';
import { startService, UP_TO_DATE } from '../support/service.ts';

test('a service goes on when another process changes what its prepared statements give', async (t) => {
  const url = await (await sharedServer()).copyDatabase(UP_TO_DATE);
  const service = await startService(t, { store: await openStore(url) });
  const raw = connectTo(url);
  cleanUp(t, () => raw.end());
  await service.post('/pets', JSON.stringify({ name: 'Rex', categoryId: 1 }));
  const change = async (name: string) => {
    const response = await service.call('/pets/1', {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ name }),
    });
    return `${response.status} ${await response.text()}`;
  };
  // On every connection that writes.
  const changes = async () => {
    for (const result of await Promise.all(['Max', 'Ada', 'Bo', 'Cy', 'Di', 'Ed'].map(change))) {
      assert.match(result, /^200 /);
    }
  };
  await changes();
  await raw.unsafe('ALTER TABLE pets ALTER COLUMN name TYPE varchar(255)');
  await changes();
});
