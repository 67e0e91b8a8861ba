import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverNothing } from '@petstore/test-support/program.ts';
import { assertWithin, timeOf } from '@petstore/test-support/within.ts';
import { built, textOf } from '../../support/build-site.ts';

coverNothing();

const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A document of so many operations that answer with the schema `s0`. */
function documentOf(operations: number, schemas: Record<string, unknown>) {
  const content = { 'application/json': { schema: schemaRef('s0') } };
  const operation = { get: { responses: { 200: { description: 'x', content } } } };
  return {
    openapi: '3.1.0',
    info: { title: 'Wide', version: '1' },
    paths: Object.fromEntries(Array.from({ length: operations }, (_, at) => [`/${at}`, operation])),
    components: { schemas },
  };
}

const numbered = (count: number, make: (at: number) => unknown, prefix = 's') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, make(at)]));

const large = { type: 'object', example: { numbers: Array(200_000).fill(1) } };

const HOSTILE: Record<string, ReturnType<typeof documentOf>> = {
  'parts of six parts each': documentOf(1, {
    ...numbered(60, (at) => ({ allOf: Array(6).fill(schemaRef(`s${at + 1}`)) })),
    s60: { type: 'string' },
  }),
  'a hundred thousand members in a thousand operations': documentOf(1_000, {
    s0: { type: 'object', properties: numbered(100_000, () => ({}), 'p') },
  }),
  'a large example, ninety times in twenty operations': documentOf(20, {
    s0: { type: 'object', properties: numbered(90, () => schemaRef('large'), 'p') },
    large,
  }),
};

// Each by itself: a slow machine has the time of a test for each.
for (const [name, document] of Object.entries(HOSTILE))
  test(`schemas and examples that grow with each use are shown as far as a page goes: ${name}`, () =>
    assertWithin(30_000, () => timeOf(() => built(document))));

test('where a schema has more than is shown, its page says so', async () => {
  const members = documentOf(1, { s0: { properties: numbered(300, () => ({}), 'p') } });
  const page = textOf(await built(members), '/llms-full.txt');
  assert.match(page, /`p249`: anything\n {2}- … and 50 more members/);
});
