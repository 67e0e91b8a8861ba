import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuTimeOf } from '@petstore/test-support/within.ts';
import { findOperations } from '../../src/openapi/operations.ts';
import { operationAside } from '../../src/reference/aside-html.ts';
import type { OperationData } from '../../src/request/operation-data.ts';
import { SAMPLE_LANGUAGES, type SampleLanguage } from '../../src/samples/languages.ts';
import { codeSample } from '../../src/samples/sample-request.ts';
import { snippet } from '../../src/samples/snippet.ts';
import { tokensOf } from '../../src/samples/tokens.ts';
import { exampleContext } from './example-context.ts';

const BIG = '12345678901234567890';

function data(given: Partial<OperationData> = {}): OperationData {
  const servers = [{ url: 'https://api.example.com/v1' }];
  return { method: 'POST', path: '/pets/{petId}', title: 'Add', servers, ...given };
}

const body = (type: string, example?: string): Pick<OperationData, 'body'> => ({
  body: { content: [{ type, ...(example !== undefined && { example }) }] },
});

const LANGUAGES = Object.keys(SAMPLE_LANGUAGES) as SampleLanguage[];

const KEY: Partial<OperationData> = {
  security: [[['key']]],
  schemes: [{ name: 'key', type: 'apiKey', in: 'header', key: 'X-Key' }],
  parameters: [
    { name: 'petId', in: 'path', required: true },
    { name: 'sortBy', in: 'query', required: true },
    { name: 'page', in: 'query', example: '7' },
  ],
};

for (const language of LANGUAGES) {
  test(`${language}: the address, a word for each missing value, the key, and every digit`, () => {
    const example = `{"id":${BIG},"price":1.50,"name":"O'Neil"}`;
    const code = snippet(data({ ...KEY, ...body('application/json', example) }), language);
    const address = /\/v1\/pets\/\{petId\}\?sortBy=SORT_BY(?!\w|&)/;
    for (const part of [address, /X-Key/, /YOUR_API_KEY/, new RegExp(BIG), /1\.50/]) {
      assert.match(code, part);
    }
    assert.doesNotMatch(code, /90071992547|%7B|page/);
  });

  test(`${language}: a body of text is sent as it is, with its media type`, () => {
    const code = snippet(data(body('application/xml', '<pet/>')), language);
    assert.match(code, /<pet\/>/);
    assert.match(code, /application\/xml/);
  });

  test(`${language}: a form has all of its fields, also those that share a name`, () => {
    const type = 'application/x-www-form-urlencoded';
    const code = snippet(data(body(type, '{"tag":["one","two"]}')), language);
    assert.match(code, /one/);
    assert.match(code, /two/);
  });
}

const CURL: readonly (readonly [string, OperationData, RegExp])[] = [
  [
    'an address of the site itself',
    data({ servers: [{ url: '/v2' }] }),
    /'https:\/\/YOUR_HOST\/v2/,
  ],
  ['a file for a binary body', data(body('image/png')), /--data-binary '@file\.png'/],
  ['a file for a long body', data(body('application/json')), /--data-binary '@body\.json'/],
  [
    'a file for a part that is one',
    data({
      body: {
        content: [
          {
            type: 'multipart/form-data',
            example: '{"photo":"(binary)","name":"Rex"}',
            schema: {
              type: 'object',
              properties: [{ name: 'photo', schema: { type: 'string', format: 'binary' } }],
            },
          },
        ],
      },
    }),
    /--form 'photo=@"file"' \\\n {2}--form-string 'name=Rex'/,
  ],
  [
    'a file for a part that has no type, and one for a list of them',
    data({
      body: {
        content: [
          {
            type: 'multipart/form-data',
            example: '{"photo":null,"scans":["(binary)"]}',
            schema: {
              type: 'object',
              properties: [
                { name: 'photo', schema: { media: 'application/octet-stream' } },
                { name: 'scans', schema: { type: 'array', items: { media: 'image/png' } } },
              ],
            },
          },
        ],
      },
    }),
    /--form 'photo=@"file"' \\\n {2}--form 'scans=@"file\.png"'/,
  ],
];

for (const [name, given, expected] of CURL) {
  test(`curl has ${name}`, () => assert.match(codeSample(given), expected));
}

const TEXTS: readonly (readonly [language: string, text: string])[] = [
  ['json', '{"a": [1, -2.5e3, true, null, "b\\"c"], "open'],
  ['xml', '<a b="c">1</a><!-- <d> -->'],
  ['curl', 'curl --data \'{\n"a": 1}\' # end'],
  ['yaml', 'a: 1\nb: "c"\n'],
  ['python', '# one\nx = f("a", 1)'],
  ['unknown', '<b>/* " ` \' '],
];

for (const [language, text] of TEXTS) {
  test(`colours change nothing of a text: ${language}`, () => {
    assert.equal(
      tokensOf(text, language)
        .map(([part]) => part)
        .join(''),
      text,
    );
  });
}

test('colours take no time that grows faster than the text', () => {
  const took = cpuTimeOf(() => {
    for (const part of ['"', '/*', '<!--', "'", ' ', 'a', '- ', '"""', '`', '#', '-', '9']) {
      for (const [language] of TEXTS) tokensOf(part.repeat(12_000 / part.length), language);
    }
  });
  assert.ok(took < 1_500, `${took} ms`);
});

const DOCUMENT = {
  paths: {
    '/pets': {
      post: {
        'x-codeSamples': [
          { lang: 'Python', label: 'SDK', source: 'pets.add("<b>")' },
          { lang: 'C++', source: 'add();' },
          { lang: 'Go' },
        ],
        requestBody: {
          content: {
            'application/json': {
              examples: {
                cat: { summary: 'A cat', value: { name: '</code><script>' } },
                dog: { value: { name: 'Rex' } },
              },
            },
          },
        },
        responses: {
          200: { content: { 'application/json': { example: { id: 1 } } } },
          204: {},
          404: { content: { 'application/pdf': {} } },
          default: { content: { 'text/plain': { example: 'x'.repeat(300_000) } } },
        },
      },
    },
  },
};

function aside(): string {
  const [found] = findOperations(DOCUMENT);
  assert.ok(found);
  const summary = {
    ...{ id: 'a', operationId: 'a', method: 'POST', path: '/pets', title: 'Add', tag: undefined },
    ...{ description: '', deprecated: false, anchor: '', isWebhook: false },
  };
  return operationAside(exampleContext(DOCUMENT), summary, found, data()).text;
}

test('what stands beside an operation has own samples first, then curl, all bodies and statuses', () => {
  const text = aside();
  const labels = [...text.matchAll(/<label[^>]*><input[^>]*>(?:<b[^>]*>)?([^<]+)/g)];
  assert.deepEqual(
    labels.map(([, label]) => label),
    ['SDK', 'C++', 'curl', 'A cat', 'dog', '200', '204', '404', 'default'],
  );
  assert.match(text, /data-language="python"/);
  assert.match(text, /No body/);
  assert.match(text, /A file: <code>application\/pdf<\/code>/);
  assert.match(text, /…<\/code><\/pre><\/div>\n<p class="ref-none">Shortened\./);
});

test('examples of several media types are told apart by those', () => {
  const content = Object.fromEntries(
    ['application/json', 'text/plain'].map((type) => [
      type,
      { examples: { default: { value: 'x' } } },
    ]),
  );
  const operation = { responses: { 200: { content } } };
  const location = ['paths', '/pets', 'get'];
  const found = { method: 'GET', path: '/pets', location, isWebhook: false, item: {}, operation };
  const summary = {
    ...{ id: 'a', operationId: 'a', method: 'GET', path: '/pets', title: 'List', tag: undefined },
    ...{ description: '', deprecated: false, anchor: '', isWebhook: false },
  };
  const { text } = operationAside(exampleContext({}), summary, found, data());
  const labels = [...text.matchAll(/<label[^>]*><input[^>]*>(?:<b[^>]*>)?([^<]+)/g)];
  assert.deepEqual(
    labels.map(([, label]) => label),
    ['200', 'application/json', 'text/plain'],
  );
});

test('nothing of a document becomes an element beside an operation', () => {
  const text = aside();
  assert.doesNotMatch(text, /<script|<b>/);
  assert.match(text, /&lt;\/code&gt;&lt;script&gt;/);
});
