import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPage } from '../../src/reference/page-parts.ts';
import { schemaHtml } from '../../src/reference/schema-html.ts';
import type { Purpose } from '../../src/reference/schema-tree.ts';
import { idsOf, pageContext, words } from './page-context.ts';

interface Given {
  readonly schemas?: Record<string, unknown>;
  readonly purpose?: Purpose;
  /** In letters. */
  readonly room?: number;
}

function render(
  schema: unknown,
  { schemas = {}, purpose = 'response', room = 40_000 }: Given = {},
) {
  const { context, warnings } = pageContext({ openapi: '3.1.0', components: { schemas } });
  const page = startPage(context, '/place', room);
  const { text } = schemaHtml(page, schema, { purpose, prefix: 'body' });
  return { html: text, text: words(text), ids: idsOf(text), warnings };
}

const object = (properties: Record<string, unknown>, more: object = {}) => ({
  type: 'object',
  properties,
  ...more,
});

const FACTS: readonly (readonly [schema: unknown, says: string])[] = [
  [true, 'any'],
  [false, 'nothing'],
  [{ type: 'string', format: 'date-time' }, 'string date-time'],
  [{ type: ['string', 'null'] }, 'string or null'],
  [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'integer or null'],
  [
    { type: 'array', items: { type: 'array', items: { type: 'number' } } },
    'array of array of number',
  ],
  [{ type: 'object', additionalProperties: { type: 'integer' } }, 'map of integer'],
  [
    { type: 'integer', minimum: 1, maximum: 9223372036854775807n },
    'integer 1 to 9223372036854775807',
  ],
  [
    { type: 'number', exclusiveMinimum: 0, multipleOf: 0.01 },
    'number More than 0 A multiple of 0.01',
  ],
  [{ type: 'string', minLength: 3, maxLength: 3 }, 'string Exactly 3 characters'],
  [
    { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, uniqueItems: true },
    'array of string At least 1 item No item twice Each item: At least 1 character',
  ],
  [{ type: 'string', pattern: '^<a>$', default: '' }, 'string Default "" Pattern ^<a>$'],
  [{ const: 'cat' }, 'string Always cat'],
  [
    { type: 'string', contentMediaType: 'image/png', contentEncoding: 'base64' },
    'string Contains image/png Encoded as base64',
  ],
  [
    { type: 'object', minProperties: 2, additionalProperties: false },
    'object At least 2 properties No other properties',
  ],
  [
    { type: 'object', dependentRequired: { card: ['address', 'name'] } },
    'object With card also address, name',
  ],
  [{ type: 'object', required: ['id'] }, 'object Needs id'],
  [{ type: 'string', enum: ['a', 'b', null] }, 'string or null One of a b'],
  [{ enum: ['a', 1, null] }, 'string or integer or null One of a 1'],
  [{ enum: [1, 2.5, null] }, 'number or null One of 1 2.5'],
  [{ enum: [true, ['a'], { b: 1 }] }, 'boolean or array or object One of true ["a"] {"b":1}'],
  [{ enum: ['a'], 'x-enumDescriptions': { a: 'First' } }, 'string a First'],
  [{ enum: ['a', 'b'], 'x-enum-descriptions': ['First', 'Second'] }, 'string a First b Second'],
  [{ enum: [1, 2], type: 'integer', 'x-enum-varnames': ['LOW', 'HIGH'] }, 'integer 1 LOW 2 HIGH'],
  [
    { oneOf: [{ const: 1, title: 'Low', description: 'Slow' }, { const: 2 }] },
    'integer 1 Low Slow 2',
  ],
  [{ enum: ['a', 'b'], 'x-enum-varnames': ['a', 'b'] }, 'string One of a b'],
  [{ enum: ['a', 'b', ''], 'x-enum-varnames': ['a', 'b', 'NONE'] }, 'string One of a b "" NONE'],
  [{ contentMediaType: 'application/octet-stream' }, 'file'],
  [
    { type: 'array', items: { contentMediaType: 'image/png' } },
    'array of file Each item: Contains image/png',
  ],
  [{ type: 'string', examples: ['x', 'y'], deprecated: true }, 'string deprecated Examples x, y'],
];

test('a schema says in words what it takes', () => {
  for (const [schema, says] of FACTS) assert.equal(render(schema).text, says);
});

test('a part of every kind is shown with its name', () => {
  const { text } = render({
    type: 'object',
    properties: { a: { type: 'string' } },
    patternProperties: { '^x-': { type: 'string' } },
    additionalProperties: { type: 'integer', 'x-additionalPropertiesName': 'locale' },
    propertyNames: { pattern: '^[a-z]' },
    ...JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}'),
    not: { required: ['d'] },
    dependentSchemas: { e: { required: ['f'] } },
  });
  for (const name of [
    'a string',
    '/^x-/',
    'locale',
    'names of properties',
    'if',
    'then',
    'else',
    'not',
    'where e is present',
  ]) {
    assert.ok(text.includes(name), name);
  }
  const list = render({
    type: 'array',
    prefixItems: [{ type: 'number' }, { type: 'string' }],
    items: false,
    contains: { const: 1 },
  });
  assert.match(list.text, /No other items.*item 1 number.*item 2 string.*at least one item/);
});

test('the parts of allOf are one object, whose properties have ids that search leads to', () => {
  const schemas = {
    Base: object({ id: { type: 'integer' }, kind: { type: 'string' } }, { required: ['id'] }),
    Pet: {
      allOf: [
        { $ref: '#/components/schemas/Base' },
        object({ kind: { const: 'pet' }, owner: object({ name: { type: 'string' } }) }),
      ],
    },
  };
  const { text, ids } = render({ $ref: '#/components/schemas/Pet' }, { schemas });
  assert.deepEqual(ids, ['body.id', 'body.kind', 'body.owner', 'body.owner.name']);
  assert.match(
    text,
    /^Pet id integer required kind string Always pet owner object 1 property name string$/,
  );
});

test('a list whose items several parts describe has items that fit all of them', () => {
  const list = (items: unknown) => object({ data: { type: 'array', items } });
  const schemas = { Pet: object({ name: {} }), Links: object({ self: {} }) };
  const [pet, links] = ['Pet', 'Links'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const typed = render({ allOf: [list({ type: 'object' }), list(pet)] }, { schemas });
  assert.match(typed.text, /^data array of Pet 1 property name any$/);
  const both = render({ allOf: [list(links), list(pet)] }, { schemas });
  assert.match(both.text, /^data array of object 2 properties self any name any$/);
});

test('a list of schemas in `items` is shown as what it is: the first items, each with its own', () => {
  const { text } = render({ items: [object({ id: {} }), { type: 'string' }] });
  assert.match(text, /^array item 1 object 1 property id any item 2 string$/);
});

test('names in XML are said where the value is XML alone', () => {
  const schema = object(
    { tags: { type: 'array', items: { type: 'string', xml: { name: 'tag' } } } },
    { xml: { name: 'pet' } },
  );
  const shown = (isXml: boolean) => {
    const { context } = pageContext({ openapi: '3.1.0' });
    const page = startPage(context, '/place', 40_000);
    return words(schemaHtml(page, schema, { purpose: 'response', prefix: '', isXml }).text);
  };
  assert.equal(shown(false), 'tags array of string');
  assert.equal(shown(true), 'XML element pet tags array of string Each item: XML element tag');
});

test('a choice is not said twice', () => {
  const schemas = { Cat: object({ a: {} }), Dog: object({ b: {} }) };
  const oneOf = Object.keys(schemas).map((name) => ({ $ref: `#/components/schemas/${name}` }));
  assert.match(render({ oneOf }, { schemas }).text, /^One of these Cat /);
  assert.match(render(object({ pet: { oneOf } }), { schemas }).text, /^pet Cat or Dog /);
});

test('readers are shown neither what they cannot send nor what they do not receive', () => {
  const schema = object({
    id: { readOnly: true },
    secret: { writeOnly: true },
    name: {},
    hidden: { 'x-internal': true },
  });
  const shown = (purpose: Purpose) => render(schema, { purpose }).ids;
  assert.deepEqual(shown('request'), ['body.secret', 'body.name']);
  assert.deepEqual(shown('response'), ['body.id', 'body.name']);
  assert.deepEqual(shown('model'), ['body.id', 'body.secret', 'body.name']);
});

test('alternatives are named by their discriminator, and a base that lists them is no part of them', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const kind = (more: object) => ({
    allOf: [ref('Pet'), object({ lives: { type: 'integer' } }, more)],
  });
  const discriminator = { propertyName: 'kind', mapping: { kitty: '#/components/schemas/Cat' } };
  const schemas = {
    Pet: object({ kind: { type: 'string' } }, { discriminator, oneOf: [ref('Cat'), ref('Dog')] }),
    Cat: kind({}),
    Dog: kind({}),
  };
  const { text, ids } = render(ref('Pet'), { schemas });
  assert.match(
    text,
    /One of these, told apart by kind Cat kitty Cat kind string lives integer Dog Dog kind string/,
  );
  assert.equal(text.match(/One of these/g)?.length, 1);
  assert.equal(new Set(ids).size, ids.length);
});

test('an alternative without a mapping is named by the only value that its schema allows', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const schemas = {
    Person: object({ kind: { const: 'person' } }),
    Company: object({ kind: { type: 'string' } }),
  };
  const schema = {
    oneOf: [ref('Person'), ref('Company')],
    discriminator: { propertyName: 'kind' },
  };
  assert.match(render(schema, { schemas }).text, /Person person .*Company (?!company)/);
});

test('a long name breaks where its words begin, and nowhere else', () => {
  const { html } = render(object({ add_custom_fieldSettings2DTO: { type: 'string' }, short: {} }));
  assert.match(html, />add_<wbr>custom_<wbr>field<wbr>Settings2<wbr>DTO<\/a>/);
  assert.match(html, />short<\/a>/);
});

test('a schema that contains itself is marked and not repeated', () => {
  const schemas = {
    Node: object({
      next: { $ref: '#/components/schemas/Node' },
      all: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
    }),
  };
  const { text } = render({ $ref: '#/components/schemas/Node' }, { schemas });
  assert.equal(text.match(/it contains itself/g)?.length, 2);
  const loop = { allOf: [{ $ref: '#/components/schemas/Loop' }] };
  assert.equal(
    render({ $ref: '#/components/schemas/Loop' }, { schemas: { Loop: loop } }).text,
    'Loop',
  );
});

test('a large model deep inside is a link, and a small one is shown', () => {
  const many = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`p${at}`, { type: 'string' }]),
  );
  const schemas = { Large: object(many), Small: object({ one: { type: 'string' } }) };
  const deep = (name: string) =>
    object({ a: object({ b: object({ c: { $ref: `#/components/schemas/${name}` } }) }) });
  const large = render(deep('Large'), { schemas });
  assert.doesNotMatch(large.text, /p1\b/);
  assert.match(large.html, /href="\/reference\/models\/Large"/);
  assert.match(render(deep('Small'), { schemas }).text, /one string/);
});

test('models with a page of their own leave room for small schemas that have none', () => {
  const many = (size: number) =>
    object(Object.fromEntries(Array.from({ length: size }, (_, at) => [`p${at}`, {}])));
  const schemas = { First: many(30), Second: many(30) };
  const { text, html, warnings } = render(
    object({
      first: { $ref: '#/components/schemas/First' },
      second: { $ref: '#/components/schemas/Second' },
      own: object({ small: {} }),
    }),
    { schemas, room: 12_000 },
  );
  assert.match(text, /first First 30 properties .* second Second own object 1 property small any$/);
  assert.match(html, /href="\/reference\/models\/Second"/);
  assert.deepEqual(warnings, []);
});

test('what is beyond the bounds is cut with a mark and a warning', () => {
  const nested = (levels: number): object =>
    levels === 0 ? {} : object({ a: nested(levels - 1) });
  const chained = (levels: number): object =>
    levels === 0 ? {} : { allOf: [chained(levels - 1)] };
  const properties = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`p${at}`, {}]));
  const cases: [schema: unknown, mark: RegExp, room?: number][] = [
    [nested(300), /The rest is in the OpenAPI document/],
    [chained(150), /The rest is in the OpenAPI document/],
    [object({ a: object({ b: {} }) }), /The rest is in the OpenAPI document/, 0],
    [object(properties), /and 750 more properties/],
    [
      { enum: Array.from({ length: 10_000 }, (_, at) => `v${at}`) },
      /480 more values.*and 9500 more values/,
    ],
    [
      { oneOf: Array.from({ length: 80 }, (_, at) => ({ title: `T${at}`, type: 'object' })) },
      /and 30 more alternatives/,
    ],
  ];
  for (const [schema, mark, room] of cases) {
    const { html, text, warnings } = render(schema, room === undefined ? {} : { room });
    assert.match(text, mark);
    assert.equal(warnings.length, 1, String(mark));
    assert.ok(html.length < 120_000, String(mark));
  }
});

test('nothing of a document becomes HTML or breaks an id', () => {
  const bad = '"><script>alert(1)</script>';
  const schema = object(
    {
      [bad]: { type: 'string', enum: [bad], default: bad, 'x-enum-descriptions': { [bad]: bad } },
      ['__proto__']: { type: bad },
      'a b\ud800': { description: bad },
    },
    {
      title: bad,
      description: bad,
      patternProperties: { [bad]: {} },
      xml: { name: bad },
      externalDocs: { url: 'javascript:alert(1)', description: bad },
    },
  );
  const { html, ids } = render({ oneOf: [JSON.parse('{"properties":{"__proto__":{}}}'), schema] });
  assert.doesNotMatch(html, /<script|href="javascript/);
  assert.ok(ids.every((id) => !/\s/.test(id)));
});
