import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { onBothEngines, onSharedEngines } from '@petstore/test-support/engines.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import { branchLabel } from '../../server/src/deploys/branch-name.ts';
import type { BranchPreview } from '../../server/src/deploys/branch-preview.ts';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import type { Project } from '../../server/src/projects/project.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { getFromEdge, startEdgeProgram } from '../support/dashboard-program.ts';
import { endIdleBuilders, holdBuilds } from '../support/held-builds.ts';
import {
  createProject,
  deploy,
  documentTitled,
  finished,
  joinAs,
  makeToken,
  setPlan,
} from '../support/project.ts';
import { assertError, json, startService, type Visitor } from '../support/service.ts';
import { fetchFromSite, titleAt } from '../support/site.ts';
import { UP_TO_DATE } from '../support/store.ts';

const PROJECT = '/api/projects/pets';

async function previewsOf(someone: Visitor): Promise<BranchPreview[]> {
  const { items } = await json<Page<BranchPreview>>(
    await someone.call('GET', `${PROJECT}/previews`),
  );
  return items;
}

const deployBranch = (author: Visitor, branch: string, title: string) =>
  deploy(author, 'pets', documentTitled(title), `?branch=${encodeURIComponent(branch)}`);

const pathOf = (branch: string) => `${PROJECT}/previews/${encodeURIComponent(branch)}`;

/** Waits until a site is gone. */
async function untilGone(site: string): Promise<void> {
  await timeUntil(async () => (await fetchFromSite(`${site}/`)).status === 404);
}

onBothEngines('a branch has one lasting address, which shows its newest deploy', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  const live = await deploy(root, 'pets', documentTitled('Live'));

  const first = await deployBranch(root, 'feature/x', 'First');
  assert.deepEqual([first.state, first.live, first.branch], ['succeeded', false, 'feature/x']);
  assert.ok(first.branchUrl);
  assert.match(
    new URL(first.branchUrl).hostname,
    /^pets--feature-x-[a-z2-7]{10}\.docs\.localhost$/,
  );
  assert.equal(await titleAt(first.branchUrl), 'First');
  assert.equal(await titleAt(first.url), 'First', 'the deploy has an address of its own, too');
  assert.equal(await titleAt(url), 'Live');
  const page = await fetchFromSite(`${first.branchUrl}/`);
  assert.equal(page.headers['x-robots-tag'], 'noindex');
  assert.match((await fetchFromSite(`${first.branchUrl}/robots.txt`)).body, /Disallow: \//);

  const second = await deployBranch(root, 'feature/x', 'Second');
  assert.equal(second.branchUrl, first.branchUrl);
  assert.equal(await titleAt(first.branchUrl), 'Second');
  assert.equal((await fetchFromSite(`${first.url}/`)).status, 404, 'its files made room');
  const broken = await deploy(root, 'pets', '{', '?branch=feature/x');
  assert.equal(broken.state, 'failed');
  assert.equal(await titleAt(first.branchUrl), 'Second', 'a failed deploy leaves what is shown');

  const other = await deployBranch(root, 'feature-x', 'Other');
  assert.notEqual(other.branchUrl, first.branchUrl);
  assert.equal(await titleAt(other.branchUrl ?? ''), 'Other');

  const never = await root.call('POST', `${PROJECT}/deploys/${second.id}/activate`);
  assert.match(
    await assertError(never, 409, 'conflict'),
    /^Deploy #3 is a preview of the branch feature\/x, and those never go live/,
  );
  const project = await json<Project>(await root.call('GET', PROJECT));
  assert.deepEqual([project.live?.id, project.latest?.id], [live.id, live.id]);
  assert.equal(await titleAt(url), 'Live');
  assert.deepEqual(
    (await previewsOf(root)).map(({ branch, deploy: shown }) => [branch, shown?.number]),
    [
      ['feature-x', 5],
      ['feature/x', 3],
    ],
  );
});

onBothEngines(
  'a deleted preview is gone at once, and the next deploy opens it again',
  async (t) => {
    const service = await startService(t);
    const root = await service.signUp('root@example.com');
    await createProject(root, 'pets');
    await setPlan(root, 'pets', 'pro');
    const editor = await joinAs(service, root, 'pets', 'editor@example.com', 'editor');
    const viewer = await joinAs(service, root, 'pets', 'viewer@example.com', 'viewer');
    const shown = await deployBranch(editor, 'a/b c', 'Branch');
    assert.ok(shown.branchUrl);
    assert.equal((await previewsOf(viewer)).length, 1);
    await assertError(await viewer.call('DELETE', pathOf('a/b c')), 403, 'forbidden');
    const { token } = await makeToken(editor, 'pets', ['read']);
    await assertError(
      await root.withToken(token).call('DELETE', pathOf('a/b c')),
      403,
      'forbidden',
    );
    const refused = await viewer.call('POST', `${PROJECT}/deploys?branch=x`, documentTitled('No'));
    await assertError(refused, 403, 'forbidden');
    assert.equal(await titleAt(shown.branchUrl), 'Branch');

    assert.equal((await editor.call('DELETE', pathOf('a/b c'))).status, 204);
    assert.equal((await fetchFromSite(`${shown.branchUrl}/`)).status, 404);
    assert.equal((await fetchFromSite(`${shown.url}/`)).status, 404);
    assert.deepEqual(await previewsOf(editor), []);
    assert.match(
      await assertError(await editor.call('DELETE', pathOf('a/b c')), 404, 'not_found'),
      /no such preview of a branch/,
    );
    const gone = await json<Deploy>(await root.call('GET', `${PROJECT}/deploys/${shown.id}`));
    assert.equal(gone.isPruned, true);

    const again = await deployBranch(editor, 'a/b c', 'Again');
    assert.equal(again.branchUrl, shown.branchUrl);
    assert.equal(await titleAt(shown.branchUrl), 'Again');
    const audit = await json<Page<AuditEntry>>(await root.call('GET', `${PROJECT}/audit`));
    const deletion = audit.items.find(({ action }) => action === 'preview.delete');
    assert.deepEqual([deletion?.actor, deletion?.target], ['editor@example.com', 'a/b c']);
    const made = audit.items.find(({ action }) => action === 'deploy.create');
    assert.equal(made?.details.branch, 'a/b c');
  },
);

test('a name that cannot be a branch is refused, and every other one is found again', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const post = (query: string) =>
    root.call('POST', `${PROJECT}/deploys?${query}`, documentTitled('x'));
  for (const branch of ['', 'a'.repeat(101), 'a%00b', 'a%0Ab', 'a%C2%85b', '%E2%80%8B']) {
    assert.match(
      await assertError(await post(`branch=${branch}`), 400, 'invalid_request'),
      /^branch must be 1 to 100 characters long, without control characters/,
      branch,
    );
  }
  for (const branch of ['.', '..'])
    await assertError(await post(`branch=${branch}`), 400, 'invalid_request');
  assert.match(
    await assertError(await post('branch=x&activate=true'), 400, 'invalid_request'),
    /^activate must not be true together with branch/,
  );
  assert.deepEqual(await previewsOf(root), []);

  for (const branch of ['🐈'.repeat(100), '/'.repeat(100), '%2F', '-', 'A', 'a', '日本語', '?#&']) {
    const { branchUrl } = await deployBranch(root, branch, branch);
    assert.ok(branchUrl, branch);
    const [label = ''] = new URL(branchUrl).hostname.split('.');
    assert.match(label, /^pets--[a-z0-9]+(-[a-z0-9]+)+$/, branch);
    assert.equal(await titleAt(branchUrl), branch);
    assert.equal((await root.call('DELETE', pathOf(branch))).status, 204, branch);
    assert.equal((await fetchFromSite(`${branchUrl}/`)).status, 404, branch);
  }
});

test('with the longest slug the label of a branch is one that DNS takes', () => {
  const branches = ['a/b', 'a-b', 'a--b', 'A/b', '日本語', '🐈', '-'.repeat(100), 'x'.repeat(100)];
  const labels = branches.map((branch) => branchLabel('prj_one', branch));
  for (const label of labels) {
    assert.match(`${'s'.repeat(40)}--${label}`, /^(?!.*--.*--)[a-z0-9-]{1,63}(?<!-)$/);
    assert.ok(label.includes('-'), 'no deploy has such an id');
  }
  assert.equal(new Set(labels).size, branches.length);
  assert.equal(branchLabel('prj_one', 'a/b'), labels[0]);
  assert.notEqual(branchLabel('prj_two', 'a/b'), labels[0], 'another project tells nothing');
});

test('previews push out no deploy that was live, and there are as many as the plan keeps', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const first = await deploy(root, 'pets', documentTitled('First'));
  await deploy(root, 'pets', documentTitled('Second'));
  for (let at = 0; at < 10; at++) await deployBranch(root, `branch-${at}`, `Branch ${at}`);
  assert.equal(await titleAt(first.url), 'First');
  assert.equal((await previewsOf(root)).length, 10);
  const eleventh = await root.call(
    'POST',
    `${PROJECT}/deploys?branch=another`,
    documentTitled('Another'),
  );
  assert.match(
    await assertError(eleventh, 409, 'conflict'),
    /^This project has previews of 10 branches, as many as its plan keeps/,
  );
  assert.equal((await deployBranch(root, 'branch-0', 'Newer')).state, 'succeeded');
  for (let at = 0; at < 10; at++) await deploy(root, 'pets', documentTitled(`Live ${at}`));
  assert.equal((await fetchFromSite(`${first.url}/`)).status, 404, 'those count as before');
  const [newest] = await previewsOf(root);
  assert.equal(newest?.branch, 'branch-0');
  assert.equal(await titleAt(newest?.url ?? ''), 'Newer');
});

onBothEngines('a preview ends after its days without a deploy, and not before', async (t) => {
  let ahead = 0;
  const service = await startService(t, { previewDays: 30 }, { now: () => Date.now() + ahead });
  const root = await service.signUp('root@example.com');
  const { token } = await makeToken(root, undefined, ['read', 'deploy', 'projects']);
  const author = root.withToken(token);
  await createProject(author, 'pets');
  const unused = await deployBranch(author, 'unused', 'Unused');
  const day = 24 * 3_600_000;
  ahead = 10 * day;
  const used = await deployBranch(author, 'used', 'Used');
  const live = await deploy(author, 'pets', documentTitled('Live'));
  const [latest] = await previewsOf(author);
  assert.equal(Date.parse(latest?.endsAt ?? '') - Date.parse(latest?.deployedAt ?? ''), 30 * day);

  ahead = 31 * day;
  assert.ok(unused.branchUrl && used.branchUrl);
  await untilGone(unused.branchUrl);
  assert.deepEqual(
    (await previewsOf(author)).map(({ branch }) => branch),
    ['used'],
  );
  assert.equal(await titleAt(used.branchUrl), 'Used');
  const audit = await json<Page<AuditEntry>>(await author.call('GET', `${PROJECT}/audit`));
  const end = audit.items.find(({ action }) => action === 'preview.end');
  assert.deepEqual([end?.actor, end?.target, end?.details], ['system', 'unused', { days: 30 }]);

  ahead = 41 * day;
  await untilGone(used.branchUrl);
  assert.equal(await titleAt(live.url), 'Live');
});

onSharedEngines('a preview that ends is gone from every edge, too', async (t, engine) => {
  let ahead = 0;
  const databaseUrl = await engine.createDatabase(t, UP_TO_DATE);
  const settings = { databaseUrl, previewDays: 30 };
  const service = await startService(t, settings, { now: () => Date.now() + ahead });
  const { port } = await startEdgeProgram(t, databaseUrl);
  const root = await service.signUp('root@example.com');
  const { token } = await makeToken(root, undefined, ['read', 'deploy', 'projects']);
  const author = root.withToken(token);
  await createProject(author, 'pets');
  const endings: [branch: string, end: () => unknown][] = [
    ['deleted', () => author.call('DELETE', pathOf('deleted'))],
    ['unused', () => (ahead = 31 * 24 * 3_600_000)],
  ];
  for (const [branch, end] of endings) {
    const { branchUrl } = await deployBranch(author, branch, branch);
    const { hostname } = new URL(branchUrl ?? '');
    const isStatus = async (status: number) =>
      (await getFromEdge(port, hostname)).status === status;
    await timeUntil(() => isStatus(200));
    // Later it has seen all changes of before, and keeps what it reads.
    await sleep(1_000);
    assert.equal(await isStatus(200), true);
    await end();
    await timeUntil(() => isStatus(404));
  }
});

test('a deploy whose preview is deleted while it is built fails, and says so', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  await endIdleBuilders();
  const path = `${PROJECT}/deploys?branch=short`;
  const queued = await json<Deploy>(await root.call('POST', path, documentTitled('Short')), 202);
  const [release] = await holdBuilds(t, 1);
  assert.equal((await root.call('DELETE', pathOf('short'))).status, 204);
  release?.();
  const ended = await finished(root, 'pets', queued.id);
  assert.equal(ended.state, 'failed');
  assert.match(ended.errors[0]?.message ?? '', /preview of the branch short was deleted before/);
  assert.equal((await fetchFromSite(`${queued.branchUrl}/`)).status, 404);
});

test('an older deploy of a branch that takes longer does not replace a newer one', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  await setPlan(root, 'pets', 'pro');
  const editor = await joinAs(service, root, 'pets', 'editor@example.com', 'editor');
  await endIdleBuilders();
  const path = `${PROJECT}/deploys?branch=slow`;
  const older = await json<Deploy>(await root.call('POST', path, documentTitled('Older')), 202);
  const [release] = await holdBuilds(t, 1);
  const newer = await deployBranch(editor, 'slow', 'Newer');
  assert.ok(newer.branchUrl);
  assert.equal(await titleAt(newer.branchUrl), 'Newer');
  release?.();
  const ended = await finished(root, 'pets', older.id);
  assert.deepEqual([ended.state, ended.isPruned], ['succeeded', true]);
  assert.equal(await titleAt(newer.branchUrl), 'Newer');
});
