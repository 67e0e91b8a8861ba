import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reservedPaths } from '../../src/guides/links/site-paths.ts';
import { readCheckedDocument } from '../../src/openapi/checked-document.ts';
import { descriptionLinks } from '../../src/reference/description-links.ts';
import { overviewContent } from '../../src/reference/overview-content.ts';
import { referenceContext } from '../../src/reference/reference-site.ts';
import { pageContext } from './page-context.ts';

const DOCUMENT = {
  openapi: '3.1.0',
  paths: { '/pets': { get: { operationId: 'listPets', tags: ['pets'] } } },
  components: { schemas: { Pet: {} } },
};

const OWN = new Set(['/', ...reservedPaths([{}])]);

/** Where a description's link leads. `paths`: what the site has besides the reference. */
function resolve(href: string, paths?: ReadonlySet<string>, document: object = DOCUMENT) {
  const { context } = pageContext({ ...document });
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

/** As Redoc addresses the parts of a document. */
const REDOC: readonly (readonly [href: string, leadsTo: string | undefined])[] = [
  ['#tag/domain-records', '/reference/domain-records'],
  ['#tag/Domain-Records', '/reference/domain-records'],
  ['#tag/Domain%20Records', '/reference/domain-records'],
  ['#tag/Keys-and-Teams', '/reference/keys-teams'],
  ['#tag/Domain-Records/operation/listRecords', '/reference/domain-records/listRecords'],
  ['#tag/Domain-Records/paths/~1records/get', '/reference/domain-records/listRecords'],
  ['#/paths/~1keys/get', '/reference/keys-teams/get-keys'],
  ['#section/Auth', '/reference'],
  ['#section/Auth/How-to-sign-in', '/reference'],
  ['#auth', '/reference'],
  ['#how-to-sign-in', '/reference'],
  ['#tag/Domains', undefined],
  ['#tag/Domain-Records/paths/~1records/put', undefined],
  ['#nothing', undefined],
  ['#tag/', undefined],
  ['#tag/--', undefined],
  ['#--', undefined],
  ['#', undefined],
];

const RECORDS = {
  openapi: '3.1.0',
  info: {
    title: 'Records',
    version: '1',
    description: `${REDOC.map(([href]) => `[a](${href})`).join(' ')}\n\n# Auth\n\n## How to sign in\n\nSo.`,
  },
  paths: {
    '/records': { get: { operationId: 'listRecords', tags: ['Domain Records'] } },
    '/keys': { get: { tags: ['Keys & Teams'] } },
  },
};

test('links of descriptions lead where those of Redoc lead', async () => {
  for (const [href, expected] of REDOC) assert.equal(resolve(href, PATHS, RECORDS), expected, href);

  const document = Buffer.from(JSON.stringify(RECORDS));
  const checked = await readCheckedDocument(document, 'openapi.json', () => {});
  assert.ok('upgraded' in checked, JSON.stringify(checked));
  const { text } = overviewContent(
    referenceContext(checked, { overview: '/reference', images: new Set() }, () => {}),
  );
  assert.match(text, /<a href="\/reference\/domain-records">a<\/a>/);
});
