import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverNothing } from '@petstore/test-support/program.ts';
import MiniSearch from 'minisearch';
import { renderPage } from '../../src/guides/render/render-page.ts';
import { INDEX_OPTIONS, indexTerms, queryTerms } from '../../src/site/browser/search-terms.js';
import { searchIndex } from '../../src/site/search-index.ts';

const silent = () => undefined;

coverNothing();

const TARGETS = { files: new Set<string>(), operations: undefined, sitePaths: new Set<string>() };

const OPERATION = {
  id: 'list-pets',
  method: 'GET',
  path: '/pets/{petId}',
  title: 'List animals',
  tag: 'pets',
  description: 'All that are for sale.',
  deprecated: false,
  anchor: 'tag/pets/GET/pets/{petId}',
  markdownPath: '/operations/list-pets.md',
  isWebhook: false,
};

/** What a search finds, in the order of its worth. */
async function find(query: string) {
  const texts = [
    '# Café\n\nBrewing.\n\n## Grinder\n\nSet `grindSize` to 5.',
    '# インストール手順\n\n次のコマンドを実行します。',
    '# Руководство\n\nВойдите в систему.',
    '# Größe\n\nStraße.',
  ];
  const pages = await Promise.all(
    texts.map((text, at) => renderPage(`${at}.md`, Buffer.from(text), TARGETS)),
  );
  const { content } = searchIndex(
    { pages, operations: [OPERATION], referencePath: '/reference' },
    silent,
  );
  const index = MiniSearch.loadJSON(String(content), INDEX_OPTIONS);
  const options = { tokenize: queryTerms, combineWith: 'AND', prefix: true } as const;
  return index.search(query, options).map(({ href }) => href as string);
}

test('pages are found by section, operations by name and path, in any alphabet', async () => {
  const cases = [
    ['cafe', ['/0']],
    ['CAFÉ', ['/0', '/0#grinder']],
    ['grind size', ['/0#grinder']],
    ['grindsize', ['/0#grinder']],
    ['インストール', ['/1']],
    ['実行', ['/1']],
    ['手', ['/1']],
    ['行実', []],
    ['руководство', ['/2']],
    ['систем', ['/2']],
    ['GROSSE', []],
    ['grosse', []],
    ['größe', ['/3']],
    ['strasse', []],
    ['list animals', ['/reference#tag/pets/GET/pets/%7BpetId%7D']],
    ['petId', ['/reference#tag/pets/GET/pets/%7BpetId%7D']],
    ['get pets', ['/reference#tag/pets/GET/pets/%7BpetId%7D']],
    ['list-pets', ['/reference#tag/pets/GET/pets/%7BpetId%7D']],
  ] as const;
  for (const [query, expected] of cases) {
    const found = await find(query);
    assert.ok(
      expected.every((href) => found.includes(href)) && (expected.length > 0 || found.length === 0),
      `${query}: ${found}`,
    );
  }
});

test('words are found by their parts, and scripts without spaces by two letters', () => {
  assert.deepEqual(indexTerms('listPets pet_id'), [
    'listpets',
    'list',
    'pets',
    'pet_id',
    'pet',
    'id',
  ]);
  assert.deepEqual(indexTerms('安装包'), ['安', '装', '包', '安装', '装包']);
  assert.deepEqual(queryTerms('安装包'), ['安装', '装包']);
  assert.deepEqual(queryTerms('包'), ['包']);
  assert.deepEqual(queryTerms('API安装'), ['api', '安装']);
  assert.deepEqual(queryTerms(' …!? '), []);
});

test('of more text than a browser would load, the search holds what is first, and the log tells', async () => {
  const pages = await Promise.all(
    ['first', 'last'].map((word, at) => {
      const words = Array.from({ length: 42_000 }, (_, n) => `${word}${(n % 5_000) + at}`);
      // It is letters that count, and words that take time.
      const text = words.join(` ${'.'.repeat(60)} `);
      return renderPage(`${word}.md`, Buffer.from(`# Title${at}\n\n${text}`), TARGETS);
    }),
  );
  const lines: string[] = [];
  const { content } = searchIndex({ pages, operations: [], referencePath: '/' }, ({ message }) =>
    lines.push(message),
  );
  const index = MiniSearch.loadJSON(String(content), INDEX_OPTIONS);
  assert.equal(index.search('first4999').length, 1);
  assert.equal(index.search('title1').length, 1);
  assert.match(lines.join(), /^There is more text than the search can hold/);
});
