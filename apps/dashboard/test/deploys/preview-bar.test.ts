import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { createProject, deploy, makeToken, setPlan } from '../support/project.ts';
import { json, startService } from '../support/service.ts';
import { fetchFromSite } from '../support/site.ts';

// What pages say that are not live, seen from outside.

/** A document with these operations. */
const documentWith = (...operations: readonly string[]) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    paths: Object.fromEntries(
      operations.map((operationId) => [
        `/${operationId}`,
        { get: { operationId, responses: { 200: { description: 'Done.' } } } },
      ]),
    ),
  });

const pageOf = (operation: string) => `/reference/operations/${operation}`;

/** The bar of a page as its reader has it: what it says, and where its links lead. undefined: there is none. */
function barOf(page: string): { text: string; links: Record<string, string> } | undefined {
  const [, bar] = /<aside class="site-preview"[^>]*>([\s\S]*?)<\/aside>/.exec(page) ?? [];
  if (bar === undefined) return undefined;
  const text = (markup: string) => markup.replace(/<[^>]*>/g, '').trim();
  const links = [...bar.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)];
  return {
    text: text(bar.slice(bar.indexOf('<div>'))).replace(/\s+/g, ' '),
    links: Object.fromEntries(links.map(([, href = '', title = '']) => [title, href])),
  };
}

const barAt = async (url: string) => barOf((await fetchFromSite(url)).body);

const WHEN = /deployed \d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC\. Not live\./;

onBothEngines('pages of a branch say so, and where the live page is', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  const branch = await deploy(root, 'pets', documentWith('list', 'add'), '?branch=feature/x');
  const address = branch.branchUrl ?? '';
  const before = await barAt(address + pageOf('add'));
  assert.match(
    before?.text ?? '',
    /^Preview of branch feature\/x, deployed .*Nothing is live yet\./,
  );

  await deploy(root, 'pets', documentWith('list'));
  await timeUntil(
    async () => (await barAt(`${address}/`))?.links['Open the live page'] === `${url}/`,
  );
  const same = await barAt(address + pageOf('list'));
  assert.match(same?.text ?? '', WHEN);
  assert.equal(same?.links['Open the live page'], url + pageOf('list'));
  const inDashboard = new URL(same?.links['Open in the dashboard'] ?? '');
  assert.equal(
    inDashboard.pathname + inDashboard.search,
    `/projects/pets/deploys/${branch.id}`,
    'a branch never goes live, so nothing asks to',
  );
  const added = await barAt(address + pageOf('add'));
  assert.match(added?.text ?? '', /The live site has no such page: open its start page/);
  assert.equal(added?.links['open its start page'], `${url}/`);
  const lost = await barAt(`${address}/no-such-page`);
  assert.equal(lost?.links['Open the live site'], `${url}/`, 'whatever the live site has there');

  for (const path of ['/', pageOf('list'), '/no-such-page'])
    assert.equal(await barAt(url + path), undefined, path);
});

onBothEngines(
  'an earlier deploy says so at its own address, and the live one does not',
  async (t) => {
    const service = await startService(t);
    const root = await service.signUp('root@example.com');
    const { url } = await createProject(root, 'pets');
    const first = await deploy(root, 'pets', documentWith('list'));
    assert.equal(await barAt(`${first.url}/`), undefined, 'it is live');
    const second = await deploy(root, 'pets', documentWith('list', 'add'));
    await timeUntil(async () => (await barAt(`${first.url}/`)) !== undefined);
    const bar = await barAt(first.url + pageOf('list'));
    assert.match(bar?.text ?? '', /^Deploy #1, deployed /);
    assert.match(bar?.text ?? '', WHEN);
    assert.equal(bar?.links['Open the live page'], url + pageOf('list'));
    assert.equal(
      bar?.links['Go live in the dashboard'],
      `${service.origin}/projects/pets/deploys/${first.id}?go-live=true`,
    );
    await json(await root.call('POST', `/api/projects/pets/deploys/${first.id}/activate`));
    await timeUntil(async () => (await barAt(`${second.url}/`)) !== undefined);
    assert.equal(await barAt(`${first.url}/`), undefined);

    // With versions: what readers find instead is the version's own page.
    await setPlan(root, 'pets', 'pro');
    const old = await deploy(root, 'pets', documentWith('list'), '?version=v2');
    await deploy(root, 'pets', documentWith('list', 'add'), '?version=v2');
    await timeUntil(async () => (await barAt(`${old.url}/`)) !== undefined);
    const ofVersion = await barAt(old.url + pageOf('list'));
    assert.match(ofVersion?.text ?? '', /^Deploy #3 of version v2, deployed /);
    assert.equal(ofVersion?.links['Open the live page'], `${url}/v2${pageOf('list')}`);
  },
);

test('the bar is in pages alone, each in its own form, and their policy allows its style and nothing else', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  await deploy(root, 'pets', documentWith('list'));
  const { branchUrl } = await deploy(root, 'pets', documentWith('list'), '?branch=x');
  const preview = branchUrl ?? '';

  const [live, other] = [await fetchFromSite(`${url}/`), await fetchFromSite(`${preview}/`)];
  assert.notEqual(other.headers.etag, live.headers.etag);
  assert.equal(other.headers['x-robots-tag'], 'noindex');
  const known = await fetchFromSite(`${preview}/`, { 'if-none-match': other.headers.etag ?? '' });
  assert.equal(known.status, 304);
  const stale = await fetchFromSite(`${preview}/`, { 'if-none-match': live.headers.etag ?? '' });
  assert.equal(stale.status, 200);
  const packed = await fetchFromSite(`${preview}/`, { 'accept-encoding': 'gzip' });
  assert.equal(packed.headers['content-encoding'], 'gzip');
  assert.equal(String(gunzipSync(packed.bytes)), other.body);

  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(other.body) ?? [];
  const source = `'sha256-${hash('sha256', style, 'base64')}'`;
  const allowed = (policy: unknown) => String(policy).split('; ').sort();
  assert.deepEqual(
    allowed(other.headers['content-security-policy']),
    allowed(live.headers['content-security-policy']).map((directive) =>
      directive.startsWith('style-src ') ? `${directive} ${source}` : directive,
    ),
  );

  const paths = ['/index.md', '/openapi.json', '/llms.txt', '/sitemap.xml', '/_site/search.json'];
  for (const path of paths) {
    const [stored, shown] = [await fetchFromSite(url + path), await fetchFromSite(preview + path)];
    assert.deepEqual([stored.status, shown.status], [200, 200], path);
    assert.equal(shown.body.replaceAll(preview, url), stored.body, path);
  }
  const markdown = await fetchFromSite(`${preview}/`, { accept: 'text/markdown' });
  assert.doesNotMatch(markdown.body, /Not live/);
  const program = await fetchFromSite(`${preview}/_assets/oauth-callback.html`);
  assert.equal(barOf(program.body), undefined, 'a window that closes by itself');
});

test('the name of a branch is text, in any alphabet', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const name = '</bdi><script>alert(1)</script>$&犬🐕ü';
  const query = `?branch=${encodeURIComponent(name)}`;
  const { branchUrl } = await deploy(root, 'pets', documentWith('list'), query);
  const { body } = await fetchFromSite(`${branchUrl}/`);
  const references = [...'犬🐕ü'].map((letter) => `&#${letter.codePointAt(0)};`).join('');
  assert.ok(
    body.includes(`&lt;/bdi&gt;&lt;script&gt;alert(1)&lt;/script&gt;$&amp;${references}</bdi>,`),
  );
});

test('a private preview says it to its readers', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  await deploy(root, 'pets', documentWith('list'));
  const { branchUrl } = await deploy(root, 'pets', documentWith('list'), '?branch=x');
  await json(await root.call('PATCH', '/api/projects/pets/access', { private: 'previews' }));
  const { token } = await makeToken(root, 'pets', ['read']);
  await timeUntil(async () => (await fetchFromSite(`${branchUrl}/`)).status === 401);
  const stranger = await fetchFromSite(`${branchUrl}/`);
  assert.equal(barOf(stranger.body), undefined);
  const authorization = `Bearer ${token}`;
  const reader = await fetchFromSite(branchUrl + pageOf('list'), { authorization });
  assert.equal(barOf(reader.body)?.links['Open the live page'], url + pageOf('list'));
  assert.equal(reader.headers['cache-control'], 'private, no-store');
});
