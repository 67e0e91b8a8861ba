import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type BuiltArtifact, built } from '../../support/build-site.ts';
import { startTestEdge } from '../support/edge.ts';
import { call, post, putOnline, send } from '../support/mcp.ts';
import { LONG_TEXT, PETS } from '../support/mcp-document.ts';
import { MemorySource, SITE } from '../support/memory-source.ts';

let pets: BuiltArtifact;
before(async () => {
  pets = await built(Buffer.from(PETS), 'openapi.json');
});

async function startPets(t: Parameters<typeof startTestEdge>[0]) {
  const source = new MemorySource();
  putOnline(source, 'a.test', pets);
  return startTestEdge(t, { source });
}

test('a client of 2026-07-28 learns the tools, which only read, without a session', async (t) => {
  const { port } = await startPets(t);
  const discovered = await send(port, 'server/discover');
  assert.equal(discovered.status, 200);
  assert.equal(discovered.headers['mcp-session-id'], undefined);
  assert.match(discovered.text, /"name":"Pet shop"/);
  assert.deepEqual(discovered.result?.supportedVersions, ['2026-07-28']);
  const { result, headers } = await send(port, 'tools/list');
  assert.match(String(headers['content-type']), /^application\/json/);
  const tools = result?.tools as { name: string; annotations: { readOnlyHint: boolean } }[];
  assert.deepEqual(
    tools.map(({ name, annotations }) => [name, annotations.readOnlyHint]),
    [
      ['search', true],
      ['read_page', true],
      ['get_operation', true],
    ],
  );
});

test('a client of an earlier revision begins with initialize, and is answered in JSON', async (t) => {
  const { port } = await startPets(t);
  const rpc = (id: number | undefined, method: string, params: object) =>
    post(port, JSON.stringify({ jsonrpc: '2.0', ...(id && { id }), method, params }));
  const begun = await rpc(1, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  assert.equal(begun.status, 200);
  assert.equal(begun.headers['mcp-session-id'], undefined);
  assert.equal(begun.result?.protocolVersion, '2025-06-18');
  assert.equal((await rpc(undefined, 'notifications/initialized', {})).status, 202);
  const found = await rpc(2, 'tools/call', { name: 'search', arguments: { query: 'getPet' } });
  assert.match(found.text, /reference\/.*getPet/);
});

test('search gives the best results with whole addresses', async (t) => {
  const { port } = await startPets(t);
  const found = await call(port, 'search', { query: 'get a pet', limit: 3 });
  const { results } = JSON.parse(found.text) as { results: Record<string, string>[] };
  assert.deepEqual(found.result?.structuredContent, JSON.parse(found.text));
  assert.ok(results.length <= 3);
  const { kind, title, address = '', method, context } = results[0] ?? {};
  assert.deepEqual(
    [kind, title, method, context],
    ['operation', 'Get a pet', 'GET', '/pets/{petId}'],
  );
  const page = await call(port, 'read_page', { page: address });
  assert.match(page.text, /^# Get a pet/);
  assert.equal((await call(port, 'search', { query: 'zzzz' })).text, '{"total":0,"results":[]}');
});

test('search finds the introduction, and the page of what it finds says it', async (t) => {
  const { port } = await startPets(t);
  for (const [query, fragment, text] of [
    ['authentication', '#authentication', /## Authentication/],
    ['how do I authenticate', '#authentication', /## Authentication/],
    ['api key', '#security-key', /API key in the header/],
    ['base url', '#servers', /https:\/\/api\.pets\.example\/v1/],
    ['pet shop', '', /^# Pet shop/],
  ] as const) {
    const { results } = JSON.parse((await call(port, 'search', { query })).text);
    assert.equal(results[0]?.address, `https://a.test/${fragment}`, query);
    assert.match((await call(port, 'read_page', { page: results[0].address })).text, text, query);
  }
  const { results } = JSON.parse((await call(port, 'search', { query: 'fetch a pet' })).text);
  assert.equal(results[0]?.title, 'Get a pet');
});

test('a page is read by its address, its path, and where its redirect leads', async (t) => {
  const { port } = await startPets(t);
  const text = async (page: string) => (await call(port, 'read_page', { page })).text;
  const start = await text('/');
  assert.match(start, /^# Pet shop/);
  for (const page of ['https://a.test/', 'https://a.test/#servers', '/index.md', '/reference']) {
    assert.equal(await text(page), start, page);
  }
  assert.match(await text('/llms.txt'), /https:\/\/a\.test\/reference\//);
});

test('a long page is read in parts, which together are the page', async (t) => {
  const { port } = await startPets(t);
  const { text: found } = await call(port, 'search', { query: 'long' });
  const page = JSON.parse(found).results[0].address;
  let whole = '';
  let offset = 0;
  for (let parts = 0; parts < 10; parts += 1) {
    const { texts } = await call(port, 'read_page', { page, offset });
    whole += texts[0];
    const next = /with offset (\d+) for what follows/.exec(texts[1] ?? '')?.[1];
    if (next === undefined) break;
    offset = Number(next);
  }
  assert.ok(whole.includes(LONG_TEXT.trim()));
  const behind = await call(port, 'read_page', { page, offset: whole.length });
  assert.match(behind.text, /^offset is behind the end: the page has \d+ characters\.$/);
  const inside = await call(port, 'read_page', { page, offset: whole.indexOf('😀') + 1 });
  assert.ok(inside.text.startsWith(' text.'), 'no half of a character');
});

test('an operation comes with all that holds for it, resolved and with every digit', async (t) => {
  const { port } = await startPets(t);
  const { text } = await call(port, 'get_operation', { operationId: 'getPet' });
  assert.match(text, /"maximum":9223372036854775807/);
  assert.match(text, /"examples":\[9007199254740993\]/);
  const operation = JSON.parse(text);
  const { page, method, path, specification, parameters, responses, security } = operation;
  assert.match(page, /^https:\/\/a\.test\/reference\//);
  assert.deepEqual([method, path, specification], ['GET', '/pets/{petId}', 'OpenAPI 3.1.0']);
  assert.deepEqual(
    parameters.map(({ name, description }: Record<string, string>) => [name, description]),
    [
      ['petId', undefined],
      ['trace', "The operation's own."],
    ],
  );
  assert.deepEqual(operation.servers, [{ url: 'https://api.pets.example/v1' }]);
  assert.deepEqual(security, [{ key: [] }]);
  assert.equal(operation.securitySchemes.key.name, 'X-Key');
  const { properties } = responses[200].content['application/json'].schema;
  assert.deepEqual(properties.$ref, { type: 'string' }, 'a property of that name is no reference');
  assert.deepEqual(properties.category, { $ref: '#/definitions/Category' });
  assert.deepEqual(Object.keys(operation.definitions), ['Category']);
  assert.deepEqual(operation.definitions.Category.properties.parent, {
    $ref: '#/definitions/Category',
  });
  const problem = responses[404].content['application/json'].schema;
  assert.deepEqual(problem.properties.code.enum, ['gone']);
});

test('what a discriminator names is in the same answer, by the name that it has there', async (t) => {
  const schema = (properties: object, more: object = {}) => ({
    ...{ type: 'object', properties },
    ...more,
  });
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const document = {
    ...{ openapi: '3.1.0', info: { title: 'Zoo', version: '1' } },
    paths: {
      '/animals': {
        post: {
          operationId: 'addAnimal',
          requestBody: { content: { 'application/json': { schema: ref('Animal') } } },
          responses: {
            200: { description: 'Done', content: { 'text/plain': { schema: ref('Base') } } },
          },
        },
      },
    },
    components: {
      schemas: {
        Animal: {
          oneOf: [ref('Cat'), ref('Dog')],
          discriminator: {
            propertyName: 'kind',
            mapping: {
              cat: '#/components/schemas/Cat',
              dog: 'Dog',
              other: 'https://a.example/Other',
            },
          },
        },
        Cat: schema({ lives: { type: 'integer' } }),
        Dog: schema({ tricks: { type: 'array', items: ref('Trick') } }),
        Trick: schema({ name: { type: 'string' } }),
        // Its heirs are found by the mapping alone.
        Base: schema({}, { discriminator: { propertyName: 'kind', mapping: { heir: 'Heir' } } }),
        Heir: { allOf: [ref('Base'), schema({ wealth: { type: 'integer' } })] },
      },
    },
  };
  const source = new MemorySource();
  putOnline(source, 'a.test', await built(Buffer.from(JSON.stringify(document)), 'openapi.json'));
  const { port } = await startTestEdge(t, { source });
  const { text } = await call(port, 'get_operation', { operationId: 'addAnimal' });
  const { requestBody, responses, definitions } = JSON.parse(text);
  const animal = requestBody.content['application/json'].schema;
  assert.deepEqual(animal.oneOf, [{ $ref: '#/definitions/Cat' }, { $ref: '#/definitions/Dog' }]);
  assert.deepEqual(animal.discriminator.mapping, {
    cat: '#/definitions/Cat',
    dog: '#/definitions/Dog',
    other: 'https://a.example/Other',
  });
  assert.deepEqual(Object.keys(definitions).sort(), ['Base', 'Cat', 'Dog', 'Heir']);
  const { tricks } = definitions.Dog.properties;
  assert.deepEqual(
    tricks.items.properties,
    { name: { type: 'string' } },
    'others are put in place',
  );
  assert.equal(responses[200].content['text/plain'].schema.$ref, '#/definitions/Base');
  assert.deepEqual(definitions.Base.discriminator.mapping, { heir: '#/definitions/Heir' });
});

test('an operation shows no internal parameter, and whose servers and security it has', async (t) => {
  const parameter = (name: string, more: object = {}) => ({
    ...{ name, in: 'query', schema: { type: 'string' } },
    ...more,
  });
  const document = {
    ...{ openapi: '3.1.0', info: { title: 'Zoo', version: '1' } },
    servers: [{ url: 'https://a.example' }],
    security: [{ key: [] }],
    paths: {
      '/animals': {
        parameters: [parameter('shown')],
        servers: [{ url: 'https://b.example' }],
        get: {
          operationId: 'listAnimals',
          servers: [],
          parameters: [parameter('secret', { 'x-internal': true })],
          responses: { 204: { description: 'Done' } },
        },
      },
    },
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  };
  const source = new MemorySource();
  putOnline(source, 'a.test', await built(Buffer.from(JSON.stringify(document)), 'openapi.json'));
  const { port } = await startTestEdge(t, { source });
  const { text } = await call(port, 'get_operation', { operationId: 'listAnimals' });
  const { parameters, servers, security, securitySchemes } = JSON.parse(text);
  assert.deepEqual(parameters, [parameter('shown')]);
  assert.deepEqual(servers, [{ url: 'https://b.example' }]);
  assert.deepEqual([security, securitySchemes.key.type], [[{ key: [] }], 'http']);
});

test('an operation is found by its method and path, also with values in it', async (t) => {
  const { port } = await startPets(t);
  for (const wanted of [
    { method: 'put', path: '/pets/{petId}' },
    { method: 'PUT', path: '/pets/7' },
  ]) {
    const { text } = await call(port, 'get_operation', wanted);
    const { operationId, requestBody, securitySchemes } = JSON.parse(text);
    assert.deepEqual([operationId, securitySchemes], ['putPet', undefined]);
    const { schema, example } = requestBody.content['application/json'];
    assert.equal(schema.description, 'The new one.');
    assert.equal(schema.properties.id.type, 'integer');
    assert.equal(example.$ref, '#/components/schemas/Problem', 'an example is data');
  }
  for (const operationId of ['getShared', 'onPetSold']) {
    const { text } = await call(port, 'get_operation', { operationId });
    assert.equal(JSON.parse(text).operationId, operationId);
  }
});

test('what is not there is refused with what was probably meant', async (t) => {
  const source = new MemorySource();
  putOnline(source, 'a.test', pets);
  source.deploy('old.test', SITE);
  const { port } = await startTestEdge(t, { source });
  const table: [tool: string, args: object, wanted: RegExp, host?: string][] = [
    [
      'read_page',
      { page: '/petz/get' },
      /^There is no page at \/petz\/get on this site\. Did you mean https:\/\/a\.test\/\S+ \(Get a pet\)/,
    ],
    [
      'read_page',
      { page: 'https://b.test/' },
      /^There is no page at https:\/\/b\.test\/ on this site\./,
    ],
    ['read_page', { page: '/%' }, /^There is no page at \/% on/],
    ['read_page', { page: '/openapi.json' }, /^There is no page at \/openapi\.json/],
    [
      'get_operation',
      { operationId: 'getPets' },
      /^There is no operation with the operationId getPets\. Did you mean getPet\?/,
    ],
    [
      'get_operation',
      { operationId: 'hidden' },
      /^There is no operation with the operationId hidden\./,
    ],
    ['get_operation', { operationId: '__proto__' }, /^There is no operation with/],
    [
      'get_operation',
      { method: 'POST', path: '/pets/7' },
      /\/pets\/7\. \/pets\/\{petId\} has GET, PUT\./,
    ],
    [
      'get_operation',
      { method: 'GET', path: '/lng' },
      /^There is no operation GET \/lng\. Did you mean \/long\?/,
    ],
    [
      'get_operation',
      { method: 'constructor', path: '/long' },
      /^There is no operation CONSTRUCTOR/,
    ],
    ['get_operation', { method: 'GET' }, /^Give operationId, or method and path together\.$/],
    [
      'search',
      { query: 'pet' },
      /^This site has no search: it was built by an earlier version\./,
      'old.test',
    ],
    [
      'read_page',
      { page: '/nothing' },
      /^There is no page at \/nothing on this site\. Search/,
      'old.test',
    ],
    ['search', { query: '' }, /query/],
    ['search', { query: 'pet', limit: 11 }, /limit/],
  ];
  for (const [tool, args, wanted, host] of table) {
    const { isError, text } = await call(port, tool, args, host);
    assert.equal(isError, true, JSON.stringify(args));
    assert.match(text, wanted);
  }
  const { error } = await send(port, 'tools/call', { name: 'delete_all', arguments: {} });
  assert.match(error?.message ?? '', /delete_all/);
});
