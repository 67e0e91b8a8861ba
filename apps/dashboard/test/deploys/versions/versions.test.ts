import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { AuditEntry } from '../../../server/src/audit/audit-entry.ts';
import type { Deploy } from '../../../server/src/deploys/deploy.ts';
import type { SiteVersion } from '../../../server/src/deploys/versions/site-version.ts';
import type { Project } from '../../../server/src/projects/project.ts';
import type { Page } from '../../../server/src/schema-types.ts';
import { deployFiles } from '../../support/guides.ts';
import { endIdleBuilders, holdBuilds } from '../../support/held-builds.ts';
import {
  createProject,
  deploy,
  documentTitled,
  finished,
  joinAs,
  makeToken,
  setPlan,
} from '../../support/project.ts';
import { assertError, json, startService, type Visitor } from '../../support/service.ts';
import { fetchFromSite, titleAt } from '../../support/site.ts';

const PROJECT = '/api/projects/pets';

const versionPath = (version: string) => `${PROJECT}/versions/${encodeURIComponent(version)}`;

async function versionsOf(someone: Visitor): Promise<SiteVersion[]> {
  const { items } = await json<Page<SiteVersion>>(await someone.call('GET', `${PROJECT}/versions`));
  return items;
}

const states = async (someone: Visitor) =>
  (await versionsOf(someone)).map(({ version, state, deploy: shown }) => [
    version,
    state,
    shown?.number,
  ]);

const deployVersion = (author: Visitor, version: string, title = version) =>
  deploy(author, 'pets', documentTitled(title), `?version=${version}`);

const makeDefault = (someone: Visitor, version: string, isDefault = true) =>
  someone.call('PATCH', versionPath(version), { default: isDefault });

/** Files of a site with these guides. */
const guides = (title: string, ...names: string[]) => ({
  'docs.yaml': `title: ${title}\n`,
  'index.md': `# ${title}\n\nBegin here.\n`,
  ...Object.fromEntries(names.map((name) => [`guides/${name}.md`, `# ${name} of ${title}\n`])),
});

async function setUp(t: Parameters<typeof startService>[0]) {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  return { service, root, url };
}

/** Status and target of a redirect. */
async function redirectOf(url: string) {
  const { status, headers } = await fetchFromSite(url);
  return [status, headers.location];
}

onBothEngines('each version is below its own prefix, and one is the default', async (t) => {
  const { root, url } = await setUp(t);
  const first = await deployFiles(root, 'pets', guides('One', 'start', 'gone'), '?version=v1');
  assert.deepEqual([first.state, first.live, first.version], ['succeeded', true, 'v1']);
  const second = await deployFiles(root, 'pets', guides('Two', 'start', 'new'), '?version=v2');
  assert.equal(second.live, true);
  assert.deepEqual(await states(root), [
    ['v2', 'preview', 2],
    ['v1', 'default', 1],
  ]);
  assert.equal((await makeDefault(root, 'v2')).status, 200);
  assert.deepEqual(await states(root), [
    ['v2', 'default', 2],
    ['v1', 'old', 1],
  ]);
  const project = await json<Project>(await root.call('GET', PROJECT));
  assert.deepEqual([project.defaultVersion, project.live?.id], ['v2', second.id]);

  // All that is at no version's prefix leads to the default one.
  assert.deepEqual(await redirectOf(`${url}/`), [302, '/v2']);
  assert.deepEqual(await redirectOf(`${url}/guides/start`), [302, '/v2/guides/start']);
  assert.deepEqual(await redirectOf(`${url}/v1/`), [308, '/v1']);
  assert.deepEqual(await redirectOf(`${url}/v2/guides/start/`), [308, '/v2/guides/start']);
  assert.equal((await fetchFromSite(`${url}/v2/guides/gone`)).status, 404);
  assert.equal(
    (await fetchFromSite(`${url}/robots.txt`)).body.includes(`${url}/v2/sitemap.xml`),
    true,
  );
  const sitemap = await fetchFromSite(`${url}/sitemap.xml`);
  assert.equal(sitemap.status, 200);
  assert.match(sitemap.body, new RegExp(`<loc>${url}/v2/guides/start</loc>`));
  assert.match((await fetchFromSite(`${url}/llms.txt`)).body, new RegExp(`${url}/v2/guides/new`));
  assert.match(
    (await fetchFromSite(`${url}/v1/llms.txt`)).body,
    new RegExp(`${url}/v1/guides/gone`),
  );

  const page = await fetchFromSite(`${url}/v2/guides/start`);
  assert.equal(page.status, 200);
  assert.match(page.body, /start of Two/);
  assert.equal(page.headers['x-robots-tag'], undefined);
  assert.match(String(page.headers.link), new RegExp(`<${url}/v2/guides/start>; rel="canonical"`));
  assert.doesNotMatch(page.body, /site-version-note/);
  assert.match(page.body, /<a href="\/v1\/guides\/start"><span>v1<\/span>/);
  assert.match(page.body, /<a href="\/v2\/guides\/start" aria-current="true"><span>v2<\/span>/);

  const old = await fetchFromSite(`${url}/v1/guides/start`);
  assert.match(old.body, /start of One/);
  assert.equal(old.headers['x-robots-tag'], 'noindex');
  assert.match(String(old.headers.link), new RegExp(`<${url}/v2/guides/start>; rel="canonical"`));
  assert.match(old.body, /old version, <b>v1<\/b>\. <a href="\/v2\/guides\/start">See this page/);
  const only = await fetchFromSite(`${url}/v1/guides/gone`);
  assert.match(String(only.headers.link), new RegExp(`<${url}/v1/guides/gone>; rel="canonical"`));
  assert.match(only.body, /has no such page: <a href="\/v2">/);
  assert.match(only.body, /<a href="\/v2"><span>v2<\/span> <small>current, start page<\/small>/);
  const added = await fetchFromSite(`${url}/v2/guides/new`);
  assert.match(added.body, /<a href="\/v1"><span>v1<\/span> <small>start page<\/small>/);
  assert.equal((await fetchFromSite(`${first.url}/guides/gone`)).status, 200, 'previews stay');
});

onBothEngines('a site without a version stays at its address, beside versions', async (t) => {
  const { root, url } = await setUp(t);
  const before = await deployFiles(root, 'pets', guides('Now', 'start'));
  const page = await fetchFromSite(`${url}/guides/start`);
  await deployFiles(root, 'pets', guides('Old', 'start'), '?version=v1');
  await deployFiles(root, 'pets', guides('Next', 'start'), '?version=v3-beta');
  assert.deepEqual(await states(root), [
    ['v3-beta', 'preview', 3],
    ['v1', 'old', 2],
  ]);
  const now = await fetchFromSite(`${url}/guides/start`);
  assert.match(now.body, /<a href="\/guides\/start" aria-current="true"><span>Latest<\/span>/);
  assert.notEqual(now.headers.etag, page.headers.etag);
  const beta = await fetchFromSite(`${url}/v3-beta/guides/start`);
  assert.match(
    beta.body,
    /<b>v3-beta<\/b>, which is not released yet\. <a href="\/guides\/start">/,
  );
  assert.equal(beta.headers['x-robots-tag'], 'noindex');
  assert.match(String(beta.headers.link), new RegExp(`<${url}/guides/start>; rel="canonical"`));

  await makeDefault(root, 'v1');
  assert.deepEqual(await redirectOf(`${url}/guides/start`), [302, '/v1/guides/start']);
  const hidden = await deployFiles(root, 'pets', guides('Later', 'start'));
  assert.match(
    await (await root.call('GET', `${PROJECT}/deploys/${hidden.id}/log`)).text(),
    /Readers do not see it: the site's address leads to the default version v1/,
  );
  await json(await makeDefault(root, 'v1', false));
  assert.match((await fetchFromSite(`${url}/guides/start`)).body, /start of Later/);
  await json(await root.call('POST', `${PROJECT}/deploys/${before.id}/activate`));
  assert.match((await fetchFromSite(`${url}/guides/start`)).body, /start of Now/);

  for (const version of ['v1', 'v3-beta'])
    assert.equal((await root.call('DELETE', versionPath(version))).status, 204);
  const alone = await fetchFromSite(`${url}/guides/start`);
  assert.doesNotMatch(alone.body, /site-version-note/);
});

onBothEngines(
  'a retired version redirects to the default one until it is deployed again',
  async (t) => {
    const { service, root, url } = await setUp(t);
    await setPlan(root, 'pets', 'pro');
    const editor = await joinAs(service, root, 'pets', 'editor@example.com', 'editor');
    const viewer = await joinAs(service, root, 'pets', 'viewer@example.com', 'viewer');
    const old = await deployFiles(editor, 'pets', guides('One', 'start', 'gone'), '?version=v1');
    await deployFiles(editor, 'pets', guides('Two', 'start'), '?version=v2');
    assert.match(
      await assertError(await editor.call('DELETE', versionPath('v1')), 409, 'conflict'),
      /^v1 is the default version, to which the site's address leads\. Make another one/,
    );
    await json(await makeDefault(editor, 'v2'));
    await assertError(await viewer.call('DELETE', versionPath('v1')), 403, 'forbidden');
    await assertError(await makeDefault(viewer, 'v1'), 403, 'forbidden');
    const { token } = await makeToken(editor, 'pets', ['read']);
    await assertError(
      await root.withToken(token).call('DELETE', versionPath('v1')),
      403,
      'forbidden',
    );
    assert.equal((await versionsOf(viewer)).length, 2);

    assert.equal((await editor.call('DELETE', versionPath('v1'))).status, 204);
    assert.deepEqual(await redirectOf(`${url}/v1/guides/start`), [301, '/v2/guides/start']);
    assert.deepEqual(await redirectOf(`${url}/v1/guides/start.md`), [301, '/v2/guides/start.md']);
    assert.deepEqual(await redirectOf(`${url}/v1/guides/gone`), [301, '/v2']);
    assert.deepEqual(await redirectOf(`${url}/v1`), [301, '/v2']);
    assert.doesNotMatch((await fetchFromSite(`${url}/v2/guides/start`)).body, /\/v1/);
    assert.deepEqual(await states(root), [
      ['v2', 'default', 2],
      ['v1', 'retired', undefined],
    ]);
    assert.equal(
      (await json<Deploy>(await root.call('GET', `${PROJECT}/deploys/${old.id}`))).isPruned,
      true,
    );
    await assertError(await editor.call('DELETE', versionPath('v1')), 404, 'not_found');
    await assertError(await editor.call('DELETE', versionPath('v9')), 404, 'not_found');
    assert.match(
      await assertError(await makeDefault(editor, 'v1'), 409, 'conflict'),
      /^The version v1 is retired/,
    );

    assert.equal((await deploy(editor, 'pets', '{', '?version=v1')).state, 'failed');
    assert.deepEqual(
      await redirectOf(`${url}/v1`),
      [301, '/v2'],
      'a failed deploy changes nothing',
    );
    await deployFiles(editor, 'pets', guides('Again', 'start'), '?version=v1');
    assert.match((await fetchFromSite(`${url}/v1/guides/start`)).body, /start of Again/);
    const audit = await json<Page<AuditEntry>>(await root.call('GET', `${PROJECT}/audit`));
    const entry = (action: string) => {
      const found = audit.items.find((one) => one.action === action);
      return [found?.actor, found?.target, found?.details];
    };
    assert.deepEqual(entry('version.retire'), ['editor@example.com', 'v1', {}]);
    assert.deepEqual(entry('version.default'), [
      'editor@example.com',
      'v2',
      { from: 'v1', to: 'v2' },
    ]);
    assert.equal(
      audit.items.find(({ action }) => action === 'deploy.create')?.details.version,
      'v1',
    );
  },
);

test('no address of a retired version leads to another host', async (t) => {
  const { root, url } = await setUp(t);
  const redirected = {
    ...guides('Now', 'start'),
    'docs.yaml': 'title: Now\nredirects:\n  /*: /\n',
  };
  await deployFiles(root, 'pets', redirected);
  await deployVersion(root, 'v1');
  assert.equal((await root.call('DELETE', versionPath('v1'))).status, 204);
  for (const path of ['//evil.example', '///evil.example/x', '//evil.example/']) {
    const [status, to] = await redirectOf(`${url}/v1${path}`);
    assert.equal(status, 301);
    assert.equal(new URL(`${to}`, url).origin, new URL(url).origin, `${path} leads to ${to}`);
  }
});

test('an earlier deploy of a version is put back, and the default stays', async (t) => {
  const { root, url } = await setUp(t);
  const first = await deployVersion(root, 'v1', 'First');
  await deployVersion(root, 'v1', 'Second');
  assert.equal(await titleAt(`${url}/v1`), 'Second');
  const back = await json<Deploy>(
    await root.call('POST', `${PROJECT}/deploys/${first.id}/activate`),
  );
  assert.deepEqual([back.live, back.version], [true, 'v1']);
  assert.equal(await titleAt(`${url}/v1`), 'First');
  assert.equal(await titleAt(url), 'First', 'the document is at the root as well');
  const { live } = await json<Project>(await root.call('GET', PROJECT));
  assert.equal(live?.id, first.id);
  const waiting = await deploy(root, 'pets', documentTitled('Later'), '?version=v1&activate=false');
  assert.equal(waiting.live, false);
  assert.equal(await titleAt(`${url}/v1`), 'First');
});

test('what a version shows is kept, however many deploys come after it', async (t) => {
  const { root, url } = await setUp(t);
  await deployVersion(root, 'v1', 'Kept');
  const early = await deployVersion(root, 'v2', 'Early');
  for (let at = 0; at < 11; at++) await deployVersion(root, 'v2', `Two ${at}`);
  assert.equal(await titleAt(`${url}/v1`), 'Kept');
  assert.equal((await fetchFromSite(`${early.url}/`)).status, 404, 'others make room');
});

test('a name that cannot be the segment of a path is refused', async (t) => {
  const { root } = await setUp(t);
  const post = (query: string) =>
    root.call('POST', `${PROJECT}/deploys?${query}`, documentTitled('x'));
  for (const name of [
    '',
    'V1',
    'a/b',
    '..',
    '.well-known',
    '_site',
    'v1.',
    '-a',
    'a%20b',
    'ä',
    'v'.repeat(41),
  ]) {
    assert.match(
      await assertError(await post(`version=${name}`), 400, 'invalid_request'),
      /^version must be 1 to 40 of a-z, 0-9, dots, dashes and underscores/,
      name,
    );
  }
  for (const name of ['mcp', 'reference', 'robots.txt', 'openapi.json', 'start.md']) {
    assert.match(
      await assertError(await post(`version=${name}`), 400, 'invalid_request'),
      /^version must not be .+: a site has that at its root/,
      name,
    );
  }
  assert.match(
    await assertError(await post('version=v1&branch=x'), 400, 'invalid_request'),
    /^branch and version exclude each other/,
  );
  assert.deepEqual(await versionsOf(root), []);
  for (const name of ['1', 'v1.0', '2026-01-31', 'next', 'v'.repeat(40)])
    assert.equal((await deployVersion(root, name)).state, 'succeeded', name);
});

test('a version whose deploys all failed is no version of the site, and can be taken away', async (t) => {
  const { root, url } = await setUp(t);
  await deploy(root, 'pets', '{', '?version=v1');
  assert.deepEqual(await states(root), [['v1', 'waiting', undefined]]);
  assert.equal((await fetchFromSite(`${url}/v1`)).status, 404);
  assert.match(
    await assertError(await makeDefault(root, 'v1'), 409, 'conflict'),
    /^No deploy of the version v1 has succeeded yet/,
  );
  assert.equal((await root.call('DELETE', versionPath('v1'))).status, 204);
  assert.deepEqual(await versionsOf(root), []);
  await deployVersion(root, 'v2');
  assert.match(
    await assertError(await makeDefault(root, 'v2', false), 409, 'conflict'),
    /^v2 must stay the default version/,
  );
});

test('a site has fifty versions at most', async (t) => {
  const { service, root } = await setUp(t);
  await deployVersion(root, 'v0');
  const { id } = await service.db.selectFrom('projects').select('id').executeTakeFirstOrThrow();
  const rows = Array.from({ length: 49 }, (_, at) => ({
    ...{ project_id: id, name: `v${at + 1}`, deploy_id: null },
    ...{ created_at: 1, deployed_at: 1, retired_at: null },
  }));
  await service.db.insertInto('site_versions').values(rows).execute();
  const refused = await root.call('POST', `${PROJECT}/deploys?version=v50`, documentTitled('x'));
  assert.match(
    await assertError(refused, 409, 'conflict'),
    /^This project has 50 versions, the most that a site shows\. Retire one/,
  );
  assert.equal((await deployVersion(root, 'v7')).state, 'succeeded');
});

test('no retired version is taken up beyond the fifty, however its deploys come', async (t) => {
  const { service, root } = await setUp(t);
  await deployVersion(root, 'v0');
  const { id } = await service.db.selectFrom('projects').select('id').executeTakeFirstOrThrow();
  const rows = Array.from({ length: 50 }, (_, at) => ({
    ...{ project_id: id, name: `v${at + 1}`, deploy_id: null },
    ...{ created_at: 1, deployed_at: 1, retired_at: at < 48 ? null : 2 },
  }));
  await service.db.insertInto('site_versions').values(rows).execute();
  // One more may be shown. Each of these is let in, since it is not known which of them will be.
  const first = await deploy(root, 'pets', documentTitled('x'), '?version=v49&activate=false');
  await endIdleBuilders();
  const path = `${PROJECT}/deploys?version=v50`;
  const queued = await json<Deploy>(await root.call('POST', path, documentTitled('Late')), 202);
  const [release] = await holdBuilds(t, 1);
  assert.equal((await root.call('POST', `${PROJECT}/deploys/${first.id}/activate`)).status, 200);
  release?.();
  const ended = await finished(root, 'pets', queued.id);
  assert.equal(ended.state, 'failed');
  assert.match(ended.errors[0]?.message ?? '', /^This project has 50 versions, the most/);
  const shown = (await versionsOf(root)).filter(({ state }) => state !== 'retired');
  assert.equal(shown.length, 50);
});

test('a stored deploy of a retired version is not activated beyond the fifty', async (t) => {
  const { service, root } = await setUp(t);
  await deployVersion(root, 'v0');
  const { id } = await service.db.selectFrom('projects').select('id').executeTakeFirstOrThrow();
  const retired = { project_id: id, name: 'v50', deploy_id: null, created_at: 1, deployed_at: 1 };
  await service.db
    .insertInto('site_versions')
    .values({ ...retired, retired_at: 2 })
    .execute();
  const stored = await deploy(root, 'pets', documentTitled('x'), '?version=v50&activate=false');
  const rows = Array.from({ length: 49 }, (_, at) => ({
    ...{ project_id: id, name: `v${at + 1}`, deploy_id: null },
    ...{ created_at: 1, deployed_at: 1, retired_at: null },
  }));
  await service.db.insertInto('site_versions').values(rows).execute();
  const refused = await root.call('POST', `${PROJECT}/deploys/${stored.id}/activate`);
  assert.match(await assertError(refused, 409, 'conflict'), /^This project has 50 versions/);
});

test('a deploy whose version is retired while it is built fails, and says so', async (t) => {
  const { root } = await setUp(t);
  await deployVersion(root, 'v2');
  await deployVersion(root, 'v1');
  await endIdleBuilders();
  const path = `${PROJECT}/deploys?version=v1`;
  const queued = await json<Deploy>(await root.call('POST', path, documentTitled('Late')), 202);
  const [release] = await holdBuilds(t, 1);
  assert.equal((await root.call('DELETE', versionPath('v1'))).status, 204);
  release?.();
  const ended = await finished(root, 'pets', queued.id);
  assert.equal(ended.state, 'failed');
  assert.match(ended.errors[0]?.message ?? '', /version v1 was retired before the build ended/);
});

test('pages that a version hides or no longer has are warnings', async (t) => {
  const { root } = await setUp(t);
  await deployFiles(root, 'pets', {
    ...guides('Now', 'start'),
    'v2/start.md': '# Hidden\n',
  });
  const version = await deployFiles(root, 'pets', guides('Two', 'start', 'more'), '?version=v2');
  const told = ({ warnings }: Deploy) => warnings.map(({ rule, message }) => [rule, message]);
  assert.deepEqual(told(version), [
    [
      'hidden-page',
      'The page `/v2/start` of the site without a version is hidden: addresses below `/v2` belong to the version v2. Move the page, or name the version otherwise.',
    ],
  ]);
  const again = await deployFiles(root, 'pets', guides('Two', 'start'), '?version=v2');
  assert.deepEqual(
    told(again).map(([rule, message]) => [rule, message?.slice(0, 28)]),
    [
      ['gone-page', '`/guides/more` is live, and '],
      ['hidden-page', 'The page `/v2/start` of the '],
    ],
  );
});
