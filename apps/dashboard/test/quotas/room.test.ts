import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onBothEngines, onSharedEngines } from '@petstore/test-support/engines.ts';
import { amountsOf, readAmount } from '../../server/src/quotas/amount.ts';
import { notifyNearLimit } from '../../server/src/quotas/notify-near-limit.ts';
import { lockPayers, whyNoRoomForSite } from '../../server/src/quotas/room-for-bytes.ts';
import { pruneDeploys } from '../../server/src/store/deploys.ts';
import { setMember } from '../../server/src/store/members.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import { holdContents, recountContents } from '../../server/src/store/project-contents.ts';
import { findProjectById, lockProject, type ProjectRow } from '../../server/src/store/projects.ts';
import { putQuota } from '../../server/src/store/quotas.ts';
import { listRemovable, removableBytes } from '../../server/src/store/removable-deploys.ts';
import type { Role } from '../../server/src/store/schema/projects.ts';
import type { Db, Trx } from '../../server/src/store/schema.ts';
import { insertUser } from '../../server/src/store/users.ts';
import { fillEarlierDatabase } from '../support/earlier-database.ts';
import {
  lockWaits,
  openTestDatabase,
  putDeploy,
  putProject,
  storeArtifact,
} from '../support/store.ts';

const bytesOf = async (db: Db, project: string) =>
  (await findProjectById(db, project))?.stored_bytes;

const put = (db: Db, quota: string, target: string, value: number | null) =>
  db.transaction().execute((trx) => putQuota(trx, quota, target, value));

async function putUser(db: Db, id: string, projects: readonly string[], role: Role = 'owner') {
  await db.transaction().execute(async (trx) => {
    const user = { id, email: `${id}@example.com`, name: id, password_hash: '' };
    await insertUser(trx, { ...user, role: 'user', created_at: 0 });
    for (const project_id of projects)
      await setMember(trx, { project_id, user_id: id, role, created_at: 0 });
  });
}

/** Has a project's deploy hold an artifact that is stored. */
async function hold(db: Db, project: string, number: number, hash: string): Promise<string> {
  const id = await putDeploy(db, project, number, { artifact_hash: hash });
  await db.transaction().execute(async (trx) => {
    await lockProject(trx, project);
    await holdContents(trx, { id, projectId: project }, hash);
  });
  return id;
}

const release = (db: Db, project: string, ids: readonly string[]) =>
  db.transaction().execute(async (trx) => {
    await lockProject(trx, project);
    await pruneDeploys(trx, project, ids, 1);
  });

onBothEngines(
  'each content of a project counts once, until the last deploy that has it lets go',
  async (t) => {
    const { db } = await openTestDatabase(t);
    for (const slug of ['pets', 'shop']) await putProject(db, slug);
    // A content is as long as its name.
    await storeArtifact(db, 'A', ['a', 'common'], 0);
    await storeArtifact(db, 'B', ['bb', 'common'], 0);
    const first = await hold(db, 'pets', 1, 'A');
    const again = await hold(db, 'pets', 2, 'A');
    assert.equal(await bytesOf(db, 'pets'), 7);
    const second = await hold(db, 'pets', 3, 'B');
    assert.equal(await bytesOf(db, 'pets'), 9);
    await hold(db, 'shop', 1, 'B');
    assert.equal(await bytesOf(db, 'shop'), 8, 'another project counts for itself');
    await db
      .updateTable('projects')
      .set({ live_deploy_id: second })
      .where('id', '=', 'pets')
      .execute();
    assert.deepEqual(
      (await listRemovable(db, 'pets', 9)).map(({ id }) => id),
      [first, again],
    );
    assert.equal(await removableBytes(db, 'pets'), 1, 'both have it');
    await release(db, 'pets', [first]);
    assert.equal(await bytesOf(db, 'pets'), 9, 'the other deploy has the same files');
    await release(db, 'pets', [first, again]);
    assert.equal(await bytesOf(db, 'pets'), 8);
    await release(db, 'pets', [second, 'none']);
    await release(db, 'pets', [second]);
    assert.equal(await bytesOf(db, 'pets'), 0);
    assert.equal(await bytesOf(db, 'shop'), 8);
    await db.updateTable('projects').set({ stored_bytes: 5 }).execute();
    const counted = await db.transaction().execute((trx) => recountContents(trx, 'shop'));
    assert.deepEqual([counted, await bytesOf(db, 'shop')], [8, 8]);
  },
);

/** Ends a deploy as a build does, with a look whether there is room. Whether there was. */
function finish(
  db: Db,
  project: string,
  hash: string,
  beforeCommit: (trx: Trx) => Promise<void> = async () => {},
): Promise<boolean> {
  return db
    .transaction()
    .execute(async (trx) => {
      const payers = await lockPayers(trx, project);
      const before = (await lockProject(trx, project)) as ProjectRow;
      await holdContents(trx, { id: `${project}1`, projectId: project }, hash);
      const after = (await findProjectById(trx, project)) as ProjectRow;
      if (await whyNoRoomForSite(trx, before, after, payers)) throw new Error('full');
      await beforeCommit(trx);
      return true;
    })
    .catch((error) => {
      if (error.message !== 'full') throw error;
      return false;
    });
}

onBothEngines(
  'two projects of an account do not grow past its quota together, whoever else owns one',
  async (t, engine) => {
    const { db } = await openTestDatabase(t);
    const isPostgres = engine.name === 'PostgreSQL';
    for (const slug of ['pets', 'shop']) {
      await putProject(db, slug);
      await storeArtifact(db, slug, [`content of ${slug}`], 0);
      await putDeploy(db, slug, 1, { artifact_hash: slug });
    }
    await putUser(db, 'ann', ['pets', 'shop']);
    await putUser(db, 'bob', ['shop']);
    await putUser(db, 'eve', ['pets', 'shop'], 'editor');
    await put(db, 'account-bytes', 'default', 20);
    await put(db, 'account-bytes', 'bob', null);
    await put(db, 'account-bytes', 'eve', 0);
    const begun = Promise.withResolvers<void>();
    const first = finish(db, 'pets', 'pets', async () => {
      begun.resolve();
      // The other one has come as far as it can.
      if (isPostgres) await lockWaits(db);
    });
    await begun.promise;
    const second = finish(db, 'shop', 'shop');
    assert.deepEqual(await Promise.all([first, second]), [true, false]);
    assert.equal(await bytesOf(db, 'shop'), 0, 'what has no room is not counted');
    // The plan of an account is the highest of its projects.
    await put(db, 'account-bytes', 'plan:pro', 100);
    assert.equal(await finish(db, 'shop', 'shop'), false);
    await db.updateTable('projects').set({ plan: 'pro' }).where('id', '=', 'pets').execute();
    assert.equal(await finish(db, 'shop', 'shop'), true);
  },
);

onBothEngines(
  'owners are told at 90 % and when it is full, once each, and again after it was less',
  async (t) => {
    const { db } = await openTestDatabase(t);
    await putProject(db, 'pets');
    await putUser(db, 'ann', ['pets']);
    await put(db, 'bytes', 'plan:free', 1_000);
    const told: number[][] = [];
    for (const bytes of [899, 900, 950, 1_000, 990, 1_200, 850, 905, 799, 899, 950, 100, 1_000]) {
      await db.transaction().execute(async (trx) => {
        const before = (await lockProject(trx, 'pets')) as ProjectRow;
        await trx.updateTable('projects').set({ stored_bytes: bytes }).execute();
        await notifyNearLimit(trx, 0, before, { ...before, stored_bytes: bytes }, new Set());
      });
      const rows = await db.selectFrom('notices').select('payload').execute();
      for (const { payload } of rows) told.push([bytes, JSON.parse(payload).data.percent]);
      await db.deleteFrom('notices').execute();
    }
    assert.deepEqual(told, [
      [900, 90],
      [1_000, 100],
      [950, 90],
      [1_000, 100],
    ]);
  },
);

onBothEngines('an account is told the same of all that it owns, by e-mail alone', async (t) => {
  const { db } = await openTestDatabase(t);
  for (const slug of ['pets', 'shop']) await putProject(db, slug);
  await putUser(db, 'ann', ['pets', 'shop']);
  await putUser(db, 'bob', ['pets', 'shop']);
  for (const id of ['ann', 'bob']) await put(db, 'account-bytes', id, 1_000);
  await db.updateTable('users').set({ disabled_at: 0 }).where('id', '=', 'bob').execute();
  await db.updateTable('projects').set({ stored_bytes: 500 }).where('id', '=', 'shop').execute();
  const told: unknown[] = [];
  for (const bytes of [399, 400, 450, 500, 350, 410, 250, 410]) {
    await db.transaction().execute(async (trx) => {
      const payers = await lockPayers(trx, 'pets');
      const before = (await lockProject(trx, 'pets')) as ProjectRow;
      await trx
        .updateTable('projects')
        .set({ stored_bytes: bytes })
        .where('id', '=', 'pets')
        .execute();
      await notifyNearLimit(trx, 0, before, { ...before, stored_bytes: bytes }, payers);
    });
    for (const { webhook_id, email, payload } of await db
      .selectFrom('notices')
      .selectAll()
      .execute()) {
      const { quota, percent, used, most } = JSON.parse(payload).data;
      told.push([webhook_id, email, quota, percent, used, most]);
    }
    await db.deleteFrom('notices').execute();
  }
  const ann = [null, 'ann@example.com', 'account-bytes'];
  assert.deepEqual(told, [
    [...ann, 90, 900, 1_000],
    [...ann, 100, 1_000, 1_000],
    [...ann, 90, 910, 1_000],
  ]);
});

onSharedEngines(
  'what deploys hold from before it was counted is counted, and quotas stay',
  async (t, engine) => {
    const url = await engine.createDatabase(t);
    await fillEarlierDatabase(url, '0049_quotas', async (db) => {
      for (const slug of ['pets', 'empty']) await putProject(db, slug);
      await storeArtifact(db, 'A', ['a', 'common'], 0);
      await storeArtifact(db, 'B', ['bb', 'common'], 0);
      for (const [number, hash] of ['A', 'A', 'B'].entries())
        await putDeploy(db, 'pets', number + 1, { artifact_hash: hash });
      await put(db, 'projects', 'default', 5);
    });
    const { db, close } = await openDatabase(url, 1);
    cleanUp(t, close);
    assert.deepEqual([await bytesOf(db, 'pets'), await bytesOf(db, 'empty')], [9, 0]);
    assert.deepEqual(
      (await db.selectFrom('quotas').selectAll().execute()).map((row) => ({ ...row })),
      [{ quota: 'projects', target: 'default', value: 5 }],
    );
    await release(db, 'pets', ['pets1', 'pets2']);
    assert.equal(await bytesOf(db, 'pets'), 8);
  },
);

test('amounts are exact, and what is none is refused', () => {
  for (const [text, amount] of [
    ['0', 0],
    ['1.5GB', 1_500_000_000],
    ['0.001 kb', 1],
    ['500 MB', 500_000_000],
    ['12b', 12],
    ['999.999 TB', 999_999_000_000_000],
    ['999999999999999', 999_999_999_999_999],
    [' Unlimited ', null],
  ] as const)
    assert.equal(readAmount('bytes', text), amount, text);
  for (const text of [
    ...['', '-1', '1e3', '0.0001 kB', '1.2345 GB', '1000 TB', '9'.repeat(40), 'NaN', '١٢', '1 GiB'],
    ...['1,5 GB', '0.5', '5 MB MB', 'Infinity', '0x10'],
  ])
    assert.equal(readAmount('bytes', text), undefined, text);
  assert.equal(readAmount('projects', '999999999'), 999_999_999);
  for (const text of ['1000000000', '1 kB', '1.0', '-0', '+1'])
    assert.equal(readAmount('projects', text), undefined, text);
  assert.match(amountsOf('projects'), /from 0 to 999999999, or unlimited/);
});
