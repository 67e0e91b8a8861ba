import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { missingBlobs, putBlob, removeUnreferenced } from '../../server/src/store/artifacts.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import type { Db } from '../../server/src/store/schema.ts';
import {
  lockWaits,
  openTestDatabase,
  putDeploy,
  putProject,
  storeArtifact,
  UP_TO_DATE,
} from '../support/store.ts';

const HOUR_MS = 3_600_000;

async function stored(db: Db) {
  const artifacts = await db.selectFrom('artifacts').select('hash').orderBy('hash').execute();
  const blobs = await db.selectFrom('blobs').select('hash').orderBy('hash').execute();
  return [...artifacts, ...blobs].map(({ hash }) => hash);
}

async function removeAll(db: Db, now: number): Promise<void> {
  while ((await removeUnreferenced(db, now)) > 0);
}

onBothEngines('what is in use stays, what nothing refers to goes after an hour', async (t) => {
  const { db } = await openTestDatabase(t);
  await putProject(db, 'pets');
  await storeArtifact(db, 'A', ['a', 'shared'], 0);
  await storeArtifact(db, 'B', ['b', 'shared'], 0);
  await storeArtifact(db, 'C', ['c'], 2 * HOUR_MS);
  await putBlob(db, 'gone', Buffer.from('x'), 0);
  await putBlob(db, 'new', Buffer.from('x'), 2 * HOUR_MS);
  await putDeploy(db, 'pets', 1, { artifact_hash: 'A' });

  await removeAll(db, HOUR_MS);
  assert.equal((await stored(db)).length, 9, 'nothing is an hour old yet');
  await removeAll(db, 2 * HOUR_MS + 1);
  assert.deepEqual(await stored(db), ['A', 'C', 'a', 'c', 'new', 'shared']);
  await removeAll(db, 4 * HOUR_MS);
  assert.deepEqual(await stored(db), ['A', 'a', 'shared']);
  // Two deploys of the same document share what was built; one is pruned.
  await putDeploy(db, 'pets', 3, { artifact_hash: 'A' });
  await db.updateTable('deploys').set({ artifact_hash: null }).where('number', '=', 1).execute();
  await removeAll(db, 9 * HOUR_MS);
  assert.deepEqual(await stored(db), ['A', 'a', 'shared']);
  await db.deleteFrom('projects').execute();
  await removeAll(db, 9 * HOUR_MS);
  assert.deepEqual(await stored(db), []);
});

onBothEngines('however much there is to remove, each time it is a part', async (t) => {
  const { db } = await openTestDatabase(t);
  await db
    .insertInto('blobs')
    .values(
      Array.from({ length: 450 }, (_, at) => ({
        hash: `h${at}`,
        bytes: Buffer.from('x'),
        created_at: 0,
      })),
    )
    .execute();
  const removed = [];
  for (let count = -1; count !== 0; removed.push(count)) {
    count = await removeUnreferenced(db, 2 * HOUR_MS);
  }
  assert.deepEqual(removed, [200, 200, 50, 0]);
});

onBothEngines(
  'a build is told which contents are missing, and keeps those there are',
  async (t) => {
    const { db } = await openTestDatabase(t);
    await putBlob(db, 'old', Buffer.from('x'), 0);
    await putBlob(db, 'other', Buffer.from('x'), 0);
    const many = Array.from({ length: 1_200 }, (_, at) => `h${at}`);
    const now = 2 * HOUR_MS;
    const missing = await missingBlobs(db, ['old', ...many], now);
    assert.deepEqual([...missing], many);
    await removeAll(db, now + 1);
    assert.deepEqual(await stored(db), ['old']);
  },
);

test('what is taken into use while it is being removed stays [PostgreSQL]', async (t) => {
  const { db, close } = await openDatabase(
    await (await sharedServer()).copyDatabase(UP_TO_DATE),
    4,
  );
  cleanUp(t, close);
  const now = 2 * HOUR_MS;
  const removedWhileInUse = async (table: 'artifacts' | 'blobs') => {
    const { begun } = await db.transaction().execute(async (trx) => {
      await trx.updateTable(table).set({ created_at: now }).execute();
      // It waits for the rows, which are younger when it gets them.
      const begun = removeUnreferenced(db, now);
      await lockWaits(db);
      return { begun };
    });
    return begun;
  };
  await storeArtifact(db, 'A', ['a'], 0);
  assert.equal(await removedWhileInUse('artifacts'), 0);
  await putBlob(db, 'b', Buffer.from('x'), 0);
  assert.equal(await removedWhileInUse('blobs'), 0);
  assert.deepEqual(await stored(db), ['A', 'a', 'b']);
});
