import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { addRequests } from '../../server/src/store/domain-moves.ts';
import { deleteDomain, lockDomain, lockDomains } from '../../server/src/store/domains.ts';
import { ConcurrentChangeError, isUnavailable } from '../../server/src/store/errors.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import { lockProject, lockProjects, updateProject } from '../../server/src/store/projects.ts';
import { recordSiteChange } from '../../server/src/store/sites.ts';
import { openTestDatabase, putProject, UP_TO_DATE } from '../support/store.ts';

onBothEngines('a lock that is taken too late in the order is refused', async (t) => {
  const { db } = await openTestDatabase(t);
  for (const slug of ['a', 'b']) await putProject(db, slug);
  await db.transaction().execute(async (trx) => {
    await lockProjects(trx, ['b', 'a', 'b']);
    await lockDomain(trx, 'any');
    await lockProject(trx, 'a'); // It is held already.
    await recordSiteChange(trx, 'a', 0);
    await lockDomain(trx, 'any');
    await assert.rejects(lockDomain(trx, 'other'), /lock order: .*domain other .*sites/);
    await assert.rejects(lockProject(trx, 'c'), /lock order/);
  });
  await db.transaction().execute(async (trx) => {
    await lockProject(trx, 'b');
    await assert.rejects(lockProject(trx, 'a'), /lock order: .*project a .*project b/);
  });
});

test('transactions that wait for each other are both done, one of them again', async (t) => {
  const { db, close } = await openDatabase(
    await (await sharedServer()).copyDatabase(UP_TO_DATE),
    4,
  );
  cleanUp(t, close);
  for (const slug of ['a', 'b']) await putProject(db, slug);
  let tries = 0;
  const bothHoldOne = Promise.withResolvers<void>();
  const rename = (first: string, second: string) =>
    db.transaction().execute(async (trx) => {
      // Past what keeps the order.
      await updateProject(trx, first, { name: `${first}${second}` });
      if (++tries === 2) bothHoldOne.resolve();
      await bothHoldOne.promise;
      await updateProject(trx, second, { name: `${first}${second}` });
    });
  await Promise.all([rename('a', 'b'), rename('b', 'a')]);
  assert.ok(tries >= 3, 'the database may end both, where both wait for long');
  const names = await db.selectFrom('projects').select('name').execute();
  assert.equal(new Set(names.map(({ name }) => name)).size, 1, 'one came whole after the other');
});

test('a process that stands still in a transaction keeps its locks for some seconds, not for ever', async (t) => {
  const url = await (await sharedServer()).copyDatabase(UP_TO_DATE);
  const stuck = await openDatabase(url, 1);
  cleanUp(t, stuck.close);
  const { db, close } = await openDatabase(`${url}?statement_timeout=60000`, 1);
  cleanUp(t, close);
  const isLocked = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const standing = stuck.db.transaction().execute(async (trx) => {
    await recordSiteChange(trx, 'a', 0);
    isLocked.resolve();
    await goOn.promise;
    await recordSiteChange(trx, 'b', 0);
  });
  await isLocked.promise;
  await db.transaction().execute((trx) => recordSiteChange(trx, 'c', 0));
  goOn.resolve();
  await assert.rejects(standing, isUnavailable);
  const changed = await db.selectFrom('site_changes').select('project_id').execute();
  assert.deepEqual(changed, [{ project_id: 'c' }]);
});

test('edges that count requests and who removes the domains never wait for each other in a circle', async (t) => {
  const url = await (await sharedServer()).copyDatabase(UP_TO_DATE);
  const { db, close } = await openDatabase(url, 4);
  cleanUp(t, close);
  const sql = connectTo(url);
  cleanUp(t, () => sql.end());
  await putProject(db, 'a');
  const ids = ['dom_1', 'dom_2'];
  for (const id of ids) {
    const label = { target_label: id, proof: '', link_secret: id, hostname: `${id}.test` };
    const added = { created_at: 0, created_by_email: '', hsts_include_subdomains: 0, holds: 1 };
    await db
      .insertInto('domains')
      .values({ id, project_id: 'a', ...label, ...added })
      .execute();
  }
  const counts = new Map(ids.map((id) => [id, 1]));
  await addRequests(db, new Map([['dom_1', 1]]), 0);

  const isLocked = Promise.withResolvers<void>();
  const removal = db.transaction().execute(async (trx) => {
    await lockDomains(trx, ids);
    isLocked.resolve();
    await deleteDomain(trx, 'dom_2');
    // Others use the server besides.
    const waiting = () => sql`SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await timeUntil(async () => (await waiting()).length > 0);
    await deleteDomain(trx, 'dom_1');
  });
  await isLocked.promise;
  await Promise.all([addRequests(db, counts, 0), removal]);
  // A process tells the database's statistics of its deadlocks when it ends, at the latest.
  await close();
  const [{ deadlocks } = { deadlocks: undefined }] =
    await sql`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`;
  assert.equal(deadlocks, 0n);
});

onBothEngines('what others undo each time is given up, and may be tried later', async (t) => {
  const { db } = await openTestDatabase(t);
  let tries = 0;
  const hopeless = db.transaction().execute(async (trx) => {
    tries++;
    await lockProject(trx, 'a');
    throw new ConcurrentChangeError();
  });
  await assert.rejects(hopeless, (error) => isUnavailable(error));
  assert.equal(tries, 5);
});
