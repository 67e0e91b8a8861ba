import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverNothing } from '@petstore/test-support/program.ts';
import { linked } from '../../src/markdown/description-links.ts';
import { contextOf, markdownOf } from './context.ts';

coverNothing();

const DOCUMENT = {
  paths: {
    '/pets': {
      get: { operationId: 'listPets', tags: ['pets'], responses: { 200: { description: 'x' } } },
    },
  },
  components: { schemas: { Pet: { type: 'object' } } },
};

const PAGE = '/reference/pets/listPets.md';

const LINKS: readonly [name: string, markdown: string, expected: string][] = [
  ['an old address', '[*a* b](/reference/listpets)', `[*a* b](${PAGE})`],
  ['an old address with a title', '[a](/reference/listpets "b c")', `[a](${PAGE} "b c")`],
  ['the address of a page', 'a [b](/reference/pets/listPets#x) c', `a [b](${PAGE}) c`],
  ['an anchor', '[a](#operation/listPets)', `[a](${PAGE})`],
  ['a model', '[a](#/components/schemas/Pet)', '[a](/reference/models/Pet.md)'],
  ['Markdown already', `[a](${PAGE})`, `[a](${PAGE})`],
  ['a page besides the reference', '[a](/guide)', '[a](/guide)'],
  ['what leads nowhere', 'See [*a* `b`](/away) and [c](../d).', 'See *a* `b` and c.'],
  ['a script', '[a](javascript:alert)', 'a'],
  ['the web', '[a](https://a.example) [b](/away)', '[a](https://a.example) b'],
  ['a definition', '[a][x]\n\n[x]: /reference/listpets "b"', `[a][x]\n\n[x]: ${PAGE} "b"`],
  ['a definition that leads nowhere', '[a][x] [b](/away)\n\n[x]: /away', 'a b\n\n'],
  ['a footnote', 'a[^1] [b](/away)\n\n[^1]: /away', 'a[^1] b\n\n[^1]: /away'],
  ['HTML', '<a href="/reference/listpets">a</a>', `<a href="${PAGE}">a</a>`],
  ['HTML that leads nowhere', "a <a href='/away'>b</a>", 'a <a>b</a>'],
  ['code', '`[a](/away)`\n\n```\n[a](/away)\n```', '`[a](/away)`\n\n```\n[a](/away)\n```'],
];

for (const [name, markdown, expected] of LINKS) {
  test(`a link of a description leads where that of the page leads: ${name}`, async () => {
    assert.equal(linked(await contextOf(DOCUMENT), markdown), expected);
  });
}

test('every description of a page has the links of the page', async () => {
  const about = 'See [it](/reference/LISTPETS) or [that](/away).';
  const media = (schema: object) => ({ content: { 'application/json': { schema } } });
  const document = {
    ...DOCUMENT,
    info: { title: 'Pets', version: '1', description: about },
    tags: [{ name: 'pets', description: about }],
    paths: {
      ...DOCUMENT.paths,
      '/one': {
        post: {
          operationId: 'one',
          tags: ['pets'],
          description: about,
          parameters: [{ name: 'a', in: 'query', description: about, schema: {} }],
          requestBody: {
            description: about,
            ...media({ properties: { a: { description: about } } }),
          },
          responses: {
            200: {
              description: about,
              headers: { 'X-A': { description: about, schema: {} } },
              links: { a: { operationId: 'one', description: about } },
            },
          },
        },
      },
    },
    components: {
      schemas: { Pet: { description: about, properties: { a: { description: about } } } },
    },
  };
  const pages = [
    ['/reference.md', 1],
    ['/reference/pets.md', 1],
    ['/reference/pets/one.md', 7],
    ['/reference/models/Pet.md', 2],
  ] as const;
  for (const [path, count] of pages) {
    const markdown = await markdownOf(document, path);
    assert.equal(markdown.split(`See [it](${PAGE}) or that.`).length - 1, count, markdown);
    assert.doesNotMatch(markdown, /LISTPETS|away/);
  }
});
