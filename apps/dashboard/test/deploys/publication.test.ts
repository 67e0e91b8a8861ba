import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { Project } from '../../server/src/projects/project.ts';
import { createProject, deploy } from '../support/project.ts';
import { json, startService } from '../support/service.ts';
import { fetchFromSite } from '../support/site.ts';

const ok = { responses: { 200: { description: 'x' } } };

const documentOf = (summaries: Record<string, string>) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    paths: Object.fromEntries(
      Object.entries(summaries).map(([id, summary]) => [
        `/${id}`,
        { get: { ...ok, operationId: id, summary } },
      ]),
    ),
  });

/** The address of a page's preview image; undefined where it has none. */
async function imageOf(url: string): Promise<string | undefined> {
  const { body } = await fetchFromSite(url);
  return /<meta property="og:image" content="([^"]+)">/.exec(body)?.[1];
}

/** The pages of a site's sitemap with their dates. */
async function datesOf(origin: string): Promise<Record<string, string | undefined>> {
  const { body } = await fetchFromSite(`${origin}/sitemap.xml`);
  const entries = body.matchAll(/<url><loc>([^<]*)<\/loc>(?:<lastmod>([^<]*)<\/lastmod>)?<\/url>/g);
  return Object.fromEntries(
    [...entries].map(([, address = '', date]) => [address.slice(origin.length), date]),
  );
}

onBothEngines('a page has an absolute address of its preview image, which is a PNG', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  await deploy(root, 'pets', documentOf({ list: 'List pets', make: 'Make a pet' }));
  const list = await imageOf(`${url}/reference/operations/list`);
  const make = await imageOf(`${url}/reference/operations/make`);
  assert.match(list ?? '', new RegExp(`^${url}/_assets/preview-[0-9a-f]{16}\\.png$`));
  assert.notEqual(list, make);
  const { status, headers, bytes } = await fetchFromSite(list ?? '');
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'image/png');
  assert.match(headers['cache-control'] ?? '', /immutable/);
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [1_200, 630]);
  // Its address is the one by which it was fetched: another would lead in a circle once a domain redirects.
  const { body } = await fetchFromSite(`${url}/reference/operations/list`);
  assert.doesNotMatch(body, /og:url|rel="canonical"/);
});

test('the image of a page that is not live yet is never that of another page', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  await deploy(root, 'pets', documentOf({ list: 'List pets', make: 'Make a pet' }));
  const branch = documentOf({ list: 'List pets', make: 'Create a pet' });
  const preview = await deploy(root, 'pets', branch, '?activate=false');
  const page = (origin: string, id: string) => imageOf(`${origin}/reference/operations/${id}`);
  assert.equal(await page(preview.url, 'list'), await page(url, 'list'), 'the same page');
  const changed = await page(preview.url, 'make');
  assert.notEqual(changed, await page(url, 'make'));
  assert.equal((await fetchFromSite(changed ?? '')).status, 404, 'until it is live');
  await json(await root.call('POST', `/api/projects/pets/deploys/${preview.id}/activate`));
  assert.equal((await fetchFromSite(changed ?? '')).status, 200);
});

test('after a new slug the next deploy has the new address', async (t) => {
  const service = await startService(t);
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const document = documentOf({ list: 'List pets' });
  await deploy(root, 'pets', document);
  const { url } = await json<Project>(
    await root.call('PATCH', '/api/projects/pets', { slug: 'animals' }),
  );
  assert.equal((await fetchFromSite(url)).status, 200);
  await deploy(root, 'animals', document);
  assert.ok((await imageOf(url))?.startsWith(`${url}/`));
});

onBothEngines('the sitemap dates a page by when it last said something else', async (t) => {
  let time = Date.parse('2026-01-01T10:00:00.123Z');
  const service = await startService(t, {}, { now: () => time });
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  const first = documentOf({ list: 'List pets', make: 'Make a pet' });
  await deploy(root, 'pets', first);
  const before = await datesOf(url);
  assert.deepEqual(
    [...new Set(Object.values(before))],
    ['2026-01-01T10:00:00Z'],
    'the first time, all pages are new',
  );

  time = Date.parse('2026-01-02T10:00:00Z');
  await deploy(root, 'pets', first);
  assert.deepEqual(await datesOf(url), before, 'the same document changes nothing');

  time = Date.parse('2026-01-03T10:00:00Z');
  await deploy(root, 'pets', documentOf({ list: 'List pets', make: 'Create a pet', end: 'End' }));
  const after = await datesOf(url);
  const operation = (id: string) => after[`/reference/operations/${id}`];
  assert.equal(operation('list'), '2026-01-01T10:00:00Z', 'another page changed');
  assert.equal(operation('make'), '2026-01-03T10:00:00Z');
  assert.equal(operation('end'), '2026-01-03T10:00:00Z');
});
