import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ASSISTANTS } from './documents.ts';
import { searcherOf } from './search-index.ts';

const CHAT = '/reference/chat/createChatCompletion';
const EMBEDDING = '/reference/embeddings/createEmbedding';

test('guides are found by section, in any alphabet', async () => {
  const find = await searcherOf({
    texts: [
      '# Café\n\nBrewing.\n\n## Grinder\n\nSet `grindSize` to 5.',
      '# インストール手順\n\n次のコマンドを実行します。',
      '# Руководство\n\nВойдите в систему.',
      '# Größe\n\nStraße.',
    ],
  });
  const cases = [
    ['cafe', ['/0', '/0#grinder']],
    ['CAFÉ', ['/0', '/0#grinder']],
    ['grind size', ['/0#grinder']],
    ['grindsize', ['/0#grinder']],
    ['grind_si', ['/0#grinder']],
    ['インストール', ['/1']],
    ['実行', ['/1']],
    ['手', ['/1']],
    ['行実', []],
    ['руководство', ['/2']],
    ['систем', ['/2']],
    ['größe', ['/3']],
    ['strasse', ['/3']],
    ['zzzz', []],
    [' …!? ', []],
  ] as const;
  for (const [query, expected] of cases) {
    const found = (await find(query)).map(({ href }) => href);
    assert.deepEqual(found, expected, query);
  }
});

test('a word is found whole where vowels are marks, and points of other scripts are left out', async () => {
  const find = await searcherOf({
    texts: [
      '# भुगतान\n\nरिफंड सात दिन में मिलता है।',
      '# भाषा\n\nगति और तान।',
      '# Ẹ̀kọ́\n\nKọ́ ẹ̀kọ́.',
      '# كِتَاب\n\nقِرَاءَة',
    ],
  });
  for (const [query, expected] of [
    ['भुगतान', ['/0']],
    ['रिफंड', ['/0']],
    ['भगतन', []],
    ['सूचना', []],
    ['eko', ['/2']],
    ['كتاب', ['/3']],
  ] as const) {
    const found = (await find(query)).map(({ href }) => href);
    assert.deepEqual(found, expected, query);
  }
});

test('whatever a document names is found, its exact name first', async () => {
  const find = await searcherOf({
    document: ASSISTANTS,
    texts: ['# Files\n\nTemperature matters.'],
  });
  const cases = [
    ['createEmbedding', EMBEDDING],
    ['create embedding', EMBEDDING],
    ['create_embed', EMBEDDING],
    ['Create embeddings', EMBEDDING],
    ['vector machines', EMBEDDING],
    ['sparrow', EMBEDDING],
    ['temperature', `${CHAT}#body.temperature`],
    ['temperature chat', `${CHAT}#body.temperature`],
    ['max_tokens', `${CHAT}#body.max_tokens`],
    ['maxTokens', `${CHAT}#body.max_tokens`],
    ['max tok', `${CHAT}#body.max_tokens`],
    ['tool calls', `${CHAT}#body.messages.toolCalls`],
    ['large-2', `${CHAT}#body.model`],
    ['finish_reason', `${CHAT}#200.finish_reason`],
    ['content_filter', `${CHAT}#200.finish_reason`],
    ['after', '/reference/files/retrieveFile#after'],
    ['FileObject', '/reference/models/FileObject'],
    ['Chat', '/reference/chat'],
    ['/files/{fileId}', '/reference/files/retrieveFile'],
    ['DELETE /files/{fileId}', '/reference/files/deleteFile'],
    ['https://api.test/v1/files/file_7?x=1', '/reference/files/retrieveFile'],
    ['retrieve a file', '/reference/files/retrieveFile'],
    ['r', '/reference/files/retrieveFile'],
    ['delete a f', '/reference/files/deleteFile'],
  ] as const;
  for (const [query, expected] of cases) {
    const [first] = await find(query);
    assert.equal(first?.href, expected, query);
  }
});

test('a typing error in any word is forgiven, and operations come before webhooks of the same words', async () => {
  const find = await searcherOf({ document: ASSISTANTS });
  for (const query of ['retreive a file', 'retrieve a fiel', 'rtrieve file', 'retrievve']) {
    const hrefs = (await find(query)).map(({ href }) => href);
    assert.equal(hrefs[0], '/reference/files/retrieveFile', query);
    assert.ok(hrefs.includes('/reference/webhooks/post-fileRetrieved'), query);
  }
  const [first] = await find('create embeding');
  assert.equal(first?.href, EMBEDDING);
});

test('of operations with the same summary, that in force, of the typed letters and of the shorter path comes first', async () => {
  const operation = (summary: string, more: object = {}) => ({
    post: { summary, tags: ['Signal'], responses: { 200: { description: 'Done' } }, ...more },
  });
  const words = { description: 'Report a return. Retrieve auth data. '.repeat(20) };
  const find = await searcherOf({
    document: {
      openapi: '3.1.0',
      info: { title: 'Signal', version: '1' },
      paths: {
        '/report': operation('Report a return', { ...words, deprecated: true }),
        '/processor/signal/report': operation('Report a return', words),
        '/signal/report': operation('Report a return'),
        '/auth': operation('Retrieve auth data', words),
        '/processor/auth': operation('Retrieve Auth data'),
      },
    },
  });
  const paths = async (query: string) => (await find(query)).map(({ context }) => context);
  assert.deepEqual((await paths('report a return')).slice(0, 3), [
    '/signal/report',
    '/processor/signal/report',
    '/report',
  ]);
  assert.equal((await paths('Retrieve Auth data'))[0], '/processor/auth');
  assert.equal((await paths('Retrieve auth data'))[0], '/auth');
  assert.equal((await paths('retrieve auth data'))[0], '/auth');
});

test('articles make no other name of a title', async () => {
  const operation = (summary: string) => ({
    post: { summary, tags: ['Issues'], responses: { 200: { description: 'Done' } } },
  });
  const find = await searcherOf({
    document: {
      openapi: '3.1.0',
      info: { title: 'Issues', version: '1' },
      paths: {
        '/organization/issue-types': operation('Create issue type for an organization'),
        '/repository/issues': operation('Create an issue'),
      },
    },
  });
  assert.equal((await find('create issue'))[0]?.context, '/repository/issues');
  assert.equal((await find('create the issue type'))[0]?.context, '/organization/issue-types');
});

test('a row says what was found and where it stands', async () => {
  const find = await searcherOf({ document: ASSISTANTS });
  const shown = async (query: string) => {
    const [row] = await find(query);
    return [row?.kind, row?.title, row?.context, row?.method, row?.excerpt].join(' | ');
  };
  assert.equal(
    await shown('model large'),
    'place | model | body property of Create a chat completion |  | small-2, large-2',
  );
  assert.equal(await shown('after'), 'place | after | query parameter of Retrieve a file |  | ');
  assert.equal(
    await shown('finish reason'),
    'place | finish_reason | property of the 200 response of Create a chat completion |  | stop, content_filter',
  );
  assert.equal(
    await shown('vector machines'),
    'operation | Create embeddings | /embeddings | POST | Makes a vector of a text, which machines compare.',
  );
  assert.equal(
    await shown('create embeddings'),
    'operation | Create embeddings | /embeddings | POST | ',
  );
  assert.equal(
    await shown('conversations'),
    'tag | Chat | Operations |  | Conversations with a model.',
  );
});

test('names of hostile documents are found like others', async () => {
  const properties = Object.fromEntries([
    ['constructor', { type: 'string' }],
    ['toString', { type: 'string' }],
    ['a b/<c>', { type: 'string' }],
  ]);
  const schema = {
    type: 'object',
    properties,
    additionalProperties: { $ref: '#/components/schemas/Self' },
  };
  const find = await searcherOf({
    document: {
      openapi: '3.1.0',
      info: { title: 'T', version: '1' },
      paths: {},
      components: { schemas: { Self: schema } },
    },
  });
  assert.equal((await find('constructor'))[0]?.href, '/reference/models/Self#constructor');
  assert.equal((await find('tostring'))[0]?.title, 'toString');
  assert.equal((await find('a b c'))[0]?.href, '/reference/models/Self#a_b%2F%3Cc%3E');
  assert.deepEqual(await find('__proto__'), []);
});
