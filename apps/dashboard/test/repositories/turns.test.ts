import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { insertRepository } from '../../server/src/store/repositories.ts';
import { insertBranchRows, leaseBranch } from '../../server/src/store/repository-branches.ts';
import type { Db } from '../../server/src/store/schema.ts';
import { openTestDatabase, putProject } from '../support/store.ts';

/** A repository with a commit to fetch. */
async function putWaiting(
  db: Db,
  name: string,
  createdAt: number,
  fetchedAt: number | null,
  account = name,
) {
  await putProject(db, name);
  await db.transaction().execute(async (trx) => {
    await insertRepository(trx, {
      ...{ id: `rep_${name}`, project_id: name, url: `https://git.example/${name}` },
      ...{ provider: 'other', branch: 'main', folder: '', access: 'none', username: null },
      ...{ previews: 1, statuses: 0, sealed_secret: null, public_key: null, host_keys: '[]' },
      ...{ sealed_webhook_secret: null, webhook_delivered_at: null, webhook_problem: null },
      ...{ status_problem: null, preview_problem: null, problem: null, revision: 1 },
      ...{ asked_at: null, checked_at: 0, next_check_at: 0, failures: 0, listed_at: null },
      ...{ fetched_at: fetchedAt, leased_by: null, leased_until: null },
      ...{ created_at: createdAt, created_by_email: `${account}@example.com` },
    });
    await insertBranchRows(trx, [
      {
        ...{ repository_id: `rep_${name}`, name: 'main', head: 'c0ffee', tried: null },
        ...{ deploy_id: null, problem: null, attempts: 0, next_attempt_at: 0 },
        ...{ leased_by: null, leased_until: null, changed_at: 0 },
      },
    ]);
  });
}

onBothEngines(
  'projects are fetched in turns, and nobody gets ahead by connecting anew',
  async (t) => {
    const { db } = await openTestDatabase(t);
    await putWaiting(db, 'again', 900, null);
    await putWaiting(db, 'patient', 100, 500);
    await putWaiting(db, 'busy', 50, 950);
    await putWaiting(db, 'first', 400, null);
    const order: (string | undefined)[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const leased = await leaseBranch(db, 'worker', 1_000 + turn, 9_000);
      order.push(leased?.repository.project_id);
    }
    assert.deepEqual(order, ['first', 'patient', 'again', 'busy', undefined]);
  },
);

onBothEngines(
  'an account with many repositories has one of them fetched at a time, and comes after others',
  async (t) => {
    const { db } = await openTestDatabase(t);
    for (const [at, name] of ['one', 'two', 'three'].entries())
      await putWaiting(db, name, 100 + at, null, 'ada');
    await putWaiting(db, 'patient', 500, null);
    const next = (now: number) => leaseBranch(db, 'worker', now, now + 100);
    const first = await next(1_000);
    assert.equal(first?.repository.project_id, 'one');
    assert.equal((await next(1_001))?.repository.project_id, 'patient');
    assert.equal(await next(1_002), undefined, 'two and three wait for one');
    await putWaiting(db, 'later', 900, null);
    // The first lease has ended by then, and the account has just had its turn.
    assert.equal((await next(1_150))?.repository.project_id, 'later');
  },
);
