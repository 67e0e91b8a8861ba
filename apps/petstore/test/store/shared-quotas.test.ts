import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import type { Share, SharedQuotas } from '../../src/rate-limits/quota.ts';
import { openStore } from '../../src/store/open-store.ts';

/** The quotas of several stores on one database, as several processes have them. */
async function open(t: TestContext, count: number): Promise<SharedQuotas[]> {
  return openOn(t, await (await sharedServer()).createDatabase(), count);
}

async function openOn(t: TestContext, url: string, count: number): Promise<SharedQuotas[]> {
  const stores = await Promise.all(Array.from({ length: count }, () => openStore(url)));
  cleanUp(t, () => Promise.all(stores.map((store) => store.close())));
  return stores.map(({ sharedQuotas }) => {
    assert.ok(sharedQuotas);
    return sharedQuotas;
  });
}

test('shares that are taken at once never exceed the quota together, and use it up', async (t) => {
  const processes = await open(t, 3);
  const quota = { requests: 1_000, windowSeconds: 60 };
  const shares: Share[] = [];
  await Promise.all(
    [...processes, ...processes].map(async (quotas) => {
      for (;;) {
        const share = await quotas.take('key', quota, 1);
        assert.ok(share.endsInMs > 0 && share.endsInMs <= 60_000);
        if (share.requests === 0) return assert.equal(share.left, 0);
        shares.push(share);
      }
    }),
  );
  assert.equal(
    shares.reduce((sum, { requests }) => sum + requests, 0),
    1_000,
  );
  assert.ok(shares.length < 120, `${shares.length} questions for 1000 requests`);
});

test('a share is a sixteenth of what is left, or what is wanted, and keys have nothing to do with each other', async (t) => {
  const [quotas] = (await open(t, 1)) as [SharedQuotas];
  const quota = { requests: 160, windowSeconds: 60 };
  const take = async (key: string, wanted: number) => {
    const { requests, left } = await quotas.take(key, quota, wanted);
    return [requests, left];
  };
  assert.deepEqual(await take('a', 1), [10, 150]);
  assert.deepEqual(await take('a', 100), [100, 50]);
  assert.deepEqual(await take('a', 100), [50, 0]);
  assert.deepEqual(await take('a', 1), [0, 0]);
  assert.deepEqual(await take('b', 1), [10, 150]);
});

test('a window that is over, or too long for the quota, makes room for a new one', async (t) => {
  const url = await (await sharedServer()).createDatabase();
  const [quotas] = (await openOn(t, url, 1)) as [SharedQuotas];
  const sql = connectTo(url);
  cleanUp(t, () => sql.end());
  const long = { requests: 5, windowSeconds: 600 };
  const short = { requests: 5, windowSeconds: 60 };
  assert.equal((await quotas.take('a', long, 5)).requests, 5);
  assert.equal((await quotas.take('a', short, 5)).requests, 5);
  assert.equal((await quotas.take('a', short, 5)).requests, 0);
  await sql`UPDATE rate_limit_windows SET ends_at = ends_at - interval '60 s'`;
  assert.equal((await quotas.take('a', short, 5)).requests, 5);
});
