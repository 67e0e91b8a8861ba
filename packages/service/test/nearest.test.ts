import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { distance, nearest } from '../src/nearest.ts';

/** The distance by its definition, without a table and without leaving anything out. */
function defined(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const [restA, restB] = [a.slice(1), b.slice(1)];
  const ways = [
    defined(restA, restB) + (a[0] === b[0] ? 0 : 1),
    defined(restA, b) + 1,
    defined(a, restB) + 1,
  ];
  const isSwap = a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0];
  if (isSwap) ways.push(defined(a.slice(2), b.slice(2)) + 1);
  return Math.min(...ways);
}

test('the distance of two words is that of its definition, or Infinity beyond the one asked for', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
  fc.assert(
    fc.property(word, word, fc.nat({ max: 7 }), (a, b, most) => {
      const away = defined(a, b);
      assert.equal(distance(a, b), away);
      assert.equal(distance(a, b, most), away <= most ? away : Infinity);
    }),
    { numRuns: 2_000 },
  );
});

test('the nearest word is at most a third of its letters away, whichever case it is in', () => {
  assert.equal(nearest('listPest', ['getPet', 'listPets', 'listPet']), 'listPets');
  assert.equal(nearest('LISTPETS', ['listPets']), 'listPets');
  assert.equal(nearest('list', ['post', 'last', 'lost']), 'last');
  assert.equal(nearest('list', ['remove']), undefined);
  assert.equal(nearest('', ['a']), 'a');
});
