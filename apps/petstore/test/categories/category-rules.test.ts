import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entityTag } from '@petstore/http/entity-tags.ts';
import {
  categoryJson,
  expectName,
  nameKey,
  nameTaken,
  refuseRemoval,
} from '../../src/categories/category-rules.ts';

test('names that differ in case or in how their characters are composed have one key', () => {
  const same = [
    ['Dogs', 'DOGS', 'dogs'],
    ['Straße', 'STRASSE', 'STRAẞE'],
    ['Σκύλος', 'ΣΚΎΛΟΣ', 'σκύλοσ'],
    ['Caf\u00e9', 'Cafe\u0301', 'CAF\u00c9'],
    // The same marks in another order, and one that is a letter of its own in capitals.
    ['\u1fb4', '\u03b1\u0301\u0345', '\u03b1\u0345\u0301', '\u0386\u0399'],
    ['\u00cd', '\u00ed', 'I\u0301', '\u0131\u0301'],
  ];
  for (const [first = '', ...others] of same) {
    for (const other of others) assert.equal(nameKey(other), nameKey(first), `${first} ${other}`);
  }
  const keys = same.map(([first = '']) => nameKey(first));
  assert.equal(new Set(keys).size, same.length);
});

test('the key of a name is what databases have stored for it', () => {
  assert.equal(nameKey('DOGS and Cats'), 'dogs and cats');
  assert.equal(nameKey('Große ΣΚΎΛΟΣ'), 'grosse σκύλος');
});

test('a category is deleted when no animal is in it', () => {
  assert.equal(refuseRemoval(false), undefined);
  const message = 'Animals are in this category. Move them to another one first.';
  assert.deepEqual(refuseRemoval(true), { refused: 'conflict', message });
});

test('a write needs a category that is there, and as the client says', () => {
  const ifMatch = (tag: string) => ({ ifMatch: tag, ifNoneMatch: undefined });
  assert.equal(expectName(1n, 'Dogs', undefined), 'Dogs');
  assert.equal(expectName(1n, 'Dogs', ifMatch(entityTag(categoryJson(1n, 'Dogs')))), 'Dogs');
  const other = expectName(1n, 'Dogs', ifMatch(entityTag(categoryJson(1n, 'Cats'))));
  assert.equal(typeof other === 'object' && other.refused, 'precondition_failed');
  const missing = { refused: 'not_found', message: 'No category has this id.' };
  assert.deepEqual(expectName(1n, undefined, ifMatch('"x"')), missing);
  const taken = 'Another category has this name, perhaps in another case.';
  assert.deepEqual(nameTaken(), { refused: 'conflict', message: taken });
});
