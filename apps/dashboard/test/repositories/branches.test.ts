import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { onBothEngines, onSharedEngines } from '@petstore/test-support/engines.ts';
import { WITHOUT_GIT } from '@petstore/test-support/git-hosts/requirements.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { BranchPreview } from '../../server/src/deploys/branch-preview.ts';
import type { Repository } from '../../server/src/repositories/repository.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { getFromEdge, startEdgeProgram } from '../support/dashboard-program.ts';
import { endIdleBuilders, holdBuilds } from '../support/held-builds.ts';
import { documentTitled } from '../support/project.ts';
import { json, type Visitor } from '../support/service.ts';
import { titleAt } from '../support/site.ts';
import { UP_TO_DATE } from '../support/store.ts';
import {
  check,
  connect,
  deploysOf,
  inState,
  PETS,
  readRepository,
  startGitWorld,
} from './support/repositories.ts';

const skip = WITHOUT_GIT;

const previewsOf = async (visitor: Visitor) =>
  (await json<Page<BranchPreview>>(await visitor.call('GET', `${PETS}/previews`))).items;

const branchOf = ({ branches }: Repository, name: string) =>
  branches.find((branch) => branch.name === name);

async function branchInState(visitor: Visitor, name: string, code: string): Promise<Repository> {
  let repository = await readRepository(visitor);
  await timeUntil(async () => {
    repository = await readRepository(visitor);
    return branchOf(repository, name)?.state.code === code;
  });
  return repository;
}

onBothEngines(
  'other branches become previews with their next commit, which end with the branch',
  async (t) => {
    const { pets, root, url } = await startGitWorld(t);
    pets.git(['branch', 'old', 'main']);
    await connect(root, { url });
    const first = await inState(root, 'ok');
    assert.equal(branchOf(first, 'old')?.state.code, 'not_deployed');
    assert.equal((await deploysOf(root)).length, 1);

    const name = 'feature/ä-ö';
    pets.commit({ 'openapi.json': documentTitled('Feature') }, { branch: name });
    await check(root);
    const shown = await branchInState(root, name, 'ok');
    const [preview] = await previewsOf(root);
    assert.equal(preview?.branch, name);
    assert.equal(branchOf(shown, name)?.deploy?.url, preview.url);
    assert.equal(await titleAt(preview.url), 'Feature');
    const [deploy] = await deploysOf(root);
    assert.deepEqual([deploy?.live, deploy?.commit?.branch], [false, name]);
    // One that was there before is deployed when someone wants it.
    await check(root, '?branch=old');
    await branchInState(root, 'old', 'ok');
    assert.equal((await previewsOf(root)).length, 2);

    pets.git(['branch', '-D', name]);
    const ended = await check(root);
    assert.equal(branchOf(ended, name), undefined);
    assert.deepEqual(
      (await previewsOf(root)).map(({ branch }) => branch),
      ['old'],
    );
  },
  { skip },
);

onSharedEngines(
  'the preview of a branch that is gone is gone from every edge',
  async (t, engine) => {
    const databaseUrl = await engine.createDatabase(t, UP_TO_DATE);
    const { pets, root, url } = await startGitWorld(t, {}, { databaseUrl });
    const { port } = await startEdgeProgram(t, databaseUrl);
    await connect(root, { url });
    await inState(root, 'ok');
    pets.commit({ 'openapi.json': documentTitled('Feature') }, { branch: 'feature' });
    await check(root);
    await branchInState(root, 'feature', 'ok');
    const [preview] = await previewsOf(root);
    const { hostname } = new URL(preview?.url ?? '');
    const isStatus = async (status: number) =>
      (await getFromEdge(port, hostname)).status === status;
    await timeUntil(() => isStatus(200));
    // Later it has seen all changes of before, and keeps what it reads.
    await sleep(1_000);
    assert.equal(await isStatus(200), true);
    pets.git(['branch', '-D', 'feature']);
    await check(root);
    await timeUntil(() => isStatus(404));
  },
  { skip },
);

test('a project has as many previews as its plan keeps, and the branch beyond says so', {
  skip,
}, async (t) => {
  const { pets, root, service, url } = await startGitWorld(t);
  await connect(root, { url });
  await inState(root, 'ok');
  const { id } = await service.db.selectFrom('projects').select('id').executeTakeFirstOrThrow();
  const others = Array.from({ length: 10 }, (_, index) => `other-${index}`);
  for (const branch of others)
    await service.db
      .insertInto('branch_previews')
      .values({
        project_id: id,
        branch,
        label: `${branch}-a`,
        deploy_id: null,
        created_at: 0,
        deployed_at: Date.now(),
      })
      .execute();
  pets.commit({ 'openapi.json': documentTitled('Feature') }, { branch: 'feature' });
  await check(root);
  const full = await branchInState(root, 'feature', 'previews_full');
  assert.match(branchOf(full, 'feature')?.state.message ?? '', /previews of 10 branches/);
  assert.equal(full.state.code, 'ok', 'what goes live is not affected');
  assert.equal((await deploysOf(root)).length, 1);
  const removed = await root.call('DELETE', `${PETS}/previews/other-3`);
  assert.equal(removed.status, 204);
  await check(root);
  await branchInState(root, 'feature', 'ok');
});

test('without previews the branch that goes live is followed alone', { skip }, async (t) => {
  const { pets, root, url } = await startGitWorld(t);
  await connect(root, { url, previews: false });
  await inState(root, 'ok');
  pets.commit({ 'openapi.json': documentTitled('Feature') }, { branch: 'feature' });
  const repository = await check(root);
  assert.deepEqual(
    repository.branches.map(({ name }) => name),
    ['main'],
  );
  assert.deepEqual(await previewsOf(root), []);
});

test('pushes while a deploy is built are deployed as one, the newest', { skip }, async (t) => {
  const { pets, root, url } = await startGitWorld(t);
  await endIdleBuilders();
  await connect(root, { url });
  const [release] = await holdBuilds(t, 1);
  let head = '';
  for (const title of ['One', 'Two', 'Three', 'Four', 'Five']) {
    head = pets.commit({ 'openapi.json': documentTitled(title) });
    await check(root);
  }
  release?.();
  await timeUntil(async () => {
    const [deploy] = await deploysOf(root);
    return deploy?.commit?.hash === head && deploy.live;
  });
  assert.equal((await deploysOf(root)).length, 2, 'the one that was built, and the newest');
});

test('a repository of very many branches is deployed, and its previews are left out', {
  skip,
}, async (t) => {
  const { pets, root, url } = await startGitWorld(t);
  const hash = pets.git(['rev-parse', 'main']);
  const refs = Array.from({ length: 2_500 }, (_, index) => `create refs/heads/b${index} ${hash}\n`);
  pets.git(['update-ref', '--stdin'], refs.join(''));
  await connect(root, { url });
  const repository = await inState(root, 'ok');
  assert.equal(repository.previewProblem?.code, 'too_many_branches');
  assert.match(repository.previewProblem.message, /2,501 branches/);
  assert.equal(repository.branches.length, 1);
});

test('a thousand branches are noted, and a hundred are shown', { skip }, async (t) => {
  const { pets, root, url } = await startGitWorld(t);
  const hash = pets.git(['rev-parse', 'main']);
  const refs = Array.from({ length: 1_000 }, (_, index) => `create refs/heads/b${index} ${hash}\n`);
  pets.git(['update-ref', '--stdin'], refs.join(''));
  await connect(root, { url });
  const repository = await inState(root, 'ok');
  assert.deepEqual([repository.branches.length, repository.branchesLeftOut], [100, 901]);
  assert.ok(repository.branches[0]?.live);
  assert.equal((await deploysOf(root)).length, 1);
});
