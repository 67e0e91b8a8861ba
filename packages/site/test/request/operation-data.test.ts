import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOperations } from '../../src/openapi/operations.ts';
import { operationData, operationDataScript } from '../../src/reference/operation-data.ts';
import type { ReferenceContext } from '../../src/reference/reference-context.ts';
import type { OperationData } from '../../src/request/operation-data.ts';

/** The data of the one operation of a document, and the warnings about it. */
function dataOf(operation: object, more: object = {}) {
  const warnings: string[] = [];
  const document = { openapi: '3.1.0', paths: { '/a/{b}': { post: operation } }, ...more };
  const context = {
    document,
    descriptions: { plain: (text: string) => text },
    warn: (message: string) => warnings.push(message),
  } as unknown as ReferenceContext;
  const [found] = findOperations(document);
  assert.ok(found);
  const script = operationDataScript(operationData(context, found)).text;
  const data = JSON.parse(script.replace(/^<script[^>]*>|<\/script>$/g, '')) as OperationData;
  return { data, script, warnings };
}

const json = (schema: object, more: object = {}) => ({
  requestBody: { content: { 'application/json': { schema, ...more } } },
});

test('an operation has its own and its path’s parameters, without the defaults and the headers that are ignored', () => {
  const query = (name: string, more: object = {}) => ({
    name,
    in: 'query',
    schema: { type: 'string' },
    ...more,
  });
  const item = {
    parameters: [{ name: 'b', in: 'path', schema: { type: 'integer' } }, query('q')],
    servers: [{ url: 'https://path.example' }],
    get: {
      parameters: [
        query('q', { style: 'form', explode: true, description: 'Own.' }),
        query('list', {
          explode: false,
          schema: { type: 'array' },
          example: ['a', 9007199254740993n],
        }),
        query('json', {
          schema: undefined,
          content: { 'application/json': { schema: {}, example: { a: 1 } } },
        }),
        { name: 'Authorization', in: 'header', schema: {} },
        { name: 'x', in: 'body' },
      ],
    },
  };
  const { data } = dataOf(
    {},
    { paths: { '/a/{b}': item }, servers: [{ url: 'https://document.example' }] },
  );
  assert.deepEqual(data, {
    method: 'GET',
    path: '/a/{b}',
    title: 'GET /a/{b}',
    servers: [{ url: 'https://path.example' }],
    parameters: [
      { name: 'b', in: 'path', required: true, schema: { type: 'integer' } },
      { name: 'q', in: 'query', schema: { type: 'string' }, description: 'Own.' },
      {
        name: 'list',
        in: 'query',
        explode: false,
        schema: { type: 'array' },
        example: '["a",9007199254740993]',
      },
      {
        name: 'json',
        in: 'query',
        contentType: 'application/json',
        schema: {},
        example: '{"a":1}',
      },
    ],
  });
});

test('no string of a document ends the script, and no name of it means more than a name', () => {
  const evil = '</script><script>alert(1)</script>';
  const properties = JSON.parse(
    `{"__proto__":{"type":"string"},"constructor":{"type":"string"},"${evil}":{"enum":["${evil}"]}}`,
  );
  const { data, script } = dataOf(
    {
      summary: evil,
      security: [{ toString: [] }, { ['__proto__']: [] }],
      ...json({ type: 'object', properties }),
    },
    { components: { securitySchemes: {} } },
  );
  assert.equal(script.match(/<\/script>/g)?.length, 1);
  assert.equal(data.title, evil);
  const names = data.body?.content[0]?.schema?.properties?.map(({ name }) => name);
  assert.deepEqual(names, ['__proto__', 'constructor', evil]);
  assert.deepEqual(data.schemes, []);
});

test('schemas that refer to themselves, are deep, wide or merged are described within bounds', () => {
  const node = {
    type: 'object',
    properties: {
      next: { $ref: '#/components/schemas/Node' },
      id: { type: 'integer', const: 9223372036854775807n },
    },
  };
  const wide = Object.fromEntries(
    Array.from({ length: 5000 }, (_, at) => [`p${at}`, { type: 'string' }]),
  );
  let deep: object = { type: 'string' };
  for (let level = 0; level < 300; level += 1) deep = { type: 'array', items: deep };
  const components = {
    schemas: { Node: node, Loop: { allOf: [{ $ref: '#/components/schemas/Loop' }] } },
  };
  for (const schema of [
    { $ref: '#/components/schemas/Node' },
    { $ref: '#/components/schemas/Loop' },
    { type: 'object', properties: wide },
    { enum: Array.from({ length: 10_000 }, (_, at) => `value ${at}`) },
    deep,
  ]) {
    const { script } = dataOf(json(schema, { example: {} }), { components });
    assert.ok(script.length < 20_000, `${script.length}`);
  }
  const merged = {
    allOf: [
      {
        properties: { a: { type: 'string', readOnly: true }, b: { type: ['string', 'null'] } },
        required: ['b'],
      },
      { properties: { c: { oneOf: [{ $ref: '#/components/schemas/Node' }, { type: 'null' }] } } },
    ],
  };
  const { data } = dataOf(json(merged, { example: { id: 9007199254740993n } }), { components });
  const [media] = data.body?.content ?? [];
  assert.equal(media?.example, '{\n  "id": 9007199254740993\n}');
  assert.deepEqual(
    media?.schema?.properties?.map(({ name }) => name),
    ['b', 'c'],
  );
  const [b, c] = media?.schema?.properties ?? [];
  assert.deepEqual(b, { name: 'b', required: true, schema: { type: 'string', nullable: true } });
  assert.equal(c?.schema.nullable, true);
  assert.deepEqual(c?.schema.properties?.[1]?.schema, {
    type: 'integer',
    enum: ['9223372036854775807'],
  });
});

test('what is left out of the panel is told', () => {
  const parameters = Array.from({ length: 300 }, (_, at) => ({
    name: `p${at}`,
    in: 'query',
    schema: {},
  }));
  const { data, warnings } = dataOf({ parameters });
  assert.equal(data.parameters?.length, 200);
  assert.deepEqual(warnings, ['“Try it” shows the first 200 of 300 parameters.']);
});

test('a form knows the bounds of its values, and the patterns that are cheap to try', () => {
  const { data } = dataOf(
    json({
      type: 'object',
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 9007199254740993n },
        price: { type: 'number', exclusiveMinimum: 0 },
        name: {
          type: 'string',
          minLength: 0,
          maxLength: 9,
          minimum: 3,
          pattern: '^[a-z]+-[0-9]{2}$',
        },
        slow: { type: 'string', pattern: '^(a+)+$' },
        long: { type: 'string', pattern: '^a+a+a+$' },
        tags: { type: 'array', minItems: 2, items: { type: 'string' }, maxItems: 'x' },
      },
    }),
  );
  const properties = data.body?.content[0]?.schema?.properties ?? [];
  assert.deepEqual(Object.fromEntries(properties.map(({ name, schema }) => [name, schema])), {
    limit: { type: 'integer', min: '1', max: '9007199254740993' },
    price: { type: 'number', above: '0' },
    name: { type: 'string', max: '9', pattern: '^[a-z]+-[0-9]{2}$' },
    slow: { type: 'string' },
    long: { type: 'string' },
    tags: { type: 'array', min: '2', items: { type: 'string' } },
  });
});

test('several examples are named, and the texts after the first are bounded for all of the operation', () => {
  const value = (length: number) => ({ value: 'x'.repeat(length) });
  const examples = { first: value(10), second: { summary: 'Two', ...value(4000) } };
  const text = { examples: { ...examples, third: value(3000), fourth: value(5) } };
  const form = {
    schema: { type: 'object' },
    examples: { a: { value: { n: 1 } }, b: { value: { n: 2 } } },
  };
  const { data } = dataOf({
    requestBody: {
      content: {
        'text/plain': text,
        'application/x-www-form-urlencoded': form,
        'application/json': { example: {} },
      },
    },
  });
  const content = data.body?.content ?? [];
  assert.deepEqual(content[0]?.examples, [
    { name: 'first' },
    { name: 'Two', text: 'x'.repeat(4000) },
    { name: 'third' },
    { name: 'fourth', text: 'xxxxx' },
  ]);
  assert.deepEqual(content[1]?.examples, [{ name: 'a' }, { name: 'b', text: '{\n  "n": 2\n}' }]);
  assert.equal(content[2]?.examples, undefined);
});
