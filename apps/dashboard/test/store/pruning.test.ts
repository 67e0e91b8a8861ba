import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { listPrunable, pruneDeploys } from '../../server/src/store/deploys.ts';
import type { Db } from '../../server/src/store/schema.ts';
import { openTestDatabase, putDeploy, putProject, storeArtifact } from '../support/store.ts';

const prunable = (db: Db, kept: number) =>
  db.transaction().execute((trx) => listPrunable(trx, 'pets', kept));

async function setLive(db: Db, id: string | null): Promise<void> {
  await db.updateTable('projects').set({ live_deploy_id: id }).where('id', '=', 'pets').execute();
}

onBothEngines('the deploys that went live last are kept, the live one always', async (t) => {
  const { db } = await openTestDatabase(t);
  await putProject(db, 'pets');
  await putProject(db, 'other');
  for (let number = 1; number <= 6; number++) await putDeploy(db, 'pets', number);
  await putDeploy(db, 'pets', 7, { state: 'failed', activated_at: null });
  await putDeploy(db, 'pets', 8, { state: 'building', activated_at: null });
  await putDeploy(db, 'other', 1);

  await setLive(db, 'pets6');
  assert.deepEqual(await prunable(db, 3), ['pets3', 'pets2', 'pets1']);
  assert.deepEqual(await prunable(db, 6), []);
  assert.deepEqual(await prunable(db, 1), ['pets5', 'pets4', 'pets3', 'pets2', 'pets1']);

  // Rolled back to the oldest: it is live, and the others are counted from the newest on.
  await setLive(db, 'pets1');
  assert.deepEqual(await prunable(db, 3), ['pets4', 'pets3', 'pets2']);
  assert.ok(!(await prunable(db, 1)).includes('pets1'));
  // One that was live of late outlives newer ones.
  await db.updateTable('deploys').set({ activated_at: 99 }).where('id', '=', 'pets2').execute();
  assert.deepEqual(await prunable(db, 3), ['pets5', 'pets4', 'pets3']);
});

onBothEngines('deploys of a project that never went live are pruned too', async (t) => {
  const { db } = await openTestDatabase(t);
  await putProject(db, 'pets');
  for (let number = 1; number <= 4; number++) {
    await putDeploy(db, 'pets', number, { activate: 0, activated_at: null });
  }
  assert.deepEqual(await prunable(db, 3), ['pets1']);
});

onBothEngines('a pruned deploy keeps its row and lets go of its contents, once', async (t) => {
  const { db } = await openTestDatabase(t);
  await putProject(db, 'pets');
  await storeArtifact(db, 'A', ['a'], 0);
  for (let number = 1; number <= 3; number++) {
    await putDeploy(db, 'pets', number, { artifact_hash: 'A' });
  }
  await setLive(db, 'pets3');
  await db.transaction().execute(async (trx) => {
    await pruneDeploys(trx, 'pets', await listPrunable(trx, 'pets', 1), 50);
    await pruneDeploys(trx, 'pets', [], 60);
  });
  const rows = await db
    .selectFrom('deploys')
    .select(['artifact_hash', 'pruned_at'])
    .orderBy('number')
    .execute();
  assert.deepEqual(
    rows.map(({ artifact_hash, pruned_at }) => [artifact_hash, pruned_at]),
    [
      [null, 50],
      [null, 50],
      ['A', null],
    ],
  );
  assert.deepEqual(await prunable(db, 1), []);
});
