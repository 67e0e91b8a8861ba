import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { boundedLog } from '@petstore/site/build-log.ts';
import { readCheckedDocument } from '@petstore/site/openapi/checked-document.ts';
import { ROOT } from '@petstore/test-support/root.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { Validator } from '@seriousme/openapi-schema-validator';
import { parse } from 'yaml';
import { toOpenApi30 } from '../../src/openapi/openapi-30.ts';
import { assertError } from '../support/assert-error.ts';
import { inPlace } from '../support/in-place.ts';
import { petstore, serve } from '../support/program.ts';
import { startService } from '../support/service.ts';

/** As much of a document as the tests look at. */
interface Document {
  openapi: string;
  info: { version: string };
  servers: { url: string; description: string }[];
  security: object[];
  paths: Record<string, Record<string, Record<string, unknown>>>;
  components: {
    schemas: Record<string, { required?: string[]; properties?: Record<string, object> }>;
    securitySchemes: Record<string, { type: string; scheme: string }>;
  };
}

/** The document as the service has it, as text, at a time before any sunset. */
async function served(t: import('node:test').TestContext, config = {}) {
  const { origin } = await startService(t, { config, now: () => Date.parse('2026-06-01') });
  const json = await (await fetch(`${origin}/v1/openapi.json`)).text();
  const yaml = await (await fetch(`${origin}/v1/openapi.yaml`)).text();
  return { json, yaml, document: JSON.parse(json) as Document };
}

test('the committed copy is the document that the service has', async (t) => {
  const committed = await readFile(join(ROOT, 'docs/openapi.json'), 'utf8');
  const { json } = await served(t, {
    baseUrl: 'http://127.0.0.1:8080/v1',
    stagingBaseUrl: 'http://127.0.0.1:8090/v1',
  });
  assert.equal(committed, json, 'docs/openapi.json is old; make it anew: npm run openapi');
});

test('the document is valid OpenAPI 3.1', async (t) => {
  const { json, document } = await served(t);
  const result = await new Validator().validate(JSON.parse(json));
  assert.ok(result.valid, JSON.stringify(result.errors));
  assert.match(document.openapi, /^3\.1\./);
});

test('the form of OpenAPI 3.2 is valid, says what the items of streams are, and is read', async (t) => {
  const { origin } = await startService(t, { now: () => Date.parse('2026-06-01') });
  const text = await (await fetch(`${origin}/v1/openapi-3.2.json`)).text();
  const result = await new Validator().validate(JSON.parse(text));
  assert.ok(result.valid, JSON.stringify(result.errors));
  const document = JSON.parse(text);
  assert.equal(document.openapi, '3.2.0');
  const { content } = document.paths['/events'].get.responses['200'];
  const event = { $ref: '#/components/schemas/Event' };
  assert.deepEqual(content['application/jsonl'].itemSchema, event);
  const { itemSchema } = content['text/event-stream'];
  assert.deepEqual(itemSchema.properties.data.contentSchema, event);
  assert.deepEqual(itemSchema.required, ['data']);
  assert.ok(!('schema' in content['text/event-stream']), 'not both');
  assert.equal(content['application/json'].schema.$ref, '#/components/schemas/Events');
  // A reader that knows 3.2 has nothing to say against it.
  const findings: object[] = [];
  const { log } = boundedLog((line) => 'rule' in line && findings.push(line));
  const read = await readCheckedDocument(Buffer.from(text), 'openapi.json', log);
  assert.ok('upgraded' in read, 'it is read');
  assert.deepEqual(findings, []);
});

test('JSON and YAML say the same, with every digit of the int64 bounds', async (t) => {
  const { json, yaml, document } = await served(t);
  assert.deepEqual(parse(yaml), document);
  for (const text of [json, yaml]) {
    assert.match(text, /"?minimum"?: -9223372036854775808\b/);
    assert.match(text, /"?maximum"?: 9223372036854775807\b/);
    assert.match(text, /"?categoryId"?: 9007199254740993\b/);
    assert.doesNotMatch(text, /922337203685477[68]000|[0-9]e\+1/);
  }
  assert.match(yaml, /x-deprecated-sunset: "2030-12-05"/, 'a date only to those who want one');
});

test('petstore openapi prints the same as the service serves, without a database', async (t) => {
  const folder = await temporaryFolder(t);
  const env = { PETSTORE_DATABASE_URL: 'sqlite:/proc/none/petstore.db' };
  const { json, yaml } = await served(t, {
    baseUrl: 'http://127.0.0.1:8080/v1',
    stagingBaseUrl: 'http://127.0.0.1:8090/v1',
  });
  assert.equal((await petstore(folder, ['openapi'], env)).stdout, json);
  assert.equal((await petstore(folder, ['openapi', '--yaml'], env)).stdout, yaml);
  const older = await petstore(folder, ['openapi', '--openapi', '3.0'], env);
  assert.match(older.stdout, /^\{\n {2}"openapi": "3\.0\.3"/m);
});

test('the document is served without a key, as the media types that its forms have', async (t) => {
  const { origin } = await startService(t);
  const types = await Promise.all(
    ['.json', '.yaml', '-3.0.json'].map(async (form) => {
      const answer = await fetch(`${origin}/v1/openapi${form}`);
      assert.equal(answer.status, 200);
      return answer.headers.get('content-type')?.split(';')[0];
    }),
  );
  assert.deepEqual(types, ['application/json', 'application/yaml', 'application/json']);
});

const FORMS = ['/v1/openapi.json', '/v1/openapi.yaml', '/v1/openapi-3.0.json'];

test('each form is sent compressed to who can read that, and not again to who has it', async (t) => {
  const { origin } = await startService(t);
  for (const path of FORMS) {
    const ask = async (headers: Record<string, string>) => {
      const answer = await fetch(origin + path, { headers });
      const { status } = answer;
      return { status, headers: answer.headers, text: await answer.text() };
    };
    const plain = await ask({ 'accept-encoding': 'identity' });
    const length = Buffer.byteLength(plain.text);
    for (const coding of ['gzip', 'br']) {
      const coded = await ask({ 'accept-encoding': coding });
      assert.equal(coded.headers.get('content-encoding'), coding, path);
      assert.ok(Number(coded.headers.get('content-length')) < length / 6, path);
      assert.equal(coded.text, plain.text);
      assert.equal(coded.headers.get('vary'), 'accept-encoding');
      assert.equal(coded.headers.get('cache-control'), 'no-cache');
      const etag = coded.headers.get('etag') ?? '';
      assert.match(etag, /^"[^"]+"$/, 'a strong entity tag');
      assert.notEqual(etag, plain.headers.get('etag'));
      const again = await ask({ 'accept-encoding': coding, 'if-none-match': etag });
      assert.deepEqual([again.status, again.text], [304, '']);
    }
  }
});

test('what operations say in the same words stands in the document once', async (t) => {
  const { document, json } = await served(t);
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const parts = operations.flatMap(({ parameters = [], responses }) => [
    ...(parameters as object[]),
    ...Object.values(responses as object),
  ]);
  const texts = parts
    .map((part) => JSON.stringify(part))
    .filter((text) => !text.startsWith('{"$ref"'));
  assert.equal(new Set(texts).size, texts.length);
  // Each operation more takes room; what all say takes it once.
  assert.ok(json.length < 8_000 * operations.length, `${json.length} bytes`);
});

test('the form for older generators is valid OpenAPI 3.0 with the same operations', async (t) => {
  const { origin } = await startService(t, { now: () => Date.parse('2026-06-01') });
  const text = await (await fetch(`${origin}/v1/openapi-3.0.json`)).text();
  const older = JSON.parse(text) as Document;
  assert.match(older.openapi, /^3\.0\./);
  const result = await new Validator().validate(JSON.parse(text));
  assert.ok(result.valid, JSON.stringify(result.errors));
  assert.doesNotMatch(text, /"examples": \[/);
  assert.match(text, /"minimum": -9223372036854775808\b/);

  const newer = (await (await fetch(`${origin}/v1/openapi.json`)).json()) as Document;
  const said = ({ paths }: Document) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        // The method QUERY, which 3.0 cannot express at all.
        .filter(([method]) => method !== 'x-query')
        .map(([method, { operationId, parameters = [], responses }]) => ({
          ...{ path, method, operationId, statuses: Object.keys(responses as object) },
          parameters: (parameters as { name: string; in: string }[]).map((one) => [
            one.name,
            one.in,
          ]),
        })),
    );
  assert.deepEqual(said(inPlace(older)), said(inPlace(newer)));
  assert.deepEqual(Object.keys(older.components.schemas), Object.keys(newer.components.schemas));
  assert.deepEqual(
    Object.values(older.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ requestBody }) => {
        const { content = {} } = (requestBody ?? {}) as { content?: object };
        return Object.keys(content).filter((type) => type !== 'application/json');
      }),
    ),
    [],
    'a second media type stops progenitor',
  );
});

test('each form has the method QUERY as its version of OpenAPI allows', async (t) => {
  const { origin } = await startService(t);
  const methodsIn = async (form: string) => {
    const text = await (await fetch(`${origin}/v1/${form}`)).text();
    const { paths } = JSON.parse(text) as Document;
    return paths['/pets'] ?? {};
  };
  const [v32, v31, v30] = await Promise.all(
    ['openapi-3.2.json', 'openapi.json', 'openapi-3.0.json'].map(methodsIn),
  );
  assert.deepEqual(Object.keys(v32 ?? {}), ['get', 'post', 'query']);
  assert.deepEqual(Object.keys(v31 ?? {}), ['get', 'post', 'x-query']);
  assert.deepEqual(Object.keys(v30 ?? {}), ['get', 'post']);
  assert.deepEqual(v31?.['x-query'], v32?.query);
  const page = await (await fetch(`${origin}/reference/pets/queryPets`)).text();
  assert.match(page, />QUERY</i);
});

test('webhooks are references, which generators leave alone and readers follow; 3.0 has none', async (t) => {
  const { json } = await served(t);
  const document = JSON.parse(json);
  const names = ['PetCreated', 'PetUpdated', 'PetDeleted'];
  names.push('OrderPlaced', 'OrderCompleted', 'OrderCancelled');
  // openapi-generator makes operations of the service out of what is not a reference.
  assert.deepEqual(
    Object.values(document.webhooks),
    names.map((name) => ({ $ref: `#/components/pathItems/${name}` })),
  );
  const { log } = boundedLog(() => {});
  const read = await readCheckedDocument(Buffer.from(json), 'openapi.json', log);
  assert.ok('upgraded' in read, 'it is read');
  assert.deepEqual(
    read.operations
      .filter(({ isWebhook }) => isWebhook)
      .map(({ path, operationId }) => [path, operationId]),
    Object.keys(document.webhooks).map((type, index) => [type, `on${names[index]}`]),
  );
  const older = toOpenApi30(document) as { webhooks?: object; components: object };
  assert.ok(!('webhooks' in older) && !('pathItems' in older.components));
});

test('keywords of JSON Schema that OpenAPI 3.0 lacks are said in its words', () => {
  const schemas = {
    A: { type: ['string', 'null'], contentMediaType: 'image/png' },
    B: { type: ['string', 'integer'], const: 'b' },
    C: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 9n, examples: [1, 2] },
    D: {
      type: 'object',
      properties: { examples: { $ref: '#/components/schemas/A', description: 'An A.' } },
    },
    E: { type: 'array', items: { type: 'string', contentEncoding: 'base64' } },
  };
  const document = {
    openapi: '3.1.1',
    info: { title: 'T', version: '1' },
    components: { schemas },
  };
  const older = toOpenApi30(document as unknown as Parameters<typeof toOpenApi30>[0]);
  assert.deepEqual((older as { components: { schemas: object } }).components.schemas, {
    A: { type: 'string', nullable: true, format: 'binary' },
    B: { anyOf: [{ type: 'string' }, { type: 'integer' }], enum: ['b'] },
    C: {
      type: 'integer',
      minimum: 0,
      exclusiveMinimum: true,
      maximum: 9n,
      exclusiveMaximum: true,
      example: 1,
    },
    D: {
      type: 'object',
      properties: {
        examples: { description: 'An A.', allOf: [{ $ref: '#/components/schemas/A' }] },
      },
    },
    E: { type: 'array', items: { type: 'string', format: 'byte' } },
  });
});

test('what the document says of how long results are kept is true of every setting', async (t) => {
  const { document } = await served(t, { idempotencyHours: 1 });
  const parameters = inPlace(document).paths['/pets']?.post?.parameters as {
    name: string;
    description: string;
  }[];
  const header = parameters.find(({ name }) => name === 'Idempotency-Key');
  assert.match(
    header?.description ?? '',
    /24 hours, unless those who run it have set another time/,
  );
});

test('operations, parameters and fields are those of the interface', async (t) => {
  const { document } = await served(t, { stability: 'stable' });
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
  );
  assert.deepEqual(operations, [
    'get /pets listPets',
    'post /pets createPet',
    'get /pets/{petId} getPet',
    'get /store/orders listOrders',
  ]);
  assert.equal(document.info.version, '1.0.0');

  const { NewPet, Pet, PetStatus, Pets, Error: ErrorBody } = document.components.schemas;
  assert.deepEqual(NewPet?.required, ['name', 'categoryId']);
  assert.deepEqual(Object.keys(NewPet?.properties ?? {}), ['name', 'categoryId', 'status']);
  assert.deepEqual(Pet?.required, ['id', 'name', 'categoryId']);
  assert.deepEqual(Object.keys(Pet?.properties ?? {}), ['id', 'name', 'categoryId', 'status']);
  assert.partialDeepStrictEqual(NewPet?.properties?.status, { default: 'available' });
  assert.partialDeepStrictEqual(PetStatus, {
    type: 'string',
    enum: ['available', 'pending', 'sold'],
  });
  assert.partialDeepStrictEqual(Pets, {
    type: 'array',
    items: { $ref: '#/components/schemas/Pet' },
  });
  assert.deepEqual(ErrorBody?.required, ['code', 'message', 'status']);

  const parameters = inPlace(document).paths['/pets']?.get?.parameters as { name: string }[];
  assert.deepEqual(
    parameters.map(({ name }) => name),
    ['limit', 'status', 'cursor', 'If-Match', 'If-None-Match'],
  );
  assert.partialDeepStrictEqual(parameters[0], {
    in: 'query',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  });
  assert.partialDeepStrictEqual(document.paths['/pets']?.post?.requestBody, {
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/NewPet' } } },
  });
});

test("no schema but the interface's own has a name that Go's constructors take: NewX beside X", async (t) => {
  const { document } = await served(t);
  const names = Object.keys(document.components.schemas);
  const taken = names.filter(
    (name) => names.includes(name.replace(/^New/, '')) && /^New/.test(name),
  );
  assert.deepEqual(taken, ['NewPet']);
});

test('both servers come from configuration, and every operation asks for a bearer key', async (t) => {
  const { document } = await served(t, {
    baseUrl: 'https://api.example.com/v1',
    stagingBaseUrl: 'https://staging.example.com/v1',
  });
  assert.deepEqual(document.servers, [
    { url: 'https://api.example.com/v1', description: 'Production' },
    { url: 'https://staging.example.com/v1', description: 'Staging' },
  ]);
  const [[name = '', scheme] = []] = Object.entries(document.components.securitySchemes);
  assert.partialDeepStrictEqual(scheme, { type: 'http', scheme: 'bearer' });
  assert.deepEqual(document.security, [{ [name]: [] }]);
});

test('only getPet is marked as deprecated, with the date of its end', async (t) => {
  const { document } = await served(t);
  const marks = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((operation) => [
      operation.operationId,
      operation.deprecated,
      operation['x-deprecated-sunset'],
    ]),
  );
  const [deprecated, ...others] = marks.sort((a) => (a[0] === 'getPet' ? -1 : 1));
  assert.deepEqual(deprecated, ['getPet', true, '2030-12-05']);
  assert.ok(others.length > 10);
  for (const [, ...mark] of others) assert.deepEqual(mark, [undefined, undefined]);
});

test('when a part of the generator cannot be read, one request fails and the next one does not', async (t) => {
  const parts = [
    '/@fastify/swagger/index.js',
    '/@fastify/swagger/lib/mode/dynamic.js',
    '/fastify-plugin/index.js',
    '/json-schema-resolver/ref-resolver.js',
  ];
  for (const part of parts) {
    const folder = await temporaryFolder(t);
    const preload = join(folder, 'preload.mjs');
    await writeFile(preload, failingOnce(part));
    const { child, origin } = await serve(t, folder, {
      PETSTORE_DATABASE_URL: 'sqlite::memory:',
      NODE_OPTIONS: `--import=${preload}`,
    });
    await assertError(await fetch(`${origin}/v1/openapi.json`), 'internal_error');
    for (const path of ['/v1/openapi.json', '/v1/openapi.yaml', '/llms.txt', '/reference']) {
      assert.equal((await fetch(origin + path)).status, 200, `${path} after ${part}`);
    }
    child.kill();
  }
});

/** A module that lets the program run out of file descriptors once, when it reads a file of this name. */
function failingOnce(suffix: string): string {
  return `
    import fs from 'node:fs';
    const { readFileSync } = fs;
    let isDone = false;
    fs.readFileSync = (file, ...options) => {
      if (!isDone && String(file).endsWith(${JSON.stringify(suffix)})) {
        isDone = true;
        throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
      }
      return readFileSync(file, ...options);
    };
  `;
}
