import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CompareOptions } from '../src/compare-documents.ts';
import { api, compare, TODAY, verdicts } from './compare.ts';

type Json = Readonly<Record<string, unknown>>;

const document = (paths: object, more: object = {}): Json => ({
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths,
  ...more,
});

const found = (old: Json, now: Json, options?: CompareOptions): string[] =>
  verdicts(compare(old, now, options));

const query = (more: object = {}) => ({
  name: 'limit',
  in: 'query',
  schema: { type: 'integer' },
  ...more,
});
const content = (type = 'application/json', schema: unknown = { type: 'string' }) => ({
  content: { [type]: { schema } },
});
const contents = (...types: string[]) => ({
  content: Object.assign({}, ...types.map((type) => content(type).content)),
});
const versions = (...of: string[]) =>
  contents(...of.map((one) => `application/vnd.x+json;version=${one}`));
const response = (more: object = {}) => ({ description: 'Good', ...more });
const secured = (security: unknown, more: object = {}): Json =>
  document(
    { '/pets': { get: { responses: {} } } },
    {
      security,
      components: {
        securitySchemes: {
          key: { type: 'apiKey', in: 'header', name: 'X-Key' },
          login: {
            type: 'oauth2',
            flows: { clientCredentials: { tokenUrl: 'https://a.example.com', scopes: {} } },
          },
          ...more,
        },
      },
    },
  );
const servers = (...urls: string[]): Json =>
  document({}, { servers: urls.map((url) => ({ url })) });

/** Two documents, and what changed. */
const CASES: readonly (readonly [name: string, old: Json, now: Json, changes: string[]])[] = [
  [
    'an operation is added',
    document({}),
    document({ '/pets': { get: {} } }),
    ['compatible operation-added'],
  ],
  [
    'an operation is removed',
    document({ '/pets': { get: {}, post: {} } }),
    document({ '/pets': { get: {} } }),
    ['breaking operation-removed'],
  ],
  [
    'an operation is hidden',
    document({ '/pets': { get: {} } }),
    document({ '/pets': { get: { 'x-internal': true } } }),
    ['breaking operation-removed'],
  ],
  [
    'a parameter of a path is renamed',
    document({
      '/pets/{id}': { get: { parameters: [{ name: 'id', in: 'path', required: true }] } },
    }),
    document({
      '/pets/{petId}': { parameters: [{ name: 'petId', in: 'path', required: true }], get: {} },
    }),
    ['compatible path-parameter-renamed'],
  ],
  ['a parameter is added', api({}), api({ parameters: [query()] }), ['compatible parameter-added']],
  [
    'a required parameter is added',
    api({}),
    api({ parameters: [query({ required: true })] }),
    ['breaking required-parameter-added'],
  ],
  ['a parameter is removed', api({ parameters: [query()] }), api({}), ['risky parameter-removed']],
  [
    'a parameter becomes required',
    api({ parameters: [query()] }),
    api({ parameters: [query({ required: true })] }),
    ['breaking parameter-became-required'],
  ],
  [
    'a parameter becomes optional',
    api({ parameters: [query({ required: true })] }),
    api({ parameters: [query()] }),
    ['compatible parameter-became-optional'],
  ],
  [
    'a number becomes text, which it is in a query',
    api({ parameters: [query()] }),
    api({ parameters: [query({ schema: { type: 'string' } })] }),
    ['compatible request-type-widened'],
  ],
  [
    'text becomes a number',
    api({ parameters: [query({ schema: { type: 'string' } })] }),
    api({ parameters: [query()] }),
    ['breaking request-type-narrowed'],
  ],
  [
    'a header in other letters is the same',
    api({ parameters: [{ ...query(), name: 'X-Limit', in: 'header' }] }),
    api({ parameters: [{ ...query(), name: 'x-limit', in: 'header' }] }),
    [],
  ],
  [
    'a list is written otherwise',
    api({ parameters: [query({ schema: { type: 'array' } })] }),
    api({ parameters: [query({ schema: { type: 'array' }, explode: false })] }),
    ['breaking parameter-serialization-changed'],
  ],
  [
    'a simple value is written otherwise by the letter alone',
    api({ parameters: [query()] }),
    api({ parameters: [query({ explode: false })] }),
    [],
  ],
  [
    'a simple value may be of one more simple type',
    api({ parameters: [query()] }),
    api({ parameters: [query({ schema: { anyOf: [{ type: 'integer' }, { type: 'string' }] } })] }),
    ['compatible request-variant-added'],
  ],
  [
    'a simple value may be a list',
    api({ parameters: [query({ schema: { type: 'string' } })] }),
    api({ parameters: [query({ schema: { anyOf: [{ type: 'string' }, { type: 'array' }] } })] }),
    ['breaking parameter-serialization-changed', 'compatible request-variant-added'],
  ],
  [
    'listed values say their type',
    api({ parameters: [query({ schema: { enum: ['a', 'b'] } })] }),
    api({ parameters: [query({ schema: { type: 'string', enum: ['a', 'b'] } })] }),
    [],
  ],
  [
    'listed values become variants',
    api({ parameters: [query({ schema: { type: 'string', enum: ['a', 'b'] } })] }),
    api({ parameters: [query({ schema: { oneOf: [{ const: 'a' }, { const: 'b' }] } })] }),
    [],
  ],
  [
    'a value says its type',
    api({ parameters: [query({ schema: {} })] }),
    api({ parameters: [query({ schema: { type: 'string' } })] }),
    ['breaking request-type-narrowed'],
  ],
  [
    'a value of any type is written otherwise',
    api({ parameters: [query({ schema: {} })] }),
    api({ parameters: [query({ schema: {}, style: 'pipeDelimited' })] }),
    ['breaking parameter-serialization-changed'],
  ],
  [
    'a required body is added',
    api({}),
    api({ requestBody: { required: true, ...content() } }),
    ['breaking required-request-body-added'],
  ],
  [
    'an optional body is added',
    api({}),
    api({ requestBody: content() }),
    ['compatible request-body-added'],
  ],
  [
    'a body is removed',
    api({ requestBody: content() }),
    api({}),
    ['breaking request-body-removed'],
  ],
  [
    'a body becomes required',
    api({ requestBody: content() }),
    api({ requestBody: { required: true, ...content() } }),
    ['breaking request-body-became-required'],
  ],
  [
    'another media type is taken',
    api({ requestBody: content() }),
    api({ requestBody: content('application/xml') }),
    ['breaking request-media-type-removed', 'compatible request-media-type-added'],
  ],
  [
    'media types of a range are taken',
    api({ requestBody: content('image/png') }),
    api({ requestBody: content('image/*') }),
    [],
  ],
  [
    'one media type of a range is taken',
    api({ requestBody: content('image/*') }),
    api({ requestBody: content('image/png') }),
    ['breaking request-media-type-removed'],
  ],
  [
    'a media type in other letters is the same',
    api({ requestBody: content('application/json; charset=utf-8') }),
    api({ requestBody: content('Application/JSON;charset=utf-8') }),
    [],
  ],
  [
    'a media type with another parameter is gone',
    api({ requestBody: versions('1', '2') }),
    api({ requestBody: versions('2') }),
    ['breaking request-media-type-removed'],
  ],
  [
    'a media type with another parameter is added',
    api({ requestBody: versions('2') }),
    api({ requestBody: versions('1', '2') }),
    ['compatible request-media-type-added'],
  ],
  [
    'a media type says its charset',
    api({ requestBody: content() }),
    api({ requestBody: content('application/json; charset=utf-8') }),
    [],
  ],
  [
    'a media type is there with several charsets',
    api({ requestBody: contents('text/a; charset=utf-8', 'text/a; charset=utf-16') }),
    api({ requestBody: contents('text/a; charset=utf-16', 'text/a; charset=utf-8') }),
    [],
  ],
  [
    'a media type is there once instead of twice',
    api({ requestBody: contents('application/json', 'application/json; charset=utf-8') }),
    api({ requestBody: content() }),
    [],
  ],
  [
    'a response is removed',
    api({ responses: { 200: response() } }),
    api({ responses: { 201: response() } }),
    ['breaking success-response-removed', 'risky success-response-added'],
  ],
  [
    'an error is added',
    api({ responses: {} }),
    api({ responses: { 404: response() } }),
    ['compatible error-response-added'],
  ],
  [
    'a class of statuses has the one that was there',
    api({ responses: { 404: response(content()) } }),
    api({ responses: { '4XX': response(content()) } }),
    ['compatible error-response-added'],
  ],
  [
    'a class of successes becomes one of them',
    api({ responses: { '2XX': response(content()) } }),
    api({ responses: { 200: response(content()) } }),
    [],
  ],
  [
    'a class of successes becomes one of them, beside other responses',
    api({ responses: { '2XX': response(content()), default: response() } }),
    api({ responses: { 200: response(content()), default: response() } }),
    [],
  ],
  [
    'the only response becomes a success',
    api({ responses: { default: response(content()) } }),
    api({ responses: { 200: response(content()) } }),
    [],
  ],
  [
    'a class of successes becomes one with another body',
    api({ responses: { '2XX': response(content()) } }),
    api({ responses: { 200: response(content('application/json', { type: 'integer' })) } }),
    ['breaking response-type-changed'],
  ],
  [
    'a class of successes becomes an error',
    api({ responses: { '2XX': response() } }),
    api({ responses: { 404: response() } }),
    ['breaking success-response-removed', 'compatible error-response-added'],
  ],
  [
    'a class of successes is gone beside one that had a response of its own',
    api({ responses: { 200: response(), '2XX': response() } }),
    api({ responses: { 200: response() } }),
    ['breaking success-response-removed'],
  ],
  [
    'of the answers to a webhook one is left',
    document({}, { webhooks: { pet: { post: { responses: { '2XX': response() } } } } }),
    document({}, { webhooks: { pet: { post: { responses: { 200: response() } } } } }),
    ['breaking webhook-answer-removed'],
  ],
  [
    'a media type is gone',
    api({ responses: { 200: response(content()) } }),
    api({ responses: { 200: response() } }),
    ['breaking response-media-type-removed'],
  ],
  [
    'a header is gone',
    api({ responses: { 200: response({ headers: { A: {} } }) } }),
    api({ responses: { 200: response() } }),
    ['risky response-header-removed'],
  ],
  [
    'a required header may be missing',
    api({ responses: { 200: response({ headers: { A: { required: true } } }) } }),
    api({ responses: { 200: response({ headers: { a: {} } }) } }),
    ['breaking response-header-became-optional'],
  ],
  [
    'a link is gone',
    api({ responses: { 200: response({ links: { A: { operationId: 'a' } } }) } }),
    api({ responses: { 200: response() } }),
    ['risky link-removed'],
  ],
  ['credentials are needed', secured([]), secured([{ key: [] }]), ['breaking security-added']],
  [
    'credentials are not needed',
    secured([{ key: [] }]),
    secured([]),
    ['compatible security-removed'],
  ],
  [
    'other credentials are taken, too',
    secured([{ key: [] }]),
    secured([{ key: [] }, { login: [] }]),
    ['compatible security-alternative-added'],
  ],
  [
    'credentials are no longer taken',
    secured([{ key: [] }, { login: [] }]),
    secured([{ key: [] }]),
    ['breaking security-alternative-removed'],
  ],
  [
    'a scope is needed',
    secured([{ login: ['a'] }]),
    secured([{ login: ['a', 'b'] }]),
    ['breaking security-scope-added'],
  ],
  [
    'a scope is not needed',
    secured([{ login: ['a', 'b'] }]),
    secured([{ login: ['a'] }]),
    ['compatible security-scope-removed'],
  ],
  [
    'one of two scopes is enough no more',
    secured([{ login: ['a'] }, { login: ['b'] }]),
    secured([{ login: ['a'] }, { login: ['b', 'c'] }]),
    ['breaking security-scope-added'],
  ],
  [
    'a scheme is renamed',
    secured([{ key: [] }]),
    document(
      { '/pets': { get: { responses: {} } } },
      {
        security: [{ token: [] }],
        components: {
          securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'x-key' } },
        },
      },
    ),
    [],
  ],
  [
    'an operation says what the document says',
    secured([{ key: [] }]),
    { ...secured([]), paths: { '/pets': { get: { security: [{ key: [] }], responses: {} } } } },
    [],
  ],
  [
    'a server is gone',
    servers('https://a.example.com/'),
    servers('https://b.example.com'),
    ['breaking server-removed', 'compatible server-added'],
  ],
  [
    'a slash at the end of a server',
    servers('https://a.example.com/'),
    servers('https://a.example.com'),
    [],
  ],
  [
    'an operationId is another one',
    api({ operationId: 'a' }),
    api({ operationId: 'b' }),
    ['risky operation-id-changed'],
  ],
  [
    'an operation is experimental',
    api({}),
    api({ 'x-stability': 'experimental' }),
    ['breaking stability-lowered'],
  ],
  [
    'what a webhook sends is judged as a response',
    document(
      {},
      {
        webhooks: {
          pet: {
            post: {
              requestBody: content('application/json', { properties: { a: {} }, required: ['a'] }),
            },
          },
        },
      },
    ),
    document(
      {},
      {
        webhooks: {
          pet: { post: { requestBody: content('application/json', { properties: { a: {} } }) } },
        },
      },
    ),
    ['breaking response-property-became-optional'],
  ],
  [
    'a webhook is gone',
    document({}, { webhooks: { pet: { post: {} } } }),
    document({}),
    ['breaking webhook-removed'],
  ],
  [
    'a webhook of OpenAPI 3.0',
    document({}, { openapi: '3.0.3', 'x-webhooks': { pet: { post: {} } } }),
    document({}, { webhooks: { pet: { post: {} } } }),
    [],
  ],
  [
    'a parameter that may be null is written as another one',
    api({ parameters: [query()] }),
    api({ parameters: [query({ schema: { type: ['integer', 'null'] } })] }),
    ['compatible request-null-allowed'],
  ],
  [
    'a callback is gone',
    api({ callbacks: { done: { '{$request.body#/url}': { post: {} } } } }),
    api({}),
    ['breaking callback-removed'],
  ],
  [
    'what a callback sends',
    api({ callbacks: { done: { '{$url}': { post: { requestBody: content() } } } } }),
    api({
      callbacks: {
        done: {
          '{$url}': { post: { requestBody: content('application/json', { type: 'integer' }) } },
        },
      },
    }),
    ['breaking response-type-changed'],
  ],
  [
    'the parts of a form are encoded otherwise',
    api({
      requestBody: {
        content: {
          'multipart/form-data': { schema: {}, encoding: { a: { contentType: 'image/png' } } },
        },
      },
    }),
    api({
      requestBody: {
        content: {
          'multipart/form-data': { schema: {}, encoding: { a: { contentType: 'image/gif' } } },
        },
      },
    }),
    ['breaking request-encoding-changed'],
  ],
];

for (const [title, old, now, changes] of CASES)
  test(`${title}`, () => {
    assert.deepEqual(found(old, now).sort(), [...changes].sort());
    assert.deepEqual(found(now, now), []);
  });

const deprecated = (sunset: string, name = 'x-deprecated-sunset'): Json =>
  document({ '/pets': { get: { deprecated: true, [name]: sunset } } });
const gone = document({});

test('what was to be removed may be removed once its day has come, and not before', () => {
  for (const day of ['2026-11-29', TODAY]) {
    const [change] = compare(deprecated(day), gone);
    assert.deepEqual([change?.verdict, change?.code], ['compatible', 'operation-removed']);
    assert.deepEqual(change?.allowed, { by: 'sunset', reason: day });
  }
  const [early] = compare(deprecated('2026-12-10', 'x-sunset'), gone);
  assert.equal(early?.verdict, 'breaking');
  assert.match(early?.message ?? '', /was removed, 10 days before the announced 2026-12-10\.$/);
  // A day that nobody can read announces nothing.
  assert.deepEqual(found(deprecated('soon'), gone), ['breaking operation-removed']);
});

test('a property that was announced may go, and one whose day has not come breaks clients', () => {
  const of = (properties: object) =>
    api({
      responses: { 200: response(content('application/json', { type: 'object', properties })) },
    });
  const tag = (day: string) =>
    of({ tag: { type: 'string', deprecated: true, 'x-deprecated-sunset': day } });
  assert.deepEqual(found(tag(TODAY), of({})), ['compatible response-property-removed']);
  assert.deepEqual(found(tag('2026-12-01'), of({})), ['breaking response-property-removed']);
});

test('a property that becomes deprecated is told, with its day', () => {
  const of = (more: object) =>
    api({
      responses: {
        200: response(
          content('application/json', {
            type: 'object',
            properties: { tag: { type: 'string', ...more } },
          }),
        ),
      },
    });
  const marked = (day: string) => of({ deprecated: true, 'x-deprecated-sunset': day });
  assert.deepEqual(found(of({}), marked('2027-01-01')), [
    'compatible deprecated',
    'compatible sunset-announced',
  ]);
  assert.deepEqual(found(marked('2027-01-01'), of({})), ['compatible deprecation-withdrawn']);
  const [earlier] = compare(marked('2027-01-01'), marked('2026-12-01'));
  assert.equal(earlier?.verdict, 'breaking');
  assert.equal(
    earlier?.message,
    'Property `tag` of response 200 (application/json) is to be removed on `2026-12-01`, earlier than `2027-01-01`.',
  );
});

test('the day of a removal may move away, and not nearer', () => {
  assert.deepEqual(found(deprecated('2027-01-01'), deprecated('2027-02-01')), [
    'compatible sunset-later',
  ]);
  assert.deepEqual(found(deprecated('2027-02-01'), deprecated('2027-01-01')), [
    'breaking sunset-earlier',
  ]);
});

test('a project may ask for days between an announcement and the removal', () => {
  const plain = document({ '/pets': { get: {} } });
  const options = { deprecationDays: 90 };
  assert.deepEqual(found(plain, deprecated('2027-02-28'), options), [
    'compatible deprecated',
    'compatible sunset-announced',
  ]);
  const changes = compare(plain, deprecated('2026-12-10'), options);
  const early = changes.find(({ code }) => code === 'sunset-too-soon');
  assert.equal(early?.verdict, 'breaking');
  assert.match(early?.message ?? '', /80 days are missing to the 90/);
  assert.ok(
    found(plain, document({ '/pets': { get: { deprecated: true } } }), options).includes(
      'risky sunset-missing',
    ),
  );
});

test('the days of a project hold for properties of schemas, too, each told once for a model', () => {
  const options = { deprecationDays: 90 };
  const using = (tag: object) =>
    document(
      Object.fromEntries(
        ['/pets', '/shops'].map((path) => [
          path,
          {
            get: {
              responses: {
                200: {
                  description: 'Done.',
                  content: {
                    'application/json': { schema: { $ref: '#/components/schemas/Pet' } },
                  },
                },
              },
            },
          },
        ]),
      ),
      {
        components: {
          schemas: { Pet: { type: 'object', properties: { tag: { type: 'string', ...tag } } } },
        },
      },
    );
  const marked = (day: string) => ({ deprecated: true, 'x-deprecated-sunset': day });
  assert.deepEqual(found(using({}), using(marked('2027-02-28')), options), [
    'compatible deprecated',
    'compatible sunset-announced',
  ]);
  const changes = compare(using({}), using(marked('2026-12-10')), options);
  const early = changes.filter(({ code }) => code === 'sunset-too-soon');
  assert.equal(early.length, 1);
  assert.equal(early[0]?.verdict, 'breaking');
  assert.match(early[0]?.message ?? '', /tag.*10 days from now, and 80 days are missing to the 90/);
  assert.equal(early[0]?.new?.value, '2026-12-10');
  assert.deepEqual(found(using({}), using({ deprecated: true }), options), [
    'risky sunset-missing',
    'compatible deprecated',
  ]);
  // Moved nearer than the rule allows.
  assert.ok(
    found(using(marked('2027-06-01')), using(marked('2026-12-10')), options).includes(
      'breaking sunset-too-soon',
    ),
  );
  assert.deepEqual(found(using({}), using({ deprecated: true })), ['compatible deprecated']);
});

test('operations that are not stable may break, and the list says so', () => {
  for (const stability of ['beta', 'alpha', 'experimental']) {
    const [change] = compare(document({ '/pets': { get: { 'x-stability': stability } } }), gone);
    assert.deepEqual(
      [change?.verdict, change?.allowed],
      ['compatible', { by: 'stability', reason: stability }],
    );
    assert.match(change?.message ?? '', new RegExp(`The operation is ${stability}, and may break`));
  }
});

test('an exception holds for its code and its operation until its day, and the list has its reason', () => {
  const old = document({ '/pets': { get: {}, post: {} } });
  const exception = {
    code: 'operation-removed',
    operation: 'GET /pets',
    reason: 'Nobody called it.',
    until: TODAY,
  } as const;
  const [kept, allowed] = compare(old, gone, { exceptions: [exception] });
  assert.deepEqual([kept?.operation, kept?.verdict], ['POST /pets', 'breaking']);
  assert.deepEqual([allowed?.operation, allowed?.verdict], ['GET /pets', 'compatible']);
  assert.deepEqual(allowed?.allowed, { by: 'exception', reason: 'Nobody called it.' });
  for (const other of [
    { until: '2026-11-29' },
    { operation: 'PUT /pets' },
    { code: 'server-removed' as const },
  ])
    assert.deepEqual(found(old, gone, { exceptions: [{ ...exception, ...other }] }), [
      'breaking operation-removed',
      'breaking operation-removed',
    ]);
});

test('what is said is documentation, once for a shared part', () => {
  const of = (description: string): Json =>
    document(
      Object.fromEntries(
        ['/a', '/b'].map((path) => [
          path,
          {
            get: {
              summary: description,
              responses: {
                200: response(content('application/json', { $ref: '#/components/schemas/A' })),
              },
            },
          },
        ]),
      ),
      { components: { schemas: { A: { type: 'object', properties: { b: { description } } } } } },
    );
  const changes = compare(of('old'), of('new'));
  assert.deepEqual(
    changes.map(({ verdict, code, operation }) => [verdict, code, operation]),
    [
      ['documentation', 'title-changed', 'GET /a'],
      ['documentation', 'description-changed', null],
      ['documentation', 'title-changed', 'GET /b'],
    ],
  );
  assert.equal(changes[1]?.message, 'Property `b` of model `A` is described otherwise.');
});

test('what is no OpenAPI is passed over', () => {
  const odd = [
    null,
    1,
    'a',
    [],
    {},
    { paths: [] },
    { paths: { '/a': null, '/b': { get: 1, parameters: {} } } },
    { components: { schemas: [1] } },
    {
      paths: {
        '/a': {
          get: {
            parameters: [null, { name: 1 }],
            responses: { 200: null },
            requestBody: { content: [] },
            security: 'a',
            callbacks: { a: 1 },
            servers: {},
          },
        },
      },
    },
  ];
  for (const old of odd)
    for (const now of odd)
      if (typeof old === 'object' && old && typeof now === 'object' && now)
        compare(old as Json, now as Json);
});

test('names such as __proto__ and constructor are names', () => {
  const of = (type: string) =>
    api({
      requestBody: content(
        'application/json',
        JSON.parse(
          `{"type":"object","properties":{"__proto__":{"type":"${type}"},"constructor":{"type":"${type}"}}}`,
        ),
      ),
    });
  assert.deepEqual(found(of('string'), of('integer')), [
    'breaking request-type-changed',
    'breaking request-type-changed',
  ]);
  assert.deepEqual(found(of('string'), of('string')), []);
});
