import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverNothing } from '@petstore/test-support/program.ts';
import { markdownFiles } from '../../src/markdown/markdown-files.ts';
import { contextOf, markdownOf } from './context.ts';

coverNothing();

const PETS = {
  info: {
    title: 'Pets',
    version: '1.2',
    description: 'All of the *shop*.',
    license: { name: 'MIT', url: 'https://mit.example' },
    contact: { email: 'a@b.example' },
  },
  servers: [
    {
      url: 'https://{region}.example',
      description: 'The only one',
      variables: { region: { default: 'eu', enum: ['eu', 'us'] } },
    },
  ],
  tags: [
    {
      name: 'pets',
      description: 'Animals for sale.',
      externalDocs: { url: 'https://docs.example' },
    },
  ],
  security: [{ oauth: ['pets:write'] }, { key: [] }, {}],
  paths: {
    '/pets/{petId}': {
      parameters: [
        { name: 'petId', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } },
      ],
      put: {
        operationId: 'changePet',
        tags: ['pets'],
        summary: 'Change a pet',
        description: 'Changes it.\n\n```\nopen',
        deprecated: true,
        externalDocs: { url: 'https://docs.example/pets', description: 'The guide' },
        parameters: [
          {
            name: 'mode',
            in: 'query',
            style: 'pipeDelimited',
            explode: false,
            schema: {
              type: 'array',
              items: { type: 'string' },
              enum: ['a', 'b'],
              'x-enumDescriptions': { a: 'the first' },
            },
            example: 'a',
          },
        ],
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: { $ref: '#/components/schemas/Pet' },
              encoding: { photo: { contentType: 'image/png' } },
              examples: {
                cat: { summary: 'A cat', value: { id: 1 } },
                dog: { value: { id: 2 } },
              },
            },
          },
        },
        responses: {
          200: {
            description: 'The pet',
            headers: {
              'X-Rate': {
                required: true,
                description: 'What is left',
                schema: { type: 'integer' },
              },
            },
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/Pet' } },
            },
            links: {
              owner: { operationId: 'getOwner', parameters: { id: '$response.body#/owner' } },
            },
          },
        },
        callbacks: {
          changed: {
            '{$request.body#/url}': {
              post: {
                summary: 'It was changed',
                requestBody: { content: { 'text/plain': { schema: { type: 'string' } } } },
                responses: { 204: { description: 'Heard' } },
              },
            },
          },
        },
      },
    },
  },
  webhooks: {
    sold: { post: { summary: 'A pet was sold', responses: { 200: { description: 'Heard' } } } },
  },
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      oauth: {
        type: 'oauth2',
        flows: {
          clientCredentials: {
            tokenUrl: 'https://a.example/token',
            scopes: { 'pets:write': 'Change pets' },
          },
        },
      },
    },
    schemas: {
      Pet: {
        type: 'object',
        description: 'An animal.',
        required: ['id'],
        properties: {
          id: { type: 'integer', const: 9007199254740991, readOnly: true },
          size: { type: ['integer', 'null'], multipleOf: 5, example: 10 },
          parent: { $ref: '#/components/schemas/Pet' },
          kind: {
            oneOf: [{ $ref: '#/components/schemas/Cat' }, { type: 'string' }],
            discriminator: {
              propertyName: 'is',
              mapping: { cat: '#/components/schemas/Cat' },
            },
          },
        },
        patternProperties: { '^x-': { type: 'string' } },
        additionalProperties: false,
        if: { properties: { size: { const: 5 } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['kind'], description: 'Small ones have a kind.' },
      },
      Cat: { type: 'object', properties: { lives: { type: 'integer' } } },
    },
  },
};

const PARTS: readonly [page: string, texts: readonly string[]][] = [
  [
    '/reference/pets/changePet.md',
    [
      '# Change a pet\n\n`PUT /pets/{petId}`\n\n**Deprecated.**\n\nOperation id: `changePet`',
      // The block of code is ended, so that the rest of the page is not code.
      'Changes it.\n\n```\nopen\n```\n\nMore: The guide, `https://docs.example/pets`',
      '| `petId` | path | integer, at least `1` | yes |  |',
      'array of string, one of `a` (the first), `b`, style pipeDelimited, not exploded, for example `a` | no |',
      '## Request body (required)\n\n`multipart/form-data`\n\n- `Pet`, no other members. An animal.\n',
      '  - `id`: integer, required, always `9007199254740991`, read-only\n',
      '  - `size`: integer or null, a multiple of `5`, for example `10`\n',
      '  - `parent`: `Pet` (as above)\n',
      '    - one of, by the value of `is`\n      - `cat`: `Cat`\n        - `lives`: integer\n      - string\n',
      '  - any member that matches `^x-`: string\n',
      '  - if it is: object\n',
      '  - then it is: anything, with `kind`. Small ones have a kind.\n',
      '- Part `photo`: sent as `image/png`',
      'Example, A cat:\n\n```\nid: 1\n```\n\nExample, dog:',
      '### 200: The pet\n\n- Header `X-Rate`: integer, required. What is left\n',
      '`application/json`\n\n- `Pet` (as above)\n',
      '- Link `owner`: to `getOwner` with `id` = `$response.body#/owner`',
      '### `changed`: `POST {$request.body#/url}`\n\nIt was changed\n\n#### Request body\n\n`text/plain`',
      '#### Responses\n\n##### 204: Heard',
      '- `oauth`: OAuth 2.0, with `pets:write`\n- `key`: API key in the header `X-Key`\n- None',
      '- Flow client credentials: tokens at `https://a.example/token`\n  - `pets:write`: Change pets',
      "curl --request PUT --globoff 'https://eu.example/pets/",
    ],
  ],
  ['/reference/webhooks/post-sold.md', ['# A pet was sold\n\nWebhook `sold`, sent as POST\n']],
  [
    '/reference/pets.md',
    [
      '# pets\n\nAnimals for sale.\n\nMore: `https://docs.example`',
      '- [Change a pet](/reference/pets/changePet.md): PUT /pets/{petId}, deprecated. Changes it.',
    ],
  ],
  ['/reference/models.md', ['- [Pet](/reference/models/Pet.md): An animal.']],
  [
    '/reference/models/Pet.md',
    ['# Pet\n\nAn animal.\n\n- object, no other members\n  - `id`:', 'Example:\n\n```json\n{'],
  ],
  [
    '/reference.md',
    [
      '# Pets\n\nVersion `1.2`\n\nAll of the *shop*.\n\n- Contact: `a@b.example`\n- Licence: MIT, `https://mit.example`',
      '- `https://{region}.example`: The only one\n  - `{region}`: default `eu`, one of `eu`, `us`',
      '- `key`: API key in the header `X-Key`',
      '- [pets](/reference/pets.md): 1 operation\n- [Webhooks](/reference/webhooks.md): 1 operation',
      '[Models](/reference/models.md): 2 in all',
      '[JSON](/openapi.json)',
    ],
  ],
];

for (const [page, texts] of PARTS) {
  test(`${page} says all that the document says of it`, async () => {
    const markdown = await markdownOf(PETS, page);
    for (const text of texts) assert.ok(markdown.includes(text), `${text}\nis not in\n${markdown}`);
  });
}

test('a page of the site has its Markdown at its own address, that of the start page at /index.md', async () => {
  const paths = (overview: string, context: Awaited<ReturnType<typeof contextOf>>) => {
    const all = markdownFiles(context).map(({ path }) => path);
    assert.equal(all[0], overview);
    assert.equal(new Set(all).size, all.length);
  };
  paths('/reference.md', await contextOf(PETS));
  paths('/index.md', await contextOf(PETS, '/'));
});

test('a schema without a type has those of its values in Markdown', async () => {
  const model = await markdownOf({ components: { schemas: { Id: { enum: ['a', 1, null] } } } }, ID);
  assert.match(model, /string or integer or null, one of `a`, `1`/);
});

test('every digit of a number stands in Markdown', async () => {
  const maximum = JSON.rawJSON('9223372036854775807');
  const schema = { type: 'integer', maximum, default: JSON.rawJSON('12345678901234567890') };
  const model = await markdownOf({ components: { schemas: { Id: schema } } }, ID);
  assert.match(model, /at most `9223372036854775807`, default `12345678901234567890`/);
});

const ID = '/reference/models/Id.md';

test('names from Object.prototype are names like others', async () => {
  const schema = {
    properties: { constructor: { enum: ['valueOf'], 'x-enumDescriptions': {} } },
    discriminator: { propertyName: 'a', mapping: {} },
    oneOf: [{ $ref: '#/components/schemas/toString' }, { type: 'array' }],
  };
  const operation = {
    operationId: 'constructor',
    tags: ['valueOf'],
    security: [{ toString: [] }],
    responses: { 200: { description: 'x', content: { 'a/b': { schema } } } },
  };
  const document = {
    paths: { '/a': { get: operation } },
    components: { schemas: { toString: { type: 'string' } } },
  };
  const page = await markdownOf(document, '/reference/valueof/constructor.md');
  assert.match(page, /- `constructor`: string, one of `valueOf`\n/);
  assert.match(page, / {4}- `toString` \(string\)\n/);
  assert.match(page, /## Authentication\n\n- `toString`\n/);
});

test('a schema of more than a page has room for ends with a mark, and comes once on a page', async () => {
  const properties = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`p${at}`, {}]));
  const model = await markdownOf({ components: { schemas: { Id: { properties } } } }, ID);
  assert.match(model, /`p249`: anything\n {2}- … and 50 more members: see the OpenAPI document\n/);
  const values = Array.from({ length: 10_000 }, (_, at) => at);
  const many = await markdownOf({ components: { schemas: { Id: { enum: values } } } }, ID);
  assert.match(many, /, `499` and 9500 more\n/);
});

test('what is cut has a mark, and says where the whole is', async () => {
  const long = `${'word '.repeat(50)}end`;
  const schema = { type: 'string', default: long, enum: [long, 'short'] };
  const operation = {
    operationId: 'one',
    parameters: [{ name: 'a', in: 'query', schema: { type: 'string' }, example: long }],
    responses: { 200: { description: 'x', content: { 'application/json': { schema } } } },
  };
  const document = { paths: { '/a': { get: operation } } };
  const page = await markdownOf(document, '/reference/operations/one.md');
  assert.doesNotMatch(page.replace(/```.*?```/gs, ''), /word end/);
  const cuts = page.match(
    /(?:for example|default|one of) `(?:word )+word…` \(cut: see the OpenAPI document\)/g,
  );
  assert.equal(cuts?.length, 3, page);
});

test('an operation that needs no authorization says so where others need one', async () => {
  const get = { operationId: 'one', security: [], responses: {} };
  const components = { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } };
  const document = { paths: { '/a': { get } }, components, security: [{ key: [] }] };
  const page = await markdownOf(document, '/reference/operations/one.md');
  assert.match(page, /## Authentication\n\nNone is needed\.\n/);
});
