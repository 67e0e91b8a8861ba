import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverNothing } from '@petstore/test-support/program.ts';
import { indexFiles } from '../../src/site/index-files.ts';
import { sitemapFiles } from '../../src/site/sitemap.ts';
import { contextOf } from '../markdown/context.ts';

coverNothing();

const ok = { responses: { 200: { description: 'x' } } };

const SHOP = {
  servers: [{ url: 'https://api.example/v1' }],
  tags: [{ name: 'stores' }, { name: 'pets' }],
  paths: {
    '/pets': { get: { ...ok, operationId: 'listPets', summary: 'List [all]', tags: ['pets'] } },
    '/stores': { get: { ...ok, operationId: 'listStores', tags: ['stores'], deprecated: true } },
  },
  webhooks: { sold: { post: { ...ok, operationId: 'sold' } } },
  components: { schemas: { Pet: { type: 'object' } } },
};

const GUIDE = {
  ...{ path: '/start (1)', title: 'Start', description: 'First.' },
  ...{ markdown: '# Start', isUnindexed: false },
};

async function filesOf(reference: object | undefined, lastModified?: () => string) {
  const files = indexFiles({
    title: 'Shop',
    description: 'It *sells*.',
    pages: [GUIDE],
    references: reference ? [await contextOf(reference)] : [],
    ...(lastModified && { lastModified }),
  });
  return new Map(files.map((file) => [file.path, file]));
}

test('llms.txt lists all pages in the order of the document, with whole addresses', async () => {
  const file = (await filesOf(SHOP)).get('/llms.txt');
  assert.equal(file?.template, true);
  assert.equal(
    file?.content,
    `# Shop

> It \\*sells\\*.

## Guides

- [Start]({{origin}}/start%20%281%29.md): First.

## Reference

- [Introduction]({{origin}}/reference.md): servers and authentication
- [OpenAPI, JSON]({{origin}}/openapi.json): every operation, parameter, schema and response
- [OpenAPI, YAML]({{origin}}/openapi.yaml): the same
- [Everything as text]({{origin}}/llms-full.txt): all pages in one

## stores

- [listStores]({{origin}}/reference/stores/listStores.md): GET /stores, deprecated

## pets

- [List \\[all\\]]({{origin}}/reference/pets/listPets.md): GET /pets

## Webhooks

- [sold]({{origin}}/reference/webhooks/sold.md): webhook sold

## Models

- [Pet]({{origin}}/reference/models/Pet.md)
`,
  );
});

test('llms-full.txt has the text of every page', async () => {
  const text = String((await filesOf(SHOP)).get('/llms-full.txt')?.content);
  for (const title of ['Shop', 'Start', 'Pets', 'stores', 'listStores', 'sold', 'Models', 'Pet']) {
    assert.match(text, new RegExp(`^# ${title}$`, 'm'));
  }
});

test('the sitemap has every page once, with its date where one is known', async () => {
  const sitemap = async (lastModified?: () => string) =>
    String((await filesOf(SHOP, lastModified)).get('/sitemap.xml')?.content);
  const paths = [...(await sitemap()).matchAll(/<loc>\{\{origin\}\}(.*)<\/loc><\/url>/g)];
  assert.deepEqual(
    paths.map(([, path]) => path),
    [
      ...['/start%20%281%29', '/reference', '/reference/stores', '/reference/stores/listStores'],
      ...['/reference/pets', '/reference/pets/listPets', '/reference/webhooks'],
      ...['/reference/webhooks/sold', '/reference/models', '/reference/models/Pet'],
    ],
  );
  assert.match(await sitemap(() => '2030-12-05'), /<\/loc><lastmod>2030-12-05<\/lastmod><\/url>/);
});

const LIMITS: readonly [name: string, limits: { addresses: number; bytes: number }][] = [
  ['addresses', { addresses: 2, bytes: 50_000_000 }],
  ['bytes', { addresses: 50_000, bytes: 1_000 }],
];

for (const [name, limits] of LIMITS) {
  test(`a sitemap of too many ${name} becomes several, which an index names`, () => {
    const paths = ['/a', '/b', '/c', '/d', '/e'];
    const [index, ...parts] = sitemapFiles(paths, undefined, limits);
    assert.deepEqual(
      parts.map(({ path }) => path),
      ['/sitemap-1.xml', '/sitemap-2.xml', '/sitemap-3.xml'],
    );
    const text = parts.map(({ content }) => String(content)).join('');
    for (const path of paths) assert.equal(text.split(`{{origin}}${path}<`).length, 2, path);
    assert.equal(index?.path, '/sitemap.xml');
    assert.match(
      String(index?.content),
      /<sitemapindex .*\n<sitemap><loc>\{\{origin\}\}\/sitemap-1/,
    );
  });
}

test('the API catalog names the API, its documents and its pages', async () => {
  const catalog = (await filesOf(SHOP)).get('/.well-known/api-catalog');
  assert.match(catalog?.type ?? '', /^application\/linkset\+json; profile="[^"]+rfc9727"$/);
  const { linkset } = JSON.parse(String(catalog?.content));
  const [own, api] = linkset;
  assert.equal(own.anchor, '{{origin}}/.well-known/api-catalog');
  assert.deepEqual(own.item, [{ href: 'https://api.example/v1', title: 'Pets' }]);
  assert.equal(api.anchor, 'https://api.example/v1');
  const links = ['service-desc', 'service-doc', 'service-meta'].flatMap((relation) =>
    api[relation].map(({ href, type }: { href: string; type: string }) => [relation, href, type]),
  );
  assert.deepEqual(links, [
    ['service-desc', '{{origin}}/openapi.json', 'application/json'],
    ['service-desc', '{{origin}}/openapi.yaml', 'application/yaml'],
    ['service-doc', '{{origin}}/reference', 'text/html'],
    ['service-meta', '{{origin}}/llms.txt', 'text/markdown'],
  ]);
});

test('a site of guides alone has no catalog, and links to nothing of a reference', async () => {
  const files = await filesOf(undefined);
  assert.equal(files.has('/.well-known/api-catalog'), false);
  for (const { content } of files.values())
    assert.doesNotMatch(String(content), /openapi|reference/);
});
