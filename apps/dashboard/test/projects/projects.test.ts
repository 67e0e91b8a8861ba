import assert from 'node:assert/strict';
import { PROXY_PATH } from '@petstore/site/request/proxy-format.ts';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { Project } from '../../server/src/projects/project.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { INSIDE, sendThrough, startApi } from '../edge/support/request-proxy.ts';
import { createProject, deploy, invite, joinAs, makeToken } from '../support/project.ts';
import { assertError, json, startService } from '../support/service.ts';
import { fetchFromSite } from '../support/site.ts';

onBothEngines('a project is created, read and listed by its owner', async (t) => {
  const service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  const created = await owner.call('POST', '/api/projects', { name: 'Pet store', slug: 'pets' });
  assert.equal(created.headers.get('location'), '/api/projects/pets');
  const project = await json<Project>(created, 201);
  assert.equal(project.plan, 'free');
  assert.equal(project.url, `http://pets.docs.localhost:${service.edgePort}`);
  assert.deepEqual(await json(await owner.call('GET', '/api/projects/pets')), project);
  const list = await json<{ items: Project[] }>(await owner.call('GET', '/api/projects'));
  assert.deepEqual(list.items, [project]);
});

onBothEngines('a slug is given once', async (t) => {
  const service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  await json(await owner.call('POST', '/api/projects', { name: 'A', slug: 'pets' }), 201);
  const second = await owner.call('POST', '/api/projects', { name: 'B', slug: 'pets' });
  assert.match(await assertError(second, 409, 'conflict'), /pets is taken/);
});

onBothEngines('of ten who want a slug at the same time, one gets it', async (t) => {
  const service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      owner.call('POST', '/api/projects', { name: 'A', slug: 'pets' }),
    ),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, ...Array(9).fill(409)]);
});

onBothEngines('a list shows the caller’s projects by slug, page by page', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  for (const slug of ['c', 'a', 'e', 'b']) await createProject(root, slug);
  const guest = await joinAs(service, root, 'b', 'guest@example.com', 'viewer');
  await createProject(guest, 'd');
  const page = async (who: typeof root, query: string) => {
    const { items, nextCursor } = await json<Page<Project>>(
      await who.call('GET', `/api/projects?${query}`),
    );
    return { slugs: items.map(({ slug }) => slug), nextCursor };
  };
  const first = await page(root, 'limit=3');
  assert.deepEqual(first.slugs, ['a', 'b', 'c']);
  const second = await page(root, `limit=3&cursor=${first.nextCursor}`);
  assert.deepEqual(second, { slugs: ['d', 'e'], nextCursor: null });
  assert.deepEqual((await page(guest, '')).slugs, ['b', 'd']);
  for (const cursor of ['', 'x', 'AA', Buffer.from('a\0').toString('base64url')]) {
    const answer = await root.call('GET', `/api/projects?cursor=${cursor}`);
    await assertError(answer, 400, 'invalid_cursor');
  }
});

onBothEngines('another slug moves the site at once, previews too', async (t) => {
  const service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  const { url: before } = await createProject(owner, 'pets');
  const { id, url: oldPreview } = await deploy(owner, 'pets');
  assert.equal((await fetchFromSite(before)).status, 200);
  assert.equal((await fetchFromSite(oldPreview)).status, 200);

  const moved = await json<Project>(
    await owner.call('PATCH', '/api/projects/pets', { slug: 'animals', name: 'Animals' }),
  );
  assert.deepEqual([moved.slug, moved.name, moved.live?.id], ['animals', 'Animals', id]);
  assert.equal((await fetchFromSite(before)).status, 308);
  assert.equal((await fetchFromSite(oldPreview)).status, 308);
  const { body, status } = await fetchFromSite(`${moved.url}/sitemap.xml`);
  assert.equal(status, 200);
  assert.ok(body.includes(moved.url) && !body.includes(before), 'the site says where it is');
  assert.equal((await fetchFromSite(moved.live?.url ?? '')).status, 200);
  // The slug is its owner's to use again, and the address of another project then.
  const heir = await createProject(owner, 'pets');
  await timeUntil(async () => (await fetchFromSite(heir.url)).status === 404);
});

onBothEngines('who changes the name and who changes the slug at once both do', async (t) => {
  const service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  for (let at = 0; at < 5; at++) {
    await createProject(owner, `pets${at}`);
    await Promise.all([
      owner.call('PATCH', `/api/projects/pets${at}`, { name: 'Renamed' }),
      owner.call('PATCH', `/api/projects/pets${at}`, { slug: `moved${at}` }),
    ]);
    const moved = await json<Project>(await owner.call('GET', `/api/projects/moved${at}`));
    // The rename may have come after the move, to an address without a project.
    assert.ok(['Renamed', `pets${at}`].includes(moved.name));
  }
});

onBothEngines('an owner switches the MCP server of all sites off and on', async (t) => {
  const service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  const made = await createProject(owner, 'pets');
  assert.equal(made.mcp, true);
  const change = async (body: object) =>
    json<Project>(await owner.call('PATCH', '/api/projects/pets', body));
  const live = await deploy(owner, 'pets');
  const statuses = async () =>
    Promise.all(
      [made.url, live.url].map(async (url) => (await fetchFromSite(`${url}/mcp`)).status),
    );
  assert.deepEqual(await statuses(), [405, 405], 'there is a server, for POST');
  const off = await change({ mcp: false });
  assert.deepEqual(await statuses(), [404, 404], 'at once, previews too');
  assert.deepEqual([off.mcp, off.name], [false, made.name]);
  assert.equal((await change({ mcp: true })).mcp, true);
  await change({ mcp: true });

  const editor = await joinAs(service, owner, 'pets', 'editor@example.com', 'editor');
  const refused = await editor.call('PATCH', '/api/projects/pets', { mcp: false });
  await assertError(refused, 403, 'forbidden');
  const entries = await service.db
    .selectFrom('audit_log')
    .select('details')
    .where('action', '=', 'project.update')
    .orderBy('id')
    .execute();
  const switches = entries.map(({ details }) => {
    const { from, to } = JSON.parse(details);
    return [from.mcp, to.mcp].map(Number).join('');
  });
  assert.deepEqual(switches, ['10', '01'], 'what changes nothing is no entry');
});

onBothEngines('an owner switches the request proxy on where the operator allows it', async (t) => {
  const api = await startApi(t);
  const service = await startService(t, {
    ...{ requestProxy: 'allow', requestProxyNetworks: [INSIDE] },
  });
  const owner = await service.signUp('owner@example.com');
  const made = await createProject(owner, 'pets');
  assert.equal(made.requestProxy, false);
  const document = { openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths: {} };
  const live = await deploy(
    owner,
    'pets',
    JSON.stringify({ ...document, servers: [{ url: `${api.url}/v1` }] }),
  );
  const statuses = async () =>
    Promise.all(
      [made.url, live.url].map(async (url) => (await fetchFromSite(url + PROXY_PATH)).status),
    );
  assert.deepEqual(await statuses(), [404, 404]);
  const change = async (requestProxy: boolean) =>
    json<Project>(await owner.call('PATCH', '/api/projects/pets', { requestProxy }));
  const on = await change(true);
  assert.deepEqual([on.requestProxy, on.mcp, await statuses()], [true, true, [204, 204]]);
  const { host } = new URL(made.url);
  const answer = await sendThrough(service.edgePort, { url: `${api.url}/v1/pets` }, { host });
  assert.deepEqual([answer.head?.status, String(answer.body)], [200, '{}']);
  assert.equal((await change(false)).requestProxy, false);
  assert.deepEqual(await statuses(), [404, 404]);
  const editor = await joinAs(service, owner, 'pets', 'editor@example.com', 'editor');
  const refused = await editor.call('PATCH', '/api/projects/pets', { requestProxy: true });
  await assertError(refused, 403, 'forbidden');
});

onBothEngines('without the operator, nobody switches the request proxy on', async (t) => {
  const service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  await createProject(owner, 'pets');
  const change = (requestProxy: boolean) =>
    owner.call('PATCH', '/api/projects/pets', { requestProxy });
  const message = await assertError(await change(true), 400, 'invalid_request');
  assert.match(message, /cannot be switched on here\. .*DASHBOARD_REQUEST_PROXY/);
  // The operator allowed it before.
  await service.db.updateTable('projects').set({ request_proxy: 1 }).execute();
  assert.equal((await json<Project>(await change(false))).requestProxy, false);
});

onBothEngines(
  'deletion needs the slug once more, and takes everything offline at once',
  async (t) => {
    const service = await startService(t);
    const owner = await service.signUp('owner@example.com');
    const { url } = await createProject(owner, 'pets');
    const live = await deploy(owner, 'pets');
    const { token } = await makeToken(owner, 'pets');
    const secret = await invite(owner, 'pets', 'guest@example.com');
    for (const body of [{ confirm: 'Pets' }, { confirm: '' }]) {
      const answer = await owner.call('DELETE', '/api/projects/pets', body);
      assert.match(await assertError(answer, 400, 'invalid_request'), /confirm must be .*, pets,/);
    }
    await assertError(await owner.call('DELETE', '/api/projects/pets'), 400, 'invalid_request');
    assert.equal((await fetchFromSite(url)).status, 200);

    const answers = await Promise.all(
      [1, 2].map(() => owner.call('DELETE', '/api/projects/pets', { confirm: 'pets' })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404]);
    assert.equal((await fetchFromSite(url)).status, 404);
    assert.equal((await fetchFromSite(live.url)).status, 404);
    assert.equal((await owner.withToken(token).call('GET', '/api/session')).status, 401);
    const invitation = await service.visitor().call('GET', `/api/invitations/${secret}`);
    await assertError(invitation, 404, 'not_found');
    const deletions = await service.db
      .selectFrom('audit_log')
      .select('target')
      .where('action', '=', 'project.delete')
      .execute();
    assert.equal(deletions.length, 1);
  },
);

onBothEngines("the installation's owner alone sets plans", async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { plan, limits } = await createProject(root, 'pets');
  assert.equal(plan, 'free');
  const path = '/api/projects/pets/plan';
  const changed = await json<Project>(await root.call('PUT', path, { plan: 'enterprise' }));
  assert.equal(changed.plan, 'enterprise');
  const plans = await json<Page<typeof limits>>(await root.call('GET', '/api/plans'));
  assert.deepEqual(
    plans.items.map(({ plan }) => plan),
    ['free', 'pro', 'enterprise'],
  );
  assert.deepEqual([plans.items[0], plans.items[2]], [limits, changed.limits]);
  const wrong = await root.call('PUT', path, { plan: 'gold' });
  const message = await assertError(wrong, 400, 'invalid_request');
  assert.equal(message, 'plan must be one of free, pro, enterprise.');
  const nowhere = await root.call('PUT', '/api/projects/none/plan', { plan: 'pro' });
  await assertError(nowhere, 404, 'not_found');
});
