import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverNothing } from '@petstore/test-support/program.ts';
import fc from 'fast-check';
import { code, literal } from '../../src/markdown/markdown-text.ts';
import { modelMarkdown } from '../../src/markdown/model-markdown.ts';
import { operationMarkdown } from '../../src/markdown/operation-markdown.ts';
import { findOperations } from '../../src/openapi/operations.ts';
import { modelAside, operationAside } from '../../src/reference/aside-html.ts';
import { modelContent } from '../../src/reference/model-content.ts';
import { operationContent } from '../../src/reference/operation-content.ts';
import type { ReferenceContext } from '../../src/reference/reference-context.ts';
import { contextOf } from './context.ts';

coverNothing();

/** A page of the reference, as HTML and as Markdown. */
interface BothForms {
  readonly name: string;
  readonly html: string;
  readonly markdown: string;
}

function* pagesOf(context: ReferenceContext): Generator<BothForms> {
  for (const [at, found] of [...findOperations(context.document)].entries()) {
    const summary = context.checked.operations[at];
    assert.ok(summary);
    const aside = operationAside(context, summary, found, undefined);
    const parts = { aside, data: undefined, tryIt: false };
    yield {
      name: summary.title,
      html: operationContent(context, summary, found, parts).text,
      markdown: operationMarkdown(context, summary, found),
    };
  }
  for (const name of context.addresses.models) {
    const parts = { aside: modelAside(context, name), users: [] };
    yield {
      name,
      html: modelContent(context, name, parts).text,
      markdown: modelMarkdown(context, name),
    };
  }
}

/** The texts of the elements that a pattern finds, each once. */
function textsOf(html: string, pattern: RegExp): string[] {
  const texts = [...html.matchAll(pattern)].map(([, text = '']) =>
    text
      .replace(/<[^>]*>/g, '')
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
      .trim(),
  );
  return [...new Set(texts)].filter(Boolean);
}

/** What a page shows: its names, and the values of all that it says. */
function shownIn(html: string) {
  // How a list is written stands in Markdown as its style.
  const said = html.replace(/<li>Written as <code>[^<]*<\/code><\/li>/g, '');
  return {
    names: textsOf(
      said,
      /<p class="ref-name">(?:<span class="ref-type">and<\/span> )?<(?:a|b)[^>]*>(.*?)<\/(?:a|b)>/g,
    ),
    values: [
      ...textsOf(said.replace(/<aside.*/s, ''), /<code>(.*?)<\/code>/g),
      ...textsOf(said, /<dt>(.*?)<\/dt>/g),
    ],
    statuses: textsOf(said, /ref-status[^>]*>(.*?)<\//g),
    titles: textsOf(said, /<summary><b>(.*?)<\/b>/g),
    examples: textsOf(said, /<label[^>]*>(.*?)(?: \([\w/-]+\))?<\/label>/g),
  };
}

/** What Markdown may have for a text of the page. */
function formsOf(text: string): string[] {
  if (text === 'any name') return ['any other member'];
  return [
    code(text),
    literal(text),
    literal(text.toLowerCase()),
    // Patterns stand between slashes on the page, addresses after a method in Markdown.
    code(text.replace(/^\/(.*)\/$/, '$1')),
    ` ${text}\``,
  ];
}

function assertSame({ name, html, markdown }: BothForms): number {
  const { names, values, statuses, titles, examples } = shownIn(html);
  const all = [...names, ...values, ...statuses, ...titles, ...examples];
  // In the cells of tables a bar is escaped.
  const text = markdown.replaceAll('\\|', '|');
  const missing = all.filter((one) => !formsOf(one).some((form) => text.includes(form)));
  assert.deepEqual(missing, [], `${name} in Markdown lacks what the page shows:\n${markdown}`);
  return all.length;
}

const SIZES = { type: 'string', enum: ['small', 'large', 'x|y'], default: 'small' };

const RICH = {
  servers: [{ url: 'https://api.example' }],
  security: [{ oauth: ['pets:read'], key: [] }],
  paths: {
    '/pets/{petId}': {
      parameters: [{ name: 'petId', in: 'path', schema: { type: 'integer', minimum: 1 } }],
      put: {
        operationId: 'changePet',
        tags: ['pets'],
        parameters: [
          {
            name: 'opt_fields',
            in: 'query',
            explode: false,
            example: ['name', 'a.b.c'],
            schema: {
              type: 'array',
              maxItems: 7,
              items: { type: 'string', enum: ['name', 'size', 'owner.name'], maxLength: 40 },
            },
          },
          {
            name: 'filter',
            in: 'query',
            style: 'deepObject',
            explode: true,
            schema: {
              type: 'object',
              required: ['colour'],
              properties: {
                colour: { type: 'string', enum: ['red', 'blue'] },
                size: {
                  allOf: [
                    { type: 'integer', minimum: 3 },
                    { maximum: 30, default: 12 },
                  ],
                },
              },
            },
          },
          {
            name: 'X-Trace',
            in: 'header',
            content: { 'application/json': { schema: { properties: { span: SIZES } } } },
          },
        ],
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: { properties: { photo: { type: 'string' }, about: SIZES } },
              encoding: {
                photo: {
                  contentType: 'image/png',
                  headers: { 'X-Part': { schema: { type: 'integer', multipleOf: 4 } } },
                },
              },
            },
            'application/json': {
              schema: { $ref: '#/components/schemas/Pet' },
              examples: Object.fromEntries(
                Array.from({ length: 8 }, (_, at) => [`pet${at}`, { value: { id: at } }]),
              ),
            },
          },
        },
        responses: {
          200: {
            description: 'The pet',
            headers: {
              'X-Rate': { schema: { type: 'integer', exclusiveMaximum: 100, default: 60 } },
              'X-Page': {
                schema: { properties: { next: { type: 'string', pattern: '^[a-z]+$' } } },
              },
            },
            content: {
              'application/json': {
                schema: { type: 'array', items: { $ref: '#/components/schemas/Pet' } },
              },
            },
          },
          '4XX': {
            description: 'Refused',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
          },
          default: { description: 'Anything else' },
        },
        callbacks: {
          changed: {
            '{$request.body#/url}': {
              post: {
                requestBody: {
                  content: {
                    'application/json': { schema: { properties: { changedAt: SIZES } } },
                  },
                },
                responses: { 410: { description: 'Never again' } },
              },
            },
          },
        },
      },
    },
    '/open': { get: { operationId: 'open', security: [], responses: { 204: {} } } },
  },
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      oauth: {
        type: 'oauth2',
        flows: {
          clientCredentials: {
            tokenUrl: 'https://a.example/token',
            scopes: { 'pets:read': 'Read pets' },
          },
        },
      },
    },
    schemas: {
      Pet: {
        oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
        discriminator: { propertyName: 'kind' },
      },
      Cat: {
        allOf: [
          { $ref: '#/components/schemas/Base' },
          { required: ['lives'], properties: { kind: { const: 'cat' }, lives: { maximum: 9 } } },
        ],
      },
      Dog: {
        properties: {
          kind: { const: 'hound' },
          toys: {
            type: 'array',
            uniqueItems: true,
            items: { type: 'array', items: { properties: { noise: SIZES }, minProperties: 1 } },
          },
          mood: {
            oneOf: [
              { const: 'glad', title: 'Glad' },
              { const: 'sad', title: 'Sad', description: 'It rains' },
            ],
          },
        },
        patternProperties: { '^x-': { type: 'number', exclusiveMinimum: 0.5 } },
        dependentRequired: { toys: ['mood'] },
        xml: { name: 'dog', namespace: 'https://x.example' },
      },
      Base: {
        properties: {
          id: { type: 'string', format: 'uuid', examples: ['a-1', 'b-2'] },
          parent: { $ref: '#/components/schemas/Pet' },
          size: { $ref: '#/components/schemas/Size', default: 'large' },
        },
      },
      Size: { title: 'How large', ...SIZES },
      Problem: {
        properties: {
          code: { type: 'integer', enum: [1, 2, 9_007_199_254_740_991] },
          tags: { type: 'object', additionalProperties: { properties: { text: SIZES } } },
          ways: {
            anyOf: [
              { title: 'By hand', properties: { hand: { type: 'string', minLength: 2 } } },
              { title: 'By foot', properties: { foot: { type: 'string', maxLength: 3 } } },
            ],
          },
        },
        not: { required: ['other'] },
      },
      Wide: {
        properties: {
          first: {
            properties: Object.fromEntries(
              Array.from({ length: 150 }, (_, at) => [`inner${at}`, { type: 'string' }]),
            ),
          },
          last: { enum: Array.from({ length: 120 }, (_, at) => `value${at}`) },
        },
      },
    },
  },
};

test('the Markdown of a page names all that the page names', async () => {
  const context = await contextOf(RICH);
  const counts = [...pagesOf(context)].map(assertSame);
  assert.equal(counts.length, 9);
  // A page that could not be read would have nothing to compare.
  assert.ok(
    counts.every((count) => count > 0),
    String(counts),
  );
});

const NAMES = ['a', 'b_c', 'd-e', 'constructor'] as const;

/** Schemas of few levels, with what readers look for. */
const { schema: anySchema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'schema' },
    fc.record(
      {
        type: fc.constantFrom('string', 'integer'),
        enum: fc.uniqueArray(fc.stringMatching(/^[a-z|<*]{1,6}$/), { minLength: 1, maxLength: 30 }),
        minimum: fc.integer({ min: 1, max: 99 }),
        maximum: fc.integer({ min: 100, max: 999 }),
        maxLength: fc.nat(50),
        default: fc.stringMatching(/^[a-z]{1,4}$/),
        description: fc.constantFrom('Some *text*', 'x'.repeat(600)),
      },
      { requiredKeys: ['type'] },
    ),
    fc.constantFrom('M0', 'M1').map((name) => ({ $ref: `#/components/schemas/${name}` })),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom(...NAMES), tie('schema'), { minKeys: 1 }),
    }),
    tie('schema').map((items) => ({ type: 'array', items })),
    tie('schema').map((one) => ({ properties: { inner: one }, additionalProperties: one })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((allOf) => ({ allOf })),
    fc.array(tie('schema'), { minLength: 2, maxLength: 5 }).map((oneOf) => ({ oneOf })),
  ),
}));

test('whatever the schemas are, the Markdown names all that the page names', async () => {
  await fc.assert(
    fc.asyncProperty(anySchema, anySchema, anySchema, async (parameter, M0, M1) => {
      const media = (schema: unknown) => ({ content: { 'application/json': { schema } } });
      const operation = {
        operationId: 'one',
        parameters: [{ name: 'q', in: 'query', schema: parameter }],
        requestBody: media(M0),
        responses: {
          200: {
            ...media({ $ref: '#/components/schemas/M1' }),
            description: 'x',
            headers: { 'X-H': { schema: M1 } },
          },
        },
      };
      const paths = { '/one': { post: operation } };
      for (const page of pagesOf(await contextOf({ paths, components: { schemas: { M0, M1 } } }))) {
        assertSame(page);
      }
    }),
    { numRuns: 40 },
  );
});
