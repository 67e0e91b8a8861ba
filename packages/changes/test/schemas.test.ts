import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare, giving, taking, verdicts } from './compare.ts';

type Case = readonly [
  name: string,
  old: unknown,
  now: unknown,
  request: string[],
  response: string[],
];

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const text = { type: 'string' };
const name = { name: text };

/** What each change is for whoever sends the value, and for whoever gets it. */
const CASES: readonly Case[] = [
  [
    'a type that changed',
    { type: 'string' },
    { type: 'integer' },
    ['breaking type-changed'],
    ['breaking type-changed'],
  ],
  [
    'a number that is whole now',
    { type: 'number' },
    { type: 'integer' },
    ['breaking type-narrowed'],
    ['compatible type-narrowed'],
  ],
  [
    'one more type',
    { type: 'string' },
    { type: ['string', 'integer'] },
    ['compatible type-widened'],
    ['breaking type-widened'],
  ],
  [
    'null',
    { type: 'string' },
    { type: ['string', 'null'] },
    ['compatible null-allowed'],
    ['breaking null-allowed'],
  ],
  [
    'null that is gone',
    { anyOf: [text, { type: 'null' }] },
    text,
    ['breaking null-refused'],
    ['compatible null-refused'],
  ],
  [
    'a value of a list',
    { enum: ['a'] },
    { enum: ['a', 'b'] },
    ['compatible enum-value-added'],
    ['risky enum-value-added'],
  ],
  [
    'a value that is gone',
    { enum: ['a', 'b'] },
    { enum: ['a'] },
    ['breaking enum-value-removed'],
    ['compatible enum-value-removed'],
  ],
  [
    'a list of values',
    text,
    { type: 'string', enum: ['a'] },
    ['breaking enum-added'],
    ['compatible enum-added'],
  ],
  [
    'a list of values that is gone',
    { type: 'string', enum: ['a'] },
    text,
    ['compatible enum-removed'],
    ['risky enum-removed'],
  ],
  [
    'a lower maximum',
    { type: 'number', maximum: 9 },
    { type: 'number', maximum: 8 },
    ['breaking limit-tightened'],
    ['compatible limit-tightened'],
  ],
  [
    'a maximum that is excluded',
    { type: 'number', maximum: 9 },
    { type: 'number', exclusiveMaximum: 9 },
    ['breaking limit-tightened'],
    ['compatible limit-tightened'],
  ],
  [
    'a longer text',
    { type: 'string', maxLength: 8 },
    { type: 'string', maxLength: 9 },
    ['compatible limit-loosened'],
    ['breaking limit-loosened'],
  ],
  [
    'no limit any more',
    { type: 'array', minItems: 1 },
    { type: 'array' },
    ['compatible limit-loosened'],
    ['breaking limit-loosened'],
  ],
  [
    'other multiples',
    { type: 'number', multipleOf: 2 },
    { type: 'number', multipleOf: 3 },
    ['breaking limit-changed'],
    ['breaking limit-changed'],
  ],
  [
    'multiples of a decimal',
    { type: 'number', multipleOf: 0.1 },
    { type: 'number', multipleOf: 0.3 },
    ['breaking limit-tightened'],
    ['compatible limit-tightened'],
  ],
  [
    'multiples of a very small decimal',
    { type: 'number', multipleOf: 3e-7 },
    { type: 'number', multipleOf: 1e-7 },
    ['compatible limit-loosened'],
    ['breaking limit-loosened'],
  ],
  [
    'a maximum beyond 2^53',
    { type: 'integer', maximum: 9223372036854775807n },
    { type: 'integer', maximum: 9223372036854775806n },
    ['breaking limit-tightened'],
    ['compatible limit-tightened'],
  ],
  [
    'a maximum beyond 2^53 that is excluded',
    { type: 'integer', maximum: 9223372036854775807n },
    { type: 'integer', exclusiveMaximum: 9223372036854775807n },
    ['breaking limit-tightened'],
    ['compatible limit-tightened'],
  ],
  [
    'a minimum that is excluded no more',
    { type: 'number', exclusiveMinimum: 0 },
    { type: 'number', minimum: 1 },
    ['breaking limit-tightened'],
    ['compatible limit-tightened'],
  ],
  [
    'a pattern',
    text,
    { type: 'string', pattern: 'a' },
    ['breaking pattern-added'],
    ['risky pattern-added'],
  ],
  [
    'another pattern',
    { type: 'string', pattern: 'a' },
    { type: 'string', pattern: 'b' },
    ['risky pattern-changed'],
    ['risky pattern-changed'],
  ],
  [
    'larger numbers',
    { type: 'integer', format: 'int32' },
    { type: 'integer', format: 'int64' },
    ['compatible format-widened'],
    ['breaking format-widened'],
  ],
  [
    'another format',
    { type: 'string', format: 'date' },
    { type: 'string', format: 'uuid' },
    ['breaking format-changed'],
    ['breaking format-changed'],
  ],
  [
    'another default',
    { type: 'string', default: 'a' },
    { type: 'string', default: 'b' },
    ['risky default-changed'],
    ['risky default-changed'],
  ],
  [
    'an optional property',
    object({}),
    object(name),
    ['compatible property-added'],
    ['compatible property-added'],
  ],
  [
    'a required property',
    object({}),
    object(name, { required: ['name'] }),
    ['breaking required-property-added'],
    ['compatible required-property-added'],
  ],
  [
    'a required property with a default',
    object({}),
    object({ name: { type: 'string', default: 'a' } }, { required: ['name'] }),
    ['risky required-property-with-default-added'],
    ['compatible required-property-with-default-added'],
  ],
  [
    'an optional property that is gone',
    object(name),
    object({}),
    ['risky property-removed'],
    ['risky property-removed'],
  ],
  [
    'a property that is refused',
    object(name),
    object({}, { additionalProperties: false }),
    ['breaking property-refused', 'breaking additional-properties-refused'],
    ['risky property-removed', 'compatible additional-properties-refused'],
  ],
  [
    'a required property that is gone',
    object(name, { required: ['name'] }),
    object({}),
    ['risky required-property-removed'],
    ['breaking required-property-removed'],
  ],
  [
    'a property that is required now',
    object(name),
    object(name, { required: ['name'] }),
    ['breaking property-became-required'],
    ['compatible property-became-required'],
  ],
  [
    'a property that may be missing',
    object(name, { required: ['name'] }),
    object(name),
    ['compatible property-became-optional'],
    ['breaking property-became-optional'],
  ],
  [
    'a property that only the API sets',
    object(name),
    object({ name: { type: 'string', readOnly: true } }),
    ['risky property-removed'],
    [],
  ],
  [
    'a property that only clients set',
    object(name, { required: ['name'] }),
    object({ name: { type: 'string', writeOnly: true } }, { required: ['name'] }),
    [],
    ['breaking required-property-removed'],
  ],
  [
    'properties of any name',
    object(name, { additionalProperties: false }),
    object(name),
    ['compatible additional-properties-allowed'],
    ['risky additional-properties-allowed'],
  ],
  [
    'properties of any name with a type',
    object({}, { additionalProperties: text }),
    object({}, { additionalProperties: { type: 'integer' } }),
    ['breaking type-changed'],
    ['breaking type-changed'],
  ],
  [
    'names of a pattern that are refused',
    object({}, { patternProperties: { '^x': text }, additionalProperties: false }),
    object({}, { additionalProperties: false }),
    ['breaking property-refused'],
    ['risky property-removed'],
  ],
  [
    'names of a pattern that are allowed',
    object({}, { additionalProperties: false }),
    object({}, { patternProperties: { '^x': text }, additionalProperties: false }),
    ['compatible property-allowed'],
    ['risky property-allowed'],
  ],
  [
    'names of a pattern that are as others now',
    object({}, { patternProperties: { '^x': text }, additionalProperties: { type: 'integer' } }),
    object({}, { additionalProperties: { type: 'integer' } }),
    ['breaking type-changed'],
    ['breaking type-changed'],
  ],
  [
    'names of a pattern that are free',
    object({}, { patternProperties: { '^x': text } }),
    object({}),
    ['compatible type-widened'],
    ['breaking type-widened'],
  ],
  [
    'one more variant',
    { oneOf: [text] },
    { oneOf: [text, { type: 'integer' }] },
    ['compatible variant-added'],
    ['breaking variant-added'],
  ],
  [
    'a variant less',
    { oneOf: [text, { type: 'integer' }] },
    { oneOf: [text] },
    ['breaking variant-removed'],
    ['compatible variant-removed'],
  ],
  [
    'one more variant than a list of types had',
    { type: ['string', 'integer'] },
    { anyOf: [text, { type: 'integer' }, { type: 'boolean' }] },
    ['compatible variant-added'],
    ['breaking variant-added'],
  ],
  [
    'one more type than the variants had',
    { oneOf: [text, { type: 'integer' }] },
    { type: ['string', 'integer', 'boolean'] },
    ['compatible variant-added'],
    ['breaking variant-added'],
  ],
  [
    'null beside the variants of a list of types',
    { type: ['string', 'integer'] },
    { anyOf: [text, { type: 'integer' }, { type: 'null' }] },
    ['compatible null-allowed'],
    ['breaking null-allowed'],
  ],
  [
    'a limit of a variant of a list of types',
    { type: ['string', 'integer'] },
    { anyOf: [{ type: 'string', maxLength: 9 }, { type: 'integer' }] },
    ['breaking limit-tightened'],
    ['compatible limit-tightened'],
  ],
  [
    'a variant that another one has in it',
    { anyOf: [{ type: 'number' }, { type: 'integer' }, text] },
    { anyOf: [{ type: 'number' }, text] },
    [],
    [],
  ],
  [
    'a new condition',
    text,
    { type: 'string', not: { const: 'a' } },
    ['breaking constraint-added'],
    ['compatible constraint-added'],
  ],
  [
    'deep inside',
    object({ a: { type: 'array', items: object(name) } }),
    object({ a: { type: 'array', items: object({ name: { type: 'integer' } }) } }),
    ['breaking type-changed'],
    ['breaking type-changed'],
  ],
  [
    'a tuple',
    { type: 'array', prefixItems: [text] },
    { type: 'array', prefixItems: [{ type: 'integer' }] },
    ['breaking type-changed'],
    ['breaking type-changed'],
  ],
  [
    'nothing is allowed',
    object({ a: true }),
    object({ a: false }),
    ['breaking type-narrowed'],
    ['compatible type-narrowed'],
  ],
];

for (const [title, old, now, request, response] of CASES)
  test(`${title}: the direction decides`, () => {
    const prefixed = (list: string[], direction: string) =>
      list.map((one) => one.replace(' ', ` ${direction}-`)).sort();
    assert.deepEqual(
      verdicts(compare(taking(old), taking(now))).sort(),
      prefixed(request, 'request'),
    );
    assert.deepEqual(
      verdicts(compare(giving(old), giving(now))).sort(),
      prefixed(response, 'response'),
    );
  });

const pet = object({ name: text, tag: text }, { required: ['name', 'tag'] });
const tree = (model: string) =>
  object({
    name: text,
    children: { type: 'array', items: { $ref: `#/components/schemas/${model}` } },
  });
const models = (schemas: object) => ({ components: { schemas } });

/** Schemas that mean the same, each with the rest of its document. */
const EQUAL: readonly (readonly [
  name: string,
  old: readonly [unknown, Record<string, unknown>?],
  now: readonly [unknown, Record<string, unknown>?],
])[] = [
  [
    'the order of required',
    [pet],
    [object({ tag: text, name: text }, { required: ['tag', 'name'] })],
  ],
  [
    'nullable of OpenAPI 3.0',
    [{ type: 'string', nullable: true }, { openapi: '3.0.3' }],
    [{ type: ['string', 'null'] }],
  ],
  [
    'nullable with listed values',
    [{ type: 'string', nullable: true, enum: ['a'] }, { openapi: '3.0.3' }],
    [{ type: ['string', 'null'], enum: ['a', null] }],
  ],
  [
    'bytes',
    [{ type: 'string', format: 'binary' }, { openapi: '3.0.3' }],
    [{ type: 'string', contentMediaType: 'application/octet-stream' }],
  ],
  ['bytes without a schema', [{ type: 'string', format: 'binary' }, { openapi: '3.0.3' }], [{}]],
  [
    'bytes as text',
    [{ type: 'string', format: 'byte' }, { openapi: '3.0.3' }],
    [{ type: 'string', contentEncoding: 'base64' }],
  ],
  [
    'limits that exclude',
    [{ type: 'number', minimum: 1, exclusiveMinimum: true }, { openapi: '3.0.3' }],
    [{ type: 'number', exclusiveMinimum: 1 }],
  ],
  [
    'a reference and the same inline',
    [{ $ref: '#/components/schemas/Pet' }, models({ Pet: pet })],
    [pet],
  ],
  ['an allOf of one', [pet], [{ allOf: [pet] }]],
  [
    'an allOf of two',
    [pet],
    [
      {
        allOf: [
          object({ name: text }, { required: ['name'] }),
          object({ tag: text }, { required: ['tag'] }),
        ],
      },
    ],
  ],
  ['a oneOf of one', [pet], [{ oneOf: [pet] }]],
  [
    'a renamed model',
    [{ $ref: '#/components/schemas/Pet' }, models({ Pet: pet })],
    [{ $ref: '#/components/schemas/Animal' }, models({ Animal: pet })],
  ],
  [
    'a reordered oneOf',
    [{ oneOf: [pet, text, { type: 'integer' }] }],
    [{ oneOf: [{ type: 'integer' }, pet, text] }],
  ],
  [
    'a reordered oneOf of renamed models',
    [
      { oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] },
      models({ A: pet, B: tree('B') }),
    ],
    [
      { oneOf: [{ $ref: '#/components/schemas/C' }, { $ref: '#/components/schemas/D' }] },
      models({ D: pet, C: tree('C') }),
    ],
  ],
  [
    'names that were exchanged',
    [
      { oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] },
      models({ A: pet, B: tree('B') }),
    ],
    [
      { oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] },
      models({ B: pet, A: tree('A') }),
    ],
  ],
  [
    'a model that contains itself',
    [{ $ref: '#/components/schemas/Tree' }, models({ Tree: tree('Tree') })],
    [{ $ref: '#/components/schemas/Node' }, models({ Node: tree('Node') })],
  ],
  [
    'a model that is unrolled once',
    [{ $ref: '#/components/schemas/Tree' }, models({ Tree: tree('Tree') })],
    [tree('Tree'), models({ Tree: tree('Tree') })],
  ],
  ['a value and a list of one', [{ const: 'a' }], [{ enum: ['a'] }]],
  [
    'a oneOf of values',
    [{ type: 'string', enum: ['a', 'b'] }],
    [{ type: 'string', oneOf: [{ const: 'b', title: 'B' }, { const: 'a' }] }],
  ],
  [
    'a list of types and an anyOf of them',
    [{ type: ['string', 'integer'] }],
    [{ anyOf: [{ type: 'integer' }, text] }],
  ],
  [
    'a list of types and a oneOf of them',
    [{ ...object(name), type: ['string', 'object'] }],
    [{ oneOf: [text, object(name)] }],
  ],
  [
    'a list of types and an anyOf of them, each with its own limit',
    [{ type: ['string', 'integer'], maxLength: 9, minimum: 1, pattern: 'a' }],
    [
      {
        anyOf: [
          { type: 'string', maxLength: 9, pattern: 'a' },
          { type: 'integer', minimum: 1 },
        ],
      },
    ],
  ],
  [
    'a list of types and an anyOf of them, with null',
    [{ type: ['string', 'integer', 'null'] }],
    [{ anyOf: [text, { type: 'integer' }, { type: 'null' }] }],
  ],
  [
    'a list of types and an anyOf of them, one with null',
    [{ type: ['string', 'integer', 'null'] }],
    [{ anyOf: [text, { type: ['integer', 'null'] }] }],
  ],
  [
    'a model of several types and an anyOf that has it',
    [{ $ref: '#/components/schemas/Id' }, models({ Id: { type: ['string', 'integer'] } })],
    [
      { anyOf: [{ $ref: '#/components/schemas/Id' }, { type: 'integer' }] },
      models({ Id: { type: ['string', 'integer'] } }),
    ],
  ],
  [
    'limits of whole numbers',
    [{ type: 'integer', exclusiveMinimum: 0, maximum: 9223372036854775807n }],
    [{ type: 'integer', minimum: 1, exclusiveMaximum: 9223372036854775808n }],
  ],
  [
    'null as a variant',
    [{ oneOf: [pet, { type: 'null' }] }],
    [{ ...pet, type: ['object', 'null'] }],
  ],
  ['an object that says so', [object(name)], [{ properties: name }]],
  ['a minimum of nothing', [{ type: 'array' }], [{ type: 'array', minItems: 0 }]],
  ['properties that are free', [object(name)], [object(name, { additionalProperties: true })]],
];

for (const [title, old, now] of EQUAL)
  test(`${title} is no change`, () => {
    for (const wrap of [taking, giving]) {
      const [before, after] = [wrap(old[0], old[1]), wrap(now[0], now[1])];
      assert.deepEqual(verdicts(compare(before, after)), []);
      assert.deepEqual(verdicts(compare(after, before)), []);
    }
  });

test('recursion through allOf, oneOf and references to nothing ends', () => {
  const odd = models({
    A: { allOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] },
    B: { oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/C' }] },
    C: { $ref: '#/components/schemas/C' },
    D: { $ref: '#/components/schemas/Nothing' },
  });
  for (const model of ['A', 'B', 'C', 'D']) {
    const schema = { $ref: `#/components/schemas/${model}` };
    assert.deepEqual(verdicts(compare(giving(schema, odd), giving(schema, odd))), []);
    compare(giving(schema, odd), giving(pet));
    compare(giving(pet), giving(schema, odd));
  }
});

test('models that refer to each other in a long row are compared', () => {
  const row = (link: (next: object) => object, end: object) =>
    models({
      ...Object.fromEntries(
        Array.from({ length: 3_000 }, (_, at) => [
          `M${at}`,
          link({ $ref: `#/components/schemas/M${at + 1}` }),
        ]),
      ),
      M3000: end,
    });
  const first = { $ref: '#/components/schemas/M0' };
  const links: ((next: object) => object)[] = [
    (next) => object({ next }),
    (next) => ({ type: 'array', items: next }),
    (next) => ({ allOf: [next, object(name)] }),
    (next) => ({ oneOf: [next, { type: 'integer' }] }),
  ];
  for (const link of links) {
    const changes = compare(
      giving(first, row(link, text)),
      giving(first, row(link, { type: 'boolean' })),
    );
    if (link === links[0] || link === links[1])
      assert.deepEqual(verdicts(changes), ['breaking response-type-changed']);
  }
});

test('a change of a shared model is told of each operation, once, with the shortest way to it', () => {
  const old = giving(
    object({
      owner: { $ref: '#/components/schemas/A' },
      a: object({ b: { $ref: '#/components/schemas/A' } }),
    }),
    models({ A: object(name) }),
  );
  const now = structuredClone(old) as typeof old & {
    components: { schemas: { A: { properties: object } } };
  };
  now.components.schemas.A.properties = { name: { type: 'integer' } };
  const [change, ...others] = compare(old, now);
  assert.deepEqual(others, []);
  assert.equal(change?.operation, 'POST /pets');
  assert.equal(
    change?.message,
    'Property `owner.name` of response 200 (application/json) changed its type from `string` to `integer`.',
  );
  assert.equal(change?.old?.pointer, '/components/schemas/A/properties/name/type');
  assert.deepEqual([change?.old?.value, change?.new?.value], ['string', 'integer']);
});

test('the value by which a variant is told apart counts, and not the name of its model', () => {
  const of = (schemas: object, mapping: object) =>
    giving(
      {
        oneOf: Object.keys(schemas).map((one) => ({ $ref: `#/components/schemas/${one}` })),
        discriminator: { propertyName: 'kind', ...mapping },
      },
      models(schemas),
    );
  const variants = { Cat: object({ kind: text, a: text }), Dog: object({ kind: text, b: text }) };
  const renamed = { Katze: variants.Cat, Dog: variants.Dog };
  const mapped = { mapping: { Cat: '#/components/schemas/Katze' } };
  assert.deepEqual(verdicts(compare(of(variants, {}), of(renamed, mapped))), []);
  assert.deepEqual(verdicts(compare(of(variants, {}), of(renamed, {}))), [
    'breaking response-discriminator-value-changed',
  ]);
});
