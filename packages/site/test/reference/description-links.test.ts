import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reservedPaths } from '../../src/guides/links/site-paths.ts';
import { descriptionLinks } from '../../src/reference/description-links.ts';
import { pageContext } from './page-context.ts';

const DOCUMENT = {
  openapi: '3.1.0',
  paths: { '/pets': { get: { operationId: 'listPets', tags: ['pets'] } } },
  components: { schemas: { Pet: {} } },
};

const OWN = new Set(['/', ...reservedPaths([{}])]);

/** Where a description's link leads. `paths`: what the site has besides the reference. */
function resolve(href: string, paths?: ReadonlySet<string>) {
  const { context } = pageContext(DOCUMENT);
  return descriptionLinks(context.checked, context.addresses, { own: OWN, others: paths })(href);
}

const PATHS = new Set(['/start', '/images/a b.png']);

const LINKS: readonly (readonly [href: string, leadsTo: string | undefined])[] = [
  ['#operation/listPets', '/reference/pets/listPets'],
  ['#/components/schemas/Pet', '/reference/models/Pet'],
  ['#nothing', undefined],
  ['other.md', undefined],
  ['/reference/pets/listPets#200', '/reference/pets/listPets#200'],
  ['/reference/pets/listPets.md', '/reference/pets/listPets.md'],
  ['/reference/listpets', '/reference/pets/listPets'],
  ['/openapi.json', '/openapi.json'],
  ['/', '/'],
  ['/start/?a#b', '/start/?a#b'],
  ['/start.md', '/start.md'],
  ['/images/a%20b.png', '/images/a%20b.png'],
  ['/docs/away', undefined],
  ['/reference/away', undefined],
  ['/%zz', undefined],
];

test('links of descriptions lead to a page of the site or nowhere', () => {
  for (const [href, expected] of LINKS) assert.equal(resolve(href, PATHS), expected, href);
});

test('where an API has its own paths, each may exist', () => {
  assert.equal(resolve('/v1/pets'), '/v1/pets');
});
