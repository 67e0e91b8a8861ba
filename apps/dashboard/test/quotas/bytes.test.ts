import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSharedEngines } from '@petstore/test-support/engines.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { sql } from 'kysely';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import type { QuotaUse, RemovableDeploy } from '../../server/src/quotas/quota-use.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { removeContentsOfGone } from '../../server/src/store/project-contents.ts';
import type { Db } from '../../server/src/store/schema.ts';
import {
  createProject,
  deploy,
  documentTitled,
  finished,
  joinAs,
  setPlan,
} from '../support/project.ts';
import { assertError, json, startService, type Visitor } from '../support/service.ts';

/** What a project holds: as it is counted, and the sum of the different contents of its deploys. */
async function held(db: Db, slug: string): Promise<{ counted: number; there: number }> {
  const { rows } = await sql<{ counted: number; there: number }>`
    SELECT stored_bytes AS counted, (SELECT CAST(COALESCE(SUM(octet_length(bytes)), 0) AS bigint) FROM blobs
      WHERE hash IN (SELECT blob_hash FROM artifact_blobs WHERE artifact_hash IN
        (SELECT artifact_hash FROM deploys WHERE project_id = projects.id))) AS there
    FROM projects WHERE slug = ${slug}`.execute(db);
  return rows[0] as { counted: number; there: number };
}

/** What a project holds, after a look whether that is counted right. */
async function heldBy(db: Db, slug: string): Promise<number> {
  const { counted, there } = await held(db, slug);
  assert.equal(counted, there, `what ${slug} holds is counted`);
  return counted;
}

const setQuota = async (root: Visitor, quota: string, target: string, most: number | null) =>
  json(await root.call('PUT', `/api/installation/quotas/${quota}/${target}`, { most }));

const useOf = async (visitor: Visitor, path: string, quota: string) =>
  (await json<Page<QuotaUse>>(await visitor.call('GET', path))).items.find(
    (use) => use.quota === quota,
  ) as QuotaUse;

const removable = async (visitor: Visitor, slug: string) =>
  (
    await json<Page<RemovableDeploy>>(
      await visitor.call('GET', `/api/projects/${slug}/removable-deploys`),
    )
  ).items;

onSharedEngines(
  'what a project holds is counted once, bounded, and freed by what is removed, pruned and deleted',
  async (t) => {
    const service = await startService(t);
    const { db } = service;
    const root = await service.signUp('root@example.com');
    await createProject(root, 'pets');
    assert.equal(await heldBy(db, 'pets'), 0);
    await deploy(root, 'pets', documentTitled('One'));
    const one = await heldBy(db, 'pets');
    assert.ok(one > 1_000);
    await deploy(root, 'pets', documentTitled('One'));
    assert.ok(
      (await heldBy(db, 'pets')) - one < one / 2,
      'the same site again adds hardly anything',
    );
    await deploy(root, 'pets', documentTitled('Two'));
    const hook = { url: 'https://hooks.example.com/docs', events: ['quota.reached'] };
    await json(await root.call('POST', '/api/projects/pets/webhooks', hook), 201);
    const two = await heldBy(db, 'pets');
    assert.ok(two > one);

    // The site has no room: the deploy fails, and nothing else changes.
    await setQuota(root, 'bytes', 'project:pets', two + 300);
    const failed = await deploy(root, 'pets', documentTitled('Three'));
    assert.equal(failed.state, 'failed');
    assert.match(
      failed.errors[0]?.message ?? '',
      /^This project holds \d+ kB of the \d+ kB that it may, and this site has \d+ (kB|bytes) more\. Remove the files of old deploys on the project's page Plan: 2 of them may go, from #1 on, and have 13 kB that no other has\. Whoever runs this dashboard may allow more, .* dashboard quotas set bytes NUMBER --project pets$/,
    );
    assert.equal(await heldBy(db, 'pets'), two);
    const live = await json<{ live: Deploy }>(await root.call('GET', '/api/projects/pets'));
    assert.equal(live.live.number, 3);

    // Nor has the upload, where there is still less: and then it is as if nothing had been sent.
    await setQuota(root, 'bytes', 'project:pets', two);
    const upload = await root.call('POST', '/api/projects/pets/deploys', documentTitled('Three'));
    assert.match(
      await assertError(upload, 409, 'conflict'),
      /^This project holds .* that it may, and this upload has \d+ bytes more\. Remove the files/,
    );
    assert.equal(await countRows(db, 'deploy_sources'), 0);
    assert.equal(await countRows(db, 'deploys'), 4);
    // Both were refused, and the owners are told once: by a webhook, and by an e-mail.
    const notices = await db.selectFrom('notices').select(['email', 'payload']).execute();
    assert.deepEqual(notices.map(({ email }) => email).sort(), [null, 'root@example.com']);
    for (const { payload } of notices) {
      const { type, data } = JSON.parse(payload);
      assert.deepEqual(
        [type, data.percent, data.used, data.most],
        [...['quota.reached', 100, two, two + 300]],
      );
      assert.match(data.message, /^A deploy of pets was refused\. This project holds /);
    }
    assert.deepEqual(await useOf(root, '/api/projects/pets/quotas', 'bytes'), {
      ...{ quota: 'bytes', unit: 'bytes', used: two, most: two, from: 'one' },
    });

    // What nothing shows can go; what is live cannot.
    const [oldest, next] = await removable(root, 'pets');
    assert.deepEqual([oldest?.number, next?.number], [1, 2]);
    const remove = (id: string) => root.call('DELETE', `/api/projects/pets/deploys/${id}/files`);
    assert.match(
      await assertError(await remove(live.live.id), 409, 'conflict'),
      /^Readers find deploy #3 as the site, so its files stay\./,
    );
    assert.equal(oldest?.frees, 0, 'the second has the same files');
    for (const { id } of [oldest, next] as RemovableDeploy[]) {
      const before = await heldBy(db, 'pets');
      const [{ frees }] = (await removable(root, 'pets')) as [RemovableDeploy];
      assert.equal((await remove(id)).status, 204);
      assert.equal(await heldBy(db, 'pets'), before - frees);
    }
    assert.match(
      await assertError(await remove(oldest?.id ?? ''), 409, 'conflict'),
      /no files any more/,
    );
    const gone = await json<Deploy>(
      await root.call('GET', `/api/projects/pets/deploys/${oldest?.id}`),
    );
    assert.equal(gone.state, 'succeeded');
    assert.deepEqual(await removable(root, 'pets'), []);
    // The bound that was too low for one more before. Compressed forms differ by some bytes from deploy to deploy.
    await setQuota(root, 'bytes', 'project:pets', two + 300);
    const three = await deploy(root, 'pets', documentTitled('Six'));
    assert.equal(three.state, 'succeeded', 'there is room again');

    // A plan's bound holds where the project has none, and a change of the plan counts at once.
    const unset = '/api/installation/quotas/bytes/project:pets';
    assert.equal((await root.call('DELETE', unset)).status, 204);
    await assertError(await root.call('DELETE', unset), 404, 'not_found');
    await setQuota(root, 'bytes', 'everybody', 1);
    await setQuota(root, 'bytes', 'plan:pro', null);
    const { most, from } = await useOf(root, '/api/projects/pets/quotas', 'bytes');
    assert.deepEqual([most, from], [1, 'everybody']);
    const send = () => root.call('POST', '/api/projects/pets/deploys', documentTitled('Seven'));
    await assertError(await send(), 409, 'conflict');
    await setPlan(root, 'pets', 'pro');
    assert.equal((await send()).status, 202);

    // A branch keeps its newest deploy alone, and its end frees that.
    await root.call('DELETE', '/api/installation/quotas/bytes/everybody');
    await finishedAll(root, 'pets');
    const without = await heldBy(db, 'pets');
    await deploy(root, 'pets', documentTitled('Branch'), '?branch=topic');
    await deploy(root, 'pets', documentTitled('Branch again'), '?branch=topic');
    assert.ok((await heldBy(db, 'pets')) > without);
    assert.equal((await root.call('DELETE', '/api/projects/pets/previews/topic')).status, 204);
    assert.equal(await heldBy(db, 'pets'), without);

    // A deleted project counts no more at once; its rows are removed later.
    const own = () => useOf(root, '/api/account/quotas', 'account-bytes');
    assert.equal((await own()).used, without);
    await root.call('DELETE', '/api/projects/pets', { confirm: 'pets' });
    assert.equal((await own()).used, 0);
    assert.notEqual(await countRows(db, 'project_contents'), 0);
    while ((await removeContentsOfGone(db)) > 0);
    assert.equal(await countRows(db, 'project_contents'), 0);
  },
);

onSharedEngines(
  'deploys of two projects of an account at the same time do not pass its quota together',
  async (t) => {
    const service = await startService(t);
    const root = await service.signUp('root@example.com');
    const senders: [Visitor, string][] = [];
    for (const slug of ['pets', 'shop']) {
      await createProject(root, slug);
      // Of one account one build is under way at a time.
      senders.push([await joinAs(service, root, slug, `${slug}@example.com`, 'editor'), slug]);
    }
    await deploy(root, 'pets', documentTitled('One'));
    const first = await heldBy(service.db, 'pets');
    await setQuota(root, 'account-bytes', 'account:root@example.com', first * 2 + 500);
    await setQuota(root, 'account-bytes', 'plan:free', 1);
    const sent = await Promise.all(
      senders.map(([sender, slug]) => deploy(sender, slug, documentTitled(`Of ${slug}`))),
    );
    assert.deepEqual(sent.map(({ state }) => state).sort(), ['failed', 'succeeded']);
    const refused = sent.find(({ state }) => state === 'failed');
    assert.match(
      refused?.errors[0]?.message ?? '',
      /^The projects of root@example\.com hold \d+ kB of the \d+ kB that they may together, and this site has \d+ kB more\. .* dashboard quotas set account-bytes NUMBER --account root@example\.com$/,
    );
    // Whose quota it is gets to know it, and nobody else.
    const notices = await service.db.selectFrom('notices').select(['email', 'payload']).execute();
    assert.deepEqual([...new Set(notices.map(({ email }) => email))], ['root@example.com']);
    const told = notices.map(({ payload }) => JSON.parse(payload).data);
    assert.deepEqual([...new Set(told.map(({ quota }) => quota))], ['account-bytes']);
    assert.equal(told.filter(({ percent }) => percent === 100).length, 1);
    const holds = (await heldBy(service.db, 'pets')) + (await heldBy(service.db, 'shop'));
    assert.ok(holds <= first * 2 + 500);
    assert.equal((await useOf(root, '/api/account/quotas', 'account-bytes')).used, holds);
  },
);

test('a deploy without room fails together with the notice of it, or not yet', async (t) => {
  const service = await startService(t);
  const { db } = service;
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  await deploy(root, 'pets', documentTitled('One'));
  await setQuota(root, 'bytes', 'project:pets', (await heldBy(db, 'pets')) + 300);
  // As if the process had ended before the notice was written.
  await sql`CREATE TRIGGER ends BEFORE INSERT ON notices BEGIN SELECT RAISE(ABORT, 'ended'); END`.execute(
    db,
  );
  const sent = await root.call('POST', '/api/projects/pets/deploys', documentTitled('Two'));
  const { id } = await json<Deploy>(sent, 202);
  const stateOf = async () => {
    const { state } = await json<Deploy>(
      await root.call('GET', `/api/projects/pets/deploys/${id}`),
    );
    return state;
  };
  const says = () =>
    db
      .selectFrom('deploy_log')
      .where('deploy_id', '=', id)
      .where('message', 'like', 'The build failed because of the service%')
      .select('seq')
      .executeTakeFirst();
  await timeUntil(async () => (await says()) !== undefined);
  assert.notEqual(await stateOf(), 'failed');
  await sql`DROP TRIGGER ends`.execute(db);
  assert.equal((await finished(root, 'pets', id)).state, 'failed');
  const notices = await db.selectFrom('notices').select('email').execute();
  assert.deepEqual(
    notices.map(({ email }) => email),
    ['root@example.com'],
  );
});

/** Waits for the end of all builds of a project. */
async function finishedAll(visitor: Visitor, slug: string): Promise<void> {
  const { items } = await json<Page<Deploy>>(
    await visitor.call('GET', `/api/projects/${slug}/deploys`),
  );
  for (const { id } of items) await finished(visitor, slug, id);
}

async function countRows(
  db: Db,
  table: 'deploys' | 'deploy_sources' | 'project_contents',
): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
