import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { compare } from './compare.ts';

type Json = { [name: string]: unknown };

const DOCUMENT = JSON.parse(
  readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'),
) as Json;

const JUNK: readonly unknown[] = [
  ...[null, 1, -1, 'a', '', true, false, 10n, [], [null], {}],
  ...[{ $ref: '#/nothing' }, { $ref: 1 }, { $ref: '#/components/schemas' }, { $ref: '#' }],
  ...[{ type: 5 }, { allOf: {} }, { oneOf: [null] }, { enum: [{}] }, { properties: [] }],
];

/** Puts junk at a place that the steps lead to. */
function broken(steps: readonly number[], junk: unknown, document: Json): void {
  let at = document;
  for (const [index, step] of steps.entries()) {
    const names = Object.keys(at);
    const name = names[step % Math.max(1, names.length)];
    if (name === undefined) return;
    const value = at[name];
    if (index === steps.length - 1 || typeof value !== 'object' || value === null) {
      at[name] = structuredClone(junk);
      return;
    }
    at = value as Json;
  }
}

test('a document with anything anywhere is compared, and is the same as itself', () => {
  const place = fc.array(fc.nat(200), { minLength: 1, maxLength: 14 });
  const breaks = fc.array(fc.tuple(place, fc.constantFrom(...JUNK)), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(breaks, (list) => {
      const document = structuredClone(DOCUMENT);
      for (const [steps, junk] of list) broken(steps, junk, document);
      compare(DOCUMENT, document);
      compare(document, DOCUMENT);
      assert.deepEqual(compare(document, structuredClone(document)), []);
    }),
    { numRuns: 150 },
  );
});
