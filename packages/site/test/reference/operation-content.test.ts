import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html } from '@petstore/http/html.ts';
import { findOperations } from '../../src/openapi/operations.ts';
import { modelContent } from '../../src/reference/model-content.ts';
import { operationContent } from '../../src/reference/operation-content.ts';
import { overviewContent } from '../../src/reference/overview-content.ts';
import { tagContent } from '../../src/reference/tag-content.ts';
import { idsOf, pageContext, words } from './page-context.ts';

const PROBLEM = { $ref: '#/components/schemas/Problem' };
const json = (schema: unknown) => ({ 'application/json': { schema } });

const DOCUMENT = {
  openapi: '3.1.0',
  info: {
    title: 'Pets',
    version: '1.2',
    license: { name: 'MIT', identifier: 'MIT' },
    contact: { email: 'a@b.example' },
  },
  servers: [
    {
      url: 'https://{region}.example.com',
      variables: { region: { default: 'eu', enum: ['eu', 'us'] } },
    },
  ],
  security: [{ key: [] }],
  tags: [
    {
      name: 'pets',
      description: 'All about pets. And more.',
      externalDocs: { url: 'https://docs.example.com' },
    },
  ],
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      oauth: {
        type: 'oauth2',
        flows: {
          clientCredentials: {
            tokenUrl: 'https://a.example/token',
            scopes: { write: 'Change pets' },
          },
        },
      },
    },
    schemas: {
      Problem: {
        type: 'object',
        description: 'What went wrong',
        properties: { title: { type: 'string' } },
      },
    },
  },
  paths: {
    '/pets/{id}': {
      parameters: [
        { name: 'id', in: 'path', description: 'Of the path', schema: { type: 'integer' } },
      ],
      put: {
        operationId: 'putPet',
        summary: 'Replace a pet',
        tags: ['pets'],
        deprecated: true,
        'x-deprecated-sunset': '2030-12-05',
        'x-stability': 'beta',
        'x-badges': [{ name: 'Partners', color: '#cc0000' }],
        externalDocs: { url: 'javascript:alert(1)' },
        security: [{ oauth: ['write'] }, {}],
        servers: [{ url: 'https://uploads.example.com' }],
        parameters: [
          { name: 'id', in: 'path', description: 'Of the operation', schema: { type: 'string' } },
          { name: 'id', in: 'query', schema: { type: 'string' } },
          { name: 'ids', in: 'query', explode: false, schema: { type: 'array', items: {} } },
          {
            name: 'filter',
            in: 'query',
            style: 'deepObject',
            schema: { type: 'object', properties: { age: {} } },
          },
          {
            name: 'q',
            in: 'query',
            content: json({ type: 'object' }),
            examples: { one: { value: 9007199254740993n } },
          },
          { name: 'X-Trace', in: 'header', deprecated: true, schema: { type: 'string' } },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: PROBLEM },
            'application/xml': { schema: PROBLEM },
            'multipart/form-data': {
              schema: { type: 'object', properties: { photo: {} } },
              encoding: { photo: { contentType: 'image/png' } },
            },
          },
        },
        responses: {
          200: {
            description: 'Replaced',
            headers: { ETag: { description: 'Its version', schema: { type: 'string' } } },
            content: json({
              type: 'object',
              properties: { items: { type: 'array', items: { properties: { id: {} } } } },
            }),
            links: { again: { operationId: 'putPet', parameters: { id: '$response.body#/id' } } },
          },
          204: { description: 'Nothing' },
          400: { description: 'Bad', content: json(PROBLEM) },
          404: { description: '', content: json(PROBLEM) },
        },
        callbacks: {
          sold: {
            '{$request.body#/url}': {
              post: { requestBody: { content: json(PROBLEM) }, responses: { 200: {} } },
            },
          },
        },
      },
    },
  },
};

function operationPage(document: Record<string, unknown> = DOCUMENT) {
  const { context, warnings } = pageContext(document);
  const [found] = [...findOperations(document)];
  const [summary] = context.checked.operations;
  assert.ok(found && summary);
  const parts = { aside: html`<b>aside</b>`, data: html`<b>data</b>`, tryIt: true };
  const { text } = operationContent(context, summary, found, parts);
  return { text, words: words(text), ids: idsOf(text), warnings };
}

test('an operation says all that the document says of it', () => {
  const page = operationPage();
  const says = [
    'Deprecated Removed on 5 December 2030 Beta Partners',
    'oauth OAuth 2.0 with the scope write Change pets It also works without.',
    'Path parameters id string required Of the operation',
    'ids array of any Written as ids=a,b',
    'filter object Style deepObject Written as filter[k]=v',
    'q object Example 9007199254740993 Written as application/json',
    'X-Trace string deprecated',
    'Request body required application/json application/xml Problem',
    'photo any Sent as image/png',
    '200 Replaced Headers ETag string Its version Body application/json items array of object',
    'Links again Replace a pet id is $response.body#/id',
    '204 Nothing',
    '404 Not Found application/json Problem, as of 400',
    'Callbacks POST sold {$request.body#/url} Payload',
    'Server https://uploads.example.com',
  ];
  for (const one of says) assert.ok(page.words.includes(one), one);
  assert.doesNotMatch(page.words, /Of the path/);
  assert.doesNotMatch(page.text, /href="javascript:| style=/);
  assert.deepEqual(page.warnings, []);
});

test('search can lead to each parameter, property and response by an id that is unique in its page', () => {
  const { ids } = operationPage();
  for (const id of [
    'id',
    'query.id',
    'ids',
    'filter.age',
    'body.title',
    '200',
    '200.ETag',
    '200.items',
    '200.items.id',
    '400.title',
  ]) {
    assert.ok(ids.includes(id), id);
  }
  assert.equal(new Set(ids).size, ids.length);
});

test('the first success alone is open, and a page has what others made for it', () => {
  const { text } = operationPage();
  assert.match(text, /id="200" open>/);
  assert.doesNotMatch(text, /id="400" open>/);
  assert.match(text, /<button type="button" class="ref-try" hidden>Try it<\/button>/);
  assert.match(
    text,
    /<aside class="ref-aside" aria-label="Examples"><b>aside<\/b><\/aside><b>data<\/b>$/,
  );
});

/** The page of the first operation of a document with these parts. */
function pageOf(parts: Record<string, unknown>) {
  const { context } = pageContext({ openapi: '3.1.0', ...parts });
  const [found] = [...findOperations(context.document)];
  const [summary] = context.checked.operations;
  assert.ok(found && summary);
  const { text } = operationContent(context, summary, found, {
    ...{ aside: html``, data: undefined, tryIt: false },
  });
  return { text, words: words(text), title: summary.title };
}

const get = (operation: Record<string, unknown>) => ({ paths: { '/pets': { get: operation } } });

test('a description that is the title is not said again, and its headings follow the title', () => {
  const same = pageOf(get({ summary: 'List pets', description: 'List `pets`.' }));
  assert.equal(same.words, 'List pets GET /pets');
  const more = pageOf(get({ summary: 'List pets', description: 'All.\n\n# Limits\n\n## Rate' }));
  assert.match(more.text, /<h1>List pets<\/h1>.*<h2>Limits<\/h2>.*<h3>Rate<\/h3>/s);
});

test('a webhook whose summary is a paragraph has its name for a title, and the paragraph in its page', () => {
  const summary = `This event occurs when a pet comes or goes, ${'again and '.repeat(10)}again. See [events](https://example.com/events).`;
  const page = pageOf({ webhooks: { 'pet-sold': { post: { summary, description: 'Sold.' } } } });
  assert.equal(page.title, 'pet-sold');
  assert.match(page.words, /^pet-sold POST pet-sold This event occurs .* See events\. Sold\.$/);
});

test('a webhook needs what it names itself, not what callers of the API need', () => {
  const components = { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } };
  const security = [{ key: [] }];
  const webhook = (own: object) =>
    pageOf({ components, security, webhooks: { sold: { post: { summary: 'Sold', ...own } } } });
  assert.equal(webhook({}).words, 'Sold POST sold');
  assert.match(webhook({ security }).words, /Authentication key Bearer token/);
});

test('the line of a response is its description, or the first sentence of a long one', () => {
  const long =
    'The caller did not supply credentials. They may be invalid, or your client may lack the permission that this operation needs of all its callers.';
  const { words: said } = pageOf(
    get({ responses: { 200: { description: 'The `pet`' }, 401: { description: long } } }),
  );
  assert.equal(
    said,
    `GET /pets GET /pets Responses 200 The pet 401 The caller did not supply credentials. ${long}`,
  );
});

test('a body of a binary media type is a file', () => {
  const content = { 'application/pdf': { schema: {} } };
  const page = pageOf(get({ responses: { 200: { description: 'Its scan', content } } }));
  assert.match(page.words, /200 Its scan application\/pdf file$/);
});

test('the introduction, a tag and a model link to the pages of what they list', () => {
  const { context } = pageContext(DOCUMENT);
  const overview = overviewContent(context).text;
  for (const one of [
    'Version 1.2',
    'Licence MIT',
    '{region} Default eu One of eu us',
    'Client credentials Token https://a.example/token write Change pets',
    'pets All about pets.',
  ]) {
    assert.ok(words(overview).includes(one), one);
  }
  for (const href of [
    '/openapi.yaml',
    '/reference/pets',
    '/reference/models',
    'mailto:a@b.example',
  ]) {
    assert.ok(overview.includes(`href="${href}"`), href);
  }
  const [tag] = context.addresses.tags;
  assert.ok(tag);
  assert.match(
    tagContent(context, tag).text,
    /<a href="\/reference\/pets\/putPet"><span class="method method-put">PUT<\/span> <span><s>Replace a pet<\/s>/,
  );
  const users = [{ title: 'Replace a pet', path: '/reference/pets/putPet', method: 'PUT' }];
  const model = modelContent(context, 'Problem', { aside: html``, users }).text;
  assert.match(
    words(model),
    /^Problem What went wrong Schema title string Used by PUT Replace a pet$/,
  );
  assert.ok(idsOf(model).includes('title'));
});

test('names of a hundred thousand letters and other hostile texts stay texts of a bounded length', () => {
  const bad = `<script>${'x'.repeat(100_000)}`;
  const { text } = operationPage({
    ...DOCUMENT,
    paths: {
      '/a': {
        get: {
          parameters: [{ name: bad, in: 'query', style: 'constructor', schema: { type: 'array' } }],
          security: [{ ['__proto__']: [], constructor: [] }],
          'x-badges': [{ name: bad }],
          responses: { 200: { description: '<script>', content: { '<script>': { schema: {} } } } },
        },
      },
    },
  });
  assert.doesNotMatch(text, /<script>/);
  assert.ok(text.length < 10_000, String(text.length));
});
