import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { onSharedEngines } from '@petstore/test-support/engines.ts';
import { WITHOUT_GIT } from '@petstore/test-support/git-hosts/requirements.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { createProject, documentTitled } from '../support/project.ts';
import { startService } from '../support/service.ts';
import { putProject, UP_TO_DATE } from '../support/store.ts';
import {
  connect,
  deploysOf,
  gitConfig,
  inState,
  REPOSITORY,
  startGitWorld,
} from './support/repositories.ts';

const skip = WITHOUT_GIT;

onSharedEngines(
  'two processes deploy each commit once',
  async (t, engine) => {
    const databaseUrl = await engine.createDatabase(t, UP_TO_DATE);
    const secretKey = Buffer.alloc(32, 7);
    const { host, pets, root, service, url } = await startGitWorld(
      t,
      {},
      { databaseUrl, secretKey },
    );
    await startService(t, { ...gitConfig(host.caFile), databaseUrl, secretKey });
    await connect(root, { url });
    await inState(root, 'ok');
    for (const title of ['Two', 'Three']) {
      const head = pets.commit({ 'openapi.json': documentTitled(title) });
      await service.db.updateTable('repositories').set({ next_check_at: 0 }).execute();
      await timeUntil(async () => (await deploysOf(root))[0]?.commit?.hash === head);
      await inState(root, 'ok');
    }
    assert.equal((await deploysOf(root)).length, 3);
    const fetched = host.requests.filter((request) => request.startsWith('POST'));
    assert.ok(fetched.length > 0);
  },
  { skip },
);

test('a disconnected repository is not deployed, though it was being fetched', {
  skip,
}, async (t) => {
  const dataDir = await temporaryFolder(t);
  const { host, root, service, url } = await startGitWorld(t, {}, { dataDir });
  let isHeld = false;
  const held: ServerResponse[] = [];
  // The list of branches is answered, and what is fetched is not.
  let lists = 0;
  host.answer = ({ method, url: path = '' }, response) => {
    if (method === 'GET' && path.includes('git-upload-pack')) lists += 1;
    if (lists < 3) return false;
    isHeld = true;
    held.push(response);
    return true;
  };
  await connect(root, { url });
  await timeUntil(async () => isHeld);
  assert.equal((await root.call('DELETE', REPOSITORY)).status, 204);
  const leftovers = async () => {
    const [own = ''] = await readdir(join(dataDir, 'spool'));
    return (await readdir(join(dataDir, 'spool', own))).filter((name) => name.startsWith('git'));
  };
  await timeUntil(async () => (await leftovers()).length === 0);
  assert.deepEqual(await deploysOf(root), []);
  const failures = service.logged.filter((line) => line.includes('"level":50'));
  assert.deepEqual(failures, []);
});

test('many repositories are asked a few at a time, and later at different times', {
  skip,
}, async (t) => {
  const { host, root, service, url } = await startGitWorld(t);
  await connect(root, { url });
  await inState(root, 'ok');
  let atOnce = 0;
  let most = 0;
  host.answer = (_request, response) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    void sleep(20).then(() => {
      atOnce -= 1;
      response.writeHead(404).end();
    });
    return true;
  };
  const { db } = service;
  const row = await db.selectFrom('repositories').selectAll().executeTakeFirstOrThrow();
  const COUNT = 30;
  for (let index = 0; index < COUNT; index += 1) {
    await putProject(db, `p${index}`);
    const own = { id: `rep_${index}`, project_id: `p${index}`, next_check_at: 0, checked_at: null };
    await db
      .insertInto('repositories')
      .values({ ...row, ...own })
      .execute();
  }
  const asked = () =>
    db.selectFrom('repositories').selectAll().where('checked_at', 'is not', null).execute();
  await timeUntil(async () => (await asked()).length === COUNT + 1);
  assert.ok(most > 1 && most <= 8, `${most} at once`);
  const waits = (await asked()).map(
    ({ next_check_at, checked_at }) => next_check_at - (checked_at ?? 0),
  );
  const failed = waits.filter((ms) => ms > 3_600_000);
  assert.ok(Math.max(...failed) - Math.min(...failed) > 300_000, 'spread over minutes');
});

test('the project of a repository may be deleted while it is asked', { skip }, async (t) => {
  const { host, root, service, url } = await startGitWorld(t);
  await createProject(root, 'spare');
  host.answer = () => true;
  // How long a connection waits for the host is not its end here.
  const standstill = performance.now();
  const clock = t.mock.method(performance, 'now', () => standstill);
  const connecting = root.call('PUT', REPOSITORY, { url });
  await timeUntil(async () => host.requests.length > 0);
  const deleted = await root.call('DELETE', '/api/projects/pets', { confirm: 'pets' });
  assert.equal(deleted.status, 204);
  assert.equal((await connecting).status, 404);
  clock.mock.restore();
  assert.deepEqual(await service.db.selectFrom('repositories').selectAll().execute(), []);
});
