import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { parseJson, toJson } from '@petstore/site/syntax/exact-text.ts';
import { findParts, SEPARATOR } from '../../../server/src/edge/mcp/document-parts.ts';
import { partialDocument } from '../../../server/src/edge/mcp/operation-document.ts';
import { resolveSchemas } from '../../../server/src/edge/mcp/resolve-schemas.ts';
import { fixture } from '../../support/build-site.ts';
import { PETS } from '../support/mcp-document.ts';

const open = async (document: unknown) => {
  const bytes = Buffer.from(toJson(document));
  return partialDocument(bytes, await findParts(bytes));
};

test('every part of a document is what a parser finds there, in either layout', async () => {
  const tricky = {
    paths: { '/a"\\\u{1f600}\n': { get: { operationId: 'a\\"b', x: ['}', '{', '"'] } }, '/b': {} },
    info: { title: 'x', n: -1.5e3, nothing: null, list: [], empty: {} },
    components: { schemas: { ['__proto__']: { type: 'string' }, '': true } },
  };
  const texts = [
    PETS,
    String(await fixture('weather.json')),
    String(await fixture('code-hosting.json')),
    JSON.stringify(tricky),
    JSON.stringify(tricky, undefined, '\t'),
    '{}',
  ];
  for (const text of texts) {
    const bytes = Buffer.from(text);
    const { spans, operations } = await findParts(bytes);
    const document = parseJson(text);
    for (const [key, [start, end]] of spans) {
      const names = key.split(SEPARATOR);
      const value = names.reduce<unknown>(
        (whole, name) =>
          isObject(whole) ? Object.getOwnPropertyDescriptor(whole, name)?.value : assert.fail(key),
        document,
      );
      assert.deepEqual(parseJson(bytes.toString('utf8', start, end)), value, key);
    }
    if (text.includes('a\\\\')) assert.deepEqual([...operations.keys()], ['a\\"b']);
    for (const [first, second] of Object.entries(document as object)) {
      assert.ok(spans.has(first));
      for (const name of isObject(second) ? Object.keys(second) : [])
        assert.ok(spans.has(`${first}${SEPARATOR}${name}`), name);
    }
  }
});

test('a document that is cut off, or has too many parts, is refused', async () => {
  const whole = Buffer.from(PETS);
  for (const length of [1, 40, 1_000, whole.length - 5]) {
    await assert.rejects(findParts(whole.subarray(0, length)), /no valid JSON at byte/);
  }
  const many = Object.fromEntries(Array.from({ length: 100_001 }, (_, at) => [`${at}`, 0]));
  await assert.rejects(findParts(Buffer.from(JSON.stringify({ tags: many }))), /too many parts/);
});

const text = (letters: number) => ({ type: 'string', description: 'x'.repeat(letters) });
const ref = (name: string, beside: object = {}) => ({
  $ref: `#/components/schemas/${name}`,
  ...beside,
});
const schemas = (members: object) => open({ components: { schemas: members } });

test('what leads back to itself is defined once, on whatever way', async () => {
  const document = await schemas({
    Node: { properties: { next: ref('Link'), leaf: ref('Leaf') } },
    Link: { items: ref('Node') },
    Leaf: { type: 'string' },
    Self: ref('Self'),
    User: { properties: { node: ref('Node') } },
  });
  const { value, definitions } = resolveSchemas(document, { schema: ref('User') });
  assert.deepEqual(value, { schema: { properties: { node: { $ref: '#/definitions/Node' } } } });
  assert.deepEqual(Object.fromEntries(definitions), {
    Node: { properties: { next: { $ref: '#/definitions/Link' }, leaf: { type: 'string' } } },
    Link: { items: { $ref: '#/definitions/Node' } },
  });
  const self = resolveSchemas(document, { schema: ref('Self') });
  assert.deepEqual(self.value, { schema: { $ref: '#/definitions/Self' } });
});

test('what stands beside a reference holds, too', async () => {
  const document = await schemas({
    Name: { type: 'string', minLength: 1, description: 'A name.' },
  });
  const resolve = (beside: object) =>
    resolveSchemas(document, { schema: ref('Name', beside) }).value;
  const name = { type: 'string', minLength: 1 };
  assert.deepEqual(resolve({ description: 'Yours.' }), {
    schema: { ...name, description: 'Yours.' },
  });
  assert.deepEqual(resolve({ maxLength: 9 }), {
    schema: { ...name, description: 'A name.', maxLength: 9 },
  });
  assert.deepEqual(resolve({ minLength: 3 }), {
    schema: { allOf: [{ ...name, description: 'A name.' }], minLength: 3 },
  });
});

test('an answer stays within its bounds, and says what it leaves out', async () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `D${at}`,
      { properties: { a: ref(`D${at + 1}`), b: ref(`D${at + 1}`) } },
    ]),
  );
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`W${at}`, text(5_000)]));
  const document = await schemas({
    ...doubling,
    D40: { type: 'string' },
    ...wide,
    Wide: { properties: Object.fromEntries(Object.keys(wide).map((name) => [name, ref(name)])) },
    Huge: text(3_000_000),
  });
  const bytes = (value: unknown) => toJson(value, 0).length;
  const twice = resolveSchemas(document, { schema: ref('D0') });
  assert.ok(bytes(twice.value) < 50_000 && twice.omitted.length === 0);
  assert.ok(twice.definitions.size > 3, 'what is large is defined once');
  const many = resolveSchemas(document, { schema: ref('Wide') });
  assert.ok(bytes([...many.definitions.values()]) <= 110_000);
  assert.ok(many.omitted.length > 50 && many.definitions.size > 10);
  const huge = resolveSchemas(document, { schema: ref('Huge') });
  assert.deepEqual(huge.value, { schema: ref('Huge') }, 'it stays as it is');
});
