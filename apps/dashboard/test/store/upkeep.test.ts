import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { assertWithin, watchTurns } from '@petstore/test-support/within.ts';
import { putBlobs } from '../../server/src/store/artifacts.ts';
import {
  endBuilds,
  finishDeploy,
  leaseDeploy,
  pruneBuilds,
} from '../../server/src/store/deploys.ts';
import { pruneDatabase } from '../../server/src/store/maintenance.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import { deleteProject } from '../../server/src/store/projects.ts';
import { recordSiteChange, siteSource } from '../../server/src/store/sites.ts';
import { hasUsers } from '../../server/src/store/users.ts';
import { openTestDatabase, putDeploy, putProject, storeArtifact } from '../support/store.ts';

const HOUR_MS = 3_600_000;

test('what was removed is given back to the file system, and nobody waits for it', async (t) => {
  const path = join(await temporaryFolder(t), 'store.db');
  const database = await openDatabase(`sqlite:${path}`, 1);
  cleanUp(t, database.close);
  const { db } = database;
  const blobs = Array.from(
    { length: 600 },
    (_, at) => [`blob${at}`, Buffer.alloc(50_000, at)] as const,
  );
  const whileStoring = watchTurns();
  await putBlobs(db, blobs, 0);
  const storing = whileStoring.end();
  await storeArtifact(
    db,
    'large',
    Array.from({ length: 3_000 }, (_, at) => `part${at}`),
    0,
  );
  assert.ok((await stat(path)).size > 0);
  const whileRemoving = watchTurns();
  await pruneDatabase(database, () => 2 * HOUR_MS, new AbortController().signal);
  const removing = whileRemoving.end();
  const outside = new DatabaseSync(path);
  outside.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  outside.close();
  assert.ok((await stat(path)).size < 5_000_000, `${(await stat(path)).size} bytes are left`);
  for (const longestMs of [storing, removing]) assert.ok(longestMs < 500, `${longestMs} ms`);
});

test("while another process holds the database's lock, this one goes on with all else", async (t) => {
  const path = join(await temporaryFolder(t), 'store.db');
  const { db, close } = await openDatabase(`sqlite:${path}`, 1);
  cleanUp(t, close);
  const outside = new DatabaseSync(path);
  const longestTurn = async () => {
    // Anew each time: who waits for the lock waits for five seconds.
    outside.exec('BEGIN IMMEDIATE');
    const written = putBlobs(db, [['hash', Buffer.from('x')]], 0);
    const delays = monitorEventLoopDelay({ resolution: 5 });
    delays.enable();
    await sleep(600);
    delays.disable();
    outside.exec('COMMIT');
    await written;
    return delays.max / 1e6;
  };
  await assertWithin(300, longestTurn, 'a turn');
  outside.close();
  assert.equal(await hasUsers(db), false);
});

onBothEngines('an edge forgets all when the store was put back to another state', async (t) => {
  const { db } = await openTestDatabase(t);
  const fail = () => {
    throw new Error('neither an address nor a key is asked for');
  };
  const source = siteSource({
    ...{
      db,
      platformHost: 'docs.localhost',
      addresses: fail,
      sealer: { open: fail },
      now: Date.now,
    },
  });
  const change = (project: string, at = 0) =>
    db.transaction().execute((trx) => recordSiteChange(trx, project, at));
  await change('a');
  const { position } = await source.changesAfter(undefined);
  assert.deepEqual((await source.changesAfter(position)).projectIds, []);
  await change('b');
  await change('c', 2 * HOUR_MS);
  assert.equal((await source.changesAfter(position)).projectIds, undefined, 'too long ago');
  const later = await source.changesAfter(undefined);
  await change('d', 2 * HOUR_MS);
  assert.deepEqual((await source.changesAfter(later.position)).projectIds, ['d']);

  // A copy from before `d`, in which something else happened since.
  const known = await source.changesAfter(later.position);
  await db.deleteFrom('site_changes').where('project_id', '=', 'd').execute();
  await db.updateTable('site_clock').set({ seq: 3 }).execute();
  await change('e', 2 * HOUR_MS);
  assert.equal((await source.changesAfter(known.position)).projectIds, undefined);
});

onBothEngines("whoever's builds are many or slow does not keep others waiting", async (t) => {
  const { db } = await openTestDatabase(t);
  for (const slug of ['many', 'few', 'slow']) await putProject(db, slug);
  const queued = { state: 'queued', started_at: null, finished_at: null, attempts: 0 } as const;
  const put = (project: string, number: number, created_at = 1_000) =>
    putDeploy(db, project, number, {
      ...queued,
      created_by_email: `${project}@example.com`,
      created_at,
    });
  const take = async (now: number, notOf: string[] = []) => {
    const deploy = await leaseDeploy(db, 'worker', now, 1_000_000, notOf);
    return deploy?.id;
  };
  const finish = async (id: string, finished_at: number) => {
    const end = {
      state: 'succeeded',
      artifact_hash: null,
      errors: '[]',
      findings: '[]',
      finished_at,
    } as const;
    assert.ok(await db.transaction().execute((trx) => finishDeploy(trx, id, 'worker', end)));
    await endBuilds(db, id, finished_at, 'worker');
  };
  const build = async (project: string, number: number, from: number, to: number) => {
    const id = await put(project, number);
    assert.equal(await take(from), id);
    await finish(id, to);
  };
  // One that took a minute, and three that took a second each.
  await build('slow', 1, 1_000, 61_000);
  for (const number of [1, 2, 3]) await build('many', number, 70_000, 71_000);
  // Deleting a project does not return the time.
  await db.transaction().execute((trx) => deleteProject(trx, 'slow'));
  await putProject(db, 'slow');
  for (const number of [4, 5]) {
    await put('slow', number);
    await put('many', number, 2_000);
  }
  await put('few', 9, 3_000);
  assert.equal(await take(100_000), 'few9');
  assert.equal(await take(100_001), 'many4');
  assert.equal(await take(100_002, ['many@example.com']), 'slow4', 'nobody else waits');
  // What is being built counts as long as it takes.
  assert.equal(await take(130_000), 'many5');
  assert.equal(await take(130_001, ['slow@example.com']), undefined);
  assert.equal(await take(130_002), 'slow5');

  // A killed worker's build ends when another one begins it; after ten minutes a build is forgotten.
  assert.equal(await take(1_000_000), 'slow4');
  const ofSlow = async () => {
    const rows = await db
      .selectFrom('builds')
      .selectAll()
      .where('deploy_id', '=', 'slow4')
      .execute();
    return rows.map(({ started_at, ended_at }) => `${started_at} to ${ended_at}`).sort();
  };
  assert.deepEqual(await ofSlow(), ['1000000 to null', '100002 to 1000000']);
  await pruneBuilds(db, 1_000_000);
  assert.deepEqual(await ofSlow(), ['1000000 to null']);
});
