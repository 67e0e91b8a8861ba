import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { SiteVersion } from '../../server/src/deploys/versions/site-version.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { deployFiles } from '../support/guides.ts';
import { createProject, setPlan } from '../support/project.ts';
import { assertError, json } from '../support/service.ts';
import { fetchFromSite } from '../support/site.ts';
import { certify } from './support/certify.ts';
import { getDomain, startDomainService, verifiedDomain } from './support/domains.ts';

const PATH = '/api/projects/pets/domains';
const MAIN = 'docs.example.test';
const OLD = 'v1.docs.example.test';

const guides = (title: string, ...names: string[]) => ({
  'docs.yaml': `title: ${title}\n`,
  'index.md': `# ${title}\n\nBegin here.\n`,
  ...Object.fromEntries(names.map((name) => [`guides/${name}.md`, `# ${name} of ${title}\n`])),
});

/** v2, the default, at `docs.`; v1 as well, and at `v1.docs.`, which shows it alone. */
async function setUp(t: TestContext) {
  const service = await startDomainService(t);
  const { root, dns, edgePort } = service;
  await createProject(root, 'pets');
  await setPlan(root, 'pets', 'pro');
  await deployFiles(root, 'pets', guides('One', 'start', 'gone'), '?version=v1');
  await deployFiles(root, 'pets', guides('Two', 'start'), '?version=v2');
  await json(await root.call('PATCH', '/api/projects/pets/versions/v2', { default: true }));
  for (const name of [MAIN, OLD]) await verifiedDomain({ dns }, root, 'pets', name);
  const show = (hostname: string, version: string | null) =>
    root.call('PATCH', `${PATH}/${hostname}`, { version });
  const get = async (host: string, path: string) => {
    const { status, headers, body } = await fetchFromSite(`http://${host}:${edgePort}${path}`);
    const location = headers.location?.replace(/:\d+(?=\/)/, '');
    const canonical = /<([^>]*)>; rel="canonical"/.exec(String(headers.link))?.[1];
    return { status, location, canonical: canonical?.replace(/:\d+(?=\/)/, ''), headers, body };
  };
  return { ...service, show, get };
}

test('a name shows one version at its root, and becomes the primary of that', async (t) => {
  const { root, show, get } = await setUp(t);
  assert.equal((await getDomain(root, 'pets', OLD)).primary, false);
  const shown = await json<Domain>(await show(OLD, 'v1'));
  assert.deepEqual([shown.version, shown.primary], ['v1', true]);
  assert.equal((await getDomain(root, 'pets', MAIN)).primary, true, 'of the whole site');
  const page = await get(OLD, '/guides/gone');
  assert.equal(page.status, 200);
  assert.match(page.body, /gone of One/);
  assert.doesNotMatch(page.body, /data-base=/, 'it has no prefix');
  assert.match((await get(OLD, '/')).body, /<a href="http:\/\/pets\.docs\.localhost:\d+\/v2"/);
  assert.equal((await get(OLD, '/v1/guides/gone')).status, 404);
  assert.match((await get(OLD, '/sitemap.xml')).body, /v1\.docs\.example\.test:\d+\/guides\/gone</);
  assert.match(
    (await get(MAIN, '/v1/guides/gone')).body,
    /gone of One/,
    'there too, until it is secure',
  );
  const back = await json<Domain>(await show(OLD, null));
  assert.deepEqual([back.version, back.primary], [null, false]);
});

test('once it has its certificate, all that the version has is there alone, and the versions lead to each other', async (t) => {
  const { db, show, get, root } = await setUp(t);
  await json(await show(OLD, 'v1'));
  await certify(db, OLD);
  const over = async (host: string, path: string) => {
    const { status, location } = await get(host, path);
    return `${status} ${location}`;
  };
  await timeUntil(async () => (await get(MAIN, '/v1')).status === 301);
  const { items } = await json<Page<SiteVersion>>(
    await root.call('GET', '/api/projects/pets/versions'),
  );
  assert.deepEqual(
    items.map(({ url }) => new URL(url).hostname + new URL(url).pathname),
    ['pets.docs.localhost/v2', `${OLD}/`],
  );
  assert.equal(await over(OLD, '/guides/gone'), `301 https://${OLD}/guides/gone`);
  assert.equal(await over(MAIN, '/v1/guides/gone'), `301 https://${OLD}/guides/gone`);
  assert.equal(await over(MAIN, '/%76%31/guides/st%61rt'), `301 https://${OLD}/guides/st%61rt`);
  assert.equal(await over(MAIN, '/v1'), `301 https://${OLD}/`);
  assert.equal(await over(MAIN, '/v1/openapi.json'), `301 https://${OLD}/openapi.json`);
  const { body } = await get(MAIN, '/v2/guides/start');
  assert.match(body, /<a href="https:\/\/v1\.docs\.example\.test:\d+\/guides\/start"/);
});

test('search engines are led from an old version to the current one, across names', async (t) => {
  const { show, get } = await setUp(t);
  await json(await show(OLD, 'v1'));
  const both = await get(OLD, '/guides/start');
  assert.equal(both.canonical, 'http://pets.docs.localhost/v2/guides/start');
  assert.equal(both.headers['x-robots-tag'], 'noindex');
  const alone = await get(OLD, '/guides/gone');
  assert.equal(alone.canonical, `http://${OLD}/guides/gone`, 'the current one has no such page');
});

test('a retired version leads on to the current one, and what is no version cannot be shown', async (t) => {
  const { root, show, get } = await setUp(t);
  assert.match(await assertError(await show(OLD, 'v9'), 409, 'conflict'), /has no version v9/);
  await json(await show(OLD, 'v1'));
  assert.equal((await root.call('DELETE', '/api/projects/pets/versions/v1')).status, 204);
  const { status, location } = await get(OLD, '/guides/start');
  assert.deepEqual([status, location], [301, 'http://pets.docs.localhost/v1/guides/start']);
});

test('each version has a primary of its own, which is handed over within it', async (t) => {
  const { root, dns, show } = await setUp(t);
  const second = 'one.example.test';
  await verifiedDomain({ dns }, root, 'pets', second);
  for (const name of [OLD, second]) await json(await show(name, 'v1'));
  const primaries = async () => {
    const { items } = await json<{ items: Domain[] }>(await root.call('GET', PATH));
    return items.filter(({ primary }) => primary).map(({ hostname }) => hostname);
  };
  assert.deepEqual(await primaries(), [MAIN, OLD]);
  await json(await root.call('POST', `${PATH}/${second}/primary`));
  assert.deepEqual(await primaries(), [MAIN, second]);
  assert.equal((await root.call('DELETE', `${PATH}/${second}`)).status, 204);
  assert.deepEqual(await primaries(), [MAIN, OLD]);
  await json(await show(MAIN, 'v2'));
  assert.deepEqual(await primaries(), [MAIN, OLD], 'of v2 now, and the whole site has none');
});

test('a name that is to redirect and to show a version in one request is not the primary of that', async (t) => {
  const { db, dns, root, get } = await setUp(t);
  await json(await root.call('PATCH', `${PATH}/${OLD}`, { version: 'v1', redirectTo: '/v1' }));
  for (const name of [MAIN, OLD]) await certify(db, name);
  const shown = await getDomain(root, 'pets', OLD);
  assert.deepEqual([shown.version, shown.primary, shown.redirect?.to], ['v1', false, '/v1']);
  assert.equal((await get(OLD, '/guides/gone')).location, `https://${MAIN}/v1/guides/gone`);
  const there = await get(MAIN, '/v1/guides/gone');
  assert.equal(there.location, `https://${MAIN}/v1/guides/gone`, 'over TLS, and not back');
  await verifiedDomain({ dns }, root, 'pets', 'v1.example.test');
  const both = { version: 'v1', redirectTo: null };
  await json(await root.call('PATCH', `${PATH}/${OLD}`, both));
  assert.equal((await getDomain(root, 'pets', OLD)).primary, true, 'it shows the version again');
});
