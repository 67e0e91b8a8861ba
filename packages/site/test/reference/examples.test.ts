import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuTimeOf } from '@petstore/test-support/within.ts';
import { bodyExample, examplesOf, MAX_TEXT } from '../../src/reference/examples/examples.ts';
import type { ReferenceContext } from '../../src/reference/reference-context.ts';
import { exampleContext } from './example-context.ts';

const BIG = 12345678901234567890n;

const SCHEMAS = {
  Pet: {
    type: 'object',
    xml: { name: 'pet' },
    properties: {
      id: { type: 'integer', readOnly: true, example: BIG },
      name: { type: 'string', example: 'Rex' },
      secret: { type: 'string', writeOnly: true },
    },
  },
  Node: {
    type: 'object',
    properties: {
      id: { type: 'integer', minimum: BIG },
      next: { $ref: '#/components/schemas/Node' },
      all: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
    },
  },
  Cat: { type: 'object', properties: { kind: { type: 'string' } } },
  Dog: { type: 'object', properties: { kind: { type: 'string' } } },
  Person: { type: 'object', properties: { kind: { const: 'person' }, name: { type: 'string' } } },
  Company: {
    allOf: [
      { type: 'object', properties: { kind: { type: 'string' } } },
      { properties: { kind: { $ref: '#/components/schemas/CompanyKind' } } },
    ],
  },
  CompanyKind: { type: 'string', enum: ['company'] },
  Robot: { type: 'object', properties: { kind: { type: 'integer', const: BIG } } },
  Loop: {
    allOf: [{ $ref: '#/components/schemas/Loop' }],
    properties: { kind: { enum: ['a', 'b'] } },
  },
  Party: {
    oneOf: ['Person', 'Company', 'Robot', 'Loop'].map((name) => ({
      $ref: `#/components/schemas/${name}`,
    })),
    discriminator: { propertyName: 'kind' },
  },
  Mapped: {
    oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Person' }],
    discriminator: { propertyName: 'kind', mapping: { human: '#/components/schemas/Person' } },
  },
  Either: {
    oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
    discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } },
  },
};

const ref = (name: string) => ({ schema: { $ref: `#/components/schemas/${name}` } });

const context = (warnings: string[] = []): ReferenceContext =>
  exampleContext({ components: { schemas: structuredClone(SCHEMAS) } }, warnings);

const ALL: readonly {
  readonly name: string;
  readonly media: Record<string, unknown>;
  readonly type?: string;
  readonly direction?: 'request' | 'response';
  readonly shows: readonly string[];
}[] = [
  {
    name: 'a response has what is read only, with every digit, and nothing that is write only',
    media: ref('Pet'),
    shows: [`{\n  "id": ${BIG},\n  "name": "Rex"\n}`],
  },
  {
    name: 'a request has what is write only, and nothing that is read only',
    media: ref('Pet'),
    direction: 'request',
    shows: ['{\n  "name": "Rex",\n  "secret": "string"\n}'],
  },
  {
    name: 'a schema that refers to itself ends where it repeats',
    media: ref('Node'),
    shows: [`{\n  "id": ${BIG},\n  "all": []\n}`],
  },
  {
    name: 'each alternative of a schema is shown, with the value by which it is known',
    media: ref('Either'),
    shows: ['{\n  "kind": "cat"\n}', '{\n  "kind": "Dog"\n}'],
  },
  {
    name: 'the only value that an alternative allows goes before the name of its model',
    media: ref('Party'),
    shows: [
      '{\n  "kind": "person",\n  "name": "string"\n}',
      '{\n  "kind": "company"\n}',
      `{\n  "kind": ${BIG}\n}`,
      '{\n  "kind": "Loop"\n}',
    ],
  },
  {
    name: 'a mapping goes before all else',
    media: ref('Mapped'),
    shows: ['{\n  "kind": "Cat"\n}', '{\n  "kind": "human",\n  "name": "string"\n}'],
  },
  {
    name: 'XML has the names that the schema gives',
    media: ref('Pet'),
    type: 'application/xml',
    shows: [`<pet>\n  <id>${BIG}</id>\n  <name>Rex</name>\n</pet>`],
  },
  {
    name: 'an own value becomes XML where the media type says so',
    media: { ...ref('Pet'), example: { id: BIG, name: 'A & B' } },
    type: 'application/problem+xml',
    shows: [`<pet>\n  <id>${BIG}</id>\n  <name>A &amp; B</name>\n</pet>`],
  },
  {
    name: 'the fields of a form are encoded',
    media: { example: { name: 'a b&c', ids: [1, BIG] } },
    type: 'application/x-www-form-urlencoded',
    shows: [`name=a+b%26c&ids=1&ids=${BIG}`],
  },
  {
    name: 'the parts of a multipart body are a list',
    media: { example: { name: 'a b', meta: { ok: true } } },
    type: 'multipart/form-data',
    shows: ['name: a b\nmeta: {"ok":true}'],
  },
  {
    name: 'JSON lines have a value on each line',
    media: { example: [{ id: 1 }, { id: 2 }] },
    type: 'application/jsonl',
    shows: ['{"id":1}\n{"id":2}'],
  },
  {
    name: 'events of a stream have their data',
    media: { example: { event: 'made', data: { id: 1 } } },
    type: 'text/event-stream',
    shows: ['event: made\ndata: {"id":1}'],
  },
  {
    name: 'text stays as it is',
    media: { example: 'a,b\n1,2' },
    type: 'text/csv',
    shows: ['a,b\n1,2'],
  },
  { name: 'a binary body has none', media: { schema: {} }, type: 'image/png', shows: [] },
  {
    name: 'JSON that is given as a text is shown as JSON',
    media: { example: '{"id":12345678901234567890}' },
    shows: [`{\n  "id": ${BIG}\n}`],
  },
  {
    name: 'examples of OpenAPI 3.2 are their data or what is sent',
    media: { examples: { a: { dataValue: [1] }, b: { serializedValue: '[ 2 ]' } } },
    shows: ['[\n  1\n]', '[\n  2\n]'],
  },
  {
    name: 'an example of another place is a link',
    media: { examples: { far: { externalValue: 'https://example.com/a.json' } } },
    shows: [''],
  },
  {
    name: 'a pattern that can be followed is',
    media: { schema: { type: 'string', pattern: '^[A-Z]{3}-\\d{2}$' } },
    shows: ['"AAA-00"'],
  },
];

for (const { name, media, type = 'application/json', direction = 'response', shows } of ALL) {
  test(`examples: ${name}`, () => {
    const texts = examplesOf(context(), media, type, direction, '').map(({ text }) => text);
    assert.deepEqual(texts, shows);
  });
}

const MIXED = [
  { allOf: [{ type: 'object', properties: { a: {} } }, { oneOf: [{ type: 'string' }] }] },
  { allOf: [{ type: 'string' }, { type: ['array', 'null'] }] },
  { oneOf: [{ $ref: '#/components/schemas/Text' }], discriminator: { propertyName: 'a' } },
  { oneOf: [{ type: 'string' }], anyOf: [{ type: 'integer' }] },
  { type: 'string', format: 'date-time', minLength: 90 },
];

test('parts that contradict each other make an example, and nothing is said on the console', (t) => {
  const said = t.mock.method(console, 'warn', () => {});
  const schemas = { Text: { type: 'string' } };
  for (const schema of MIXED) {
    const mixed = exampleContext({ components: { schemas } });
    assert.equal(examplesOf(mixed, { schema }, 'application/json', 'response', '').length, 1);
  }
  assert.equal(said.mock.callCount(), 0);
});

test('a request of a binary media type has a file, whatever text the document has in its place', () => {
  const media = { schema: {}, example: '@photo.png' };
  const body = (type: string) => bodyExample(exampleContext({}), type, media, '/place');
  assert.equal(body('application/octet-stream'), undefined);
  assert.equal(body('text/plain'), '@photo.png');
});

test('a form begins with what it needs and what the document says, and guesses no optional field', () => {
  const schemas = {
    Base: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, note: { type: 'string' }, tag: { type: 'string' } },
    },
    Colour: { type: 'string', enum: ['red', 'blue'], default: 'blue' },
  };
  const schema = {
    required: ['tag'],
    allOf: [
      { $ref: '#/components/schemas/Base' },
      {
        type: 'object',
        properties: {
          sort: { type: 'string', enum: ['up', 'down'] },
          photo: { type: 'string', format: 'binary' },
          age: { type: 'integer', example: 3 },
          colour: { $ref: '#/components/schemas/Colour' },
          owner: { type: 'object', properties: { city: { type: 'string' } } },
        },
      },
    ],
  };
  const form = (type: string, given: object) =>
    bodyExample(exampleContext({ components: { schemas } }), type, { schema: given }, '/place');
  for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data']) {
    assert.deepEqual(JSON.parse(form(type, schema) ?? ''), {
      ...{ name: 'string', tag: 'string', age: 3, colour: 'blue' },
    });
  }
  const needed = { type: 'object', required: ['owner'], properties: { owner: schemas.Base } };
  assert.deepEqual(
    JSON.parse(form('multipart/form-data', needed) ?? ''),
    { owner: { name: 'string', note: 'string', tag: 'string' } },
    'within a field everything is shown',
  );
  assert.match(form('application/json', schema) ?? '', /"sort": "up"/);
});

test('a long example ends with a visible mark, and its author is told', () => {
  const warnings: string[] = [];
  const media = { example: Array.from({ length: 500_000 }, (_, at) => at) };
  const [example] = examplesOf(
    context(warnings),
    media,
    'application/json',
    'response',
    '/paths/~1a',
  );
  assert.ok(example?.isCut && example.text.endsWith('\n…') && example.text.length < MAX_TEXT + 10);
  assert.match(
    warnings.join(),
    /^\/paths\/~1a: The example is longer than 20,000 characters: it was cut/,
  );
  assert.equal(bodyExample(context(), 'application/json', media, ''), undefined);
});

/** Each refers twice to the next, so all of them together are 2^60 schemas. */
const bomb = Object.fromEntries(
  Array.from({ length: 60 }, (_, at) => {
    const next = { $ref: `#/components/schemas/B${at + 1}` };
    return [
      `B${at}`,
      { allOf: [next, next, { type: 'object', properties: { [`p${at}`]: next } }] },
    ];
  }),
);

const HOSTILE: readonly { readonly name: string; readonly schema: Record<string, unknown> }[] = [
  { name: 'parts that multiply', schema: { $ref: '#/components/schemas/B0' } },
  { name: 'a text of 10^12 letters', schema: { type: 'string', minLength: 1e12 } },
  { name: 'a list of 10^12 items', schema: { type: 'array', minItems: 1e12, items: {} } },
  { name: 'a pattern that takes long', schema: { type: 'string', pattern: '(a+)+{999999}$' } },
  { name: 'a count in a pattern', schema: { type: 'string', pattern: '[a-z]{99999999}' } },
  {
    name: 'names of prototypes',
    schema: {
      type: 'object',
      properties: JSON.parse('{"__proto__":{"type":"object"},"constructor":{"type":"string"}}'),
    },
  },
  {
    name: '20,000 members',
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 20_000 }, (_, at) => [`m${at}`, { type: 'string' }]),
      ),
    },
  },
];

for (const { name, schema } of HOSTILE) {
  for (const type of ['application/json', 'application/xml']) {
    test(`an example of a schema with ${name} is small and made soon: ${type}`, () => {
      const hostile = exampleContext({ components: { schemas: bomb } });
      let examples: ReturnType<typeof examplesOf> = [];
      const took = cpuTimeOf(() => {
        examples = examplesOf(hostile, { schema }, type, 'response', '');
      });
      assert.ok(took < 1_000, `${took} ms`);
      for (const { text } of examples) assert.ok(text.length <= MAX_TEXT + 10);
      assert.equal(({} as Record<string, unknown>).type, undefined);
    });
  }
}
