import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstSentence } from '../../src/reference/first-sentence.ts';

const CASES: readonly (readonly [text: string, most: number, first: string])[] = [
  ['One. Two.', 80, 'One.'],
  ['No stop at all', 80, 'No stop at all'],
  ['Really? Yes.', 80, 'Really?'],
  ['Version 1.2 is out. And more.', 80, 'Version 1.2 is out.'],
  [
    'A share of a resource (e.g. a project) in time. And more.',
    80,
    'A share of a resource (e.g. a project) in time.',
  ],
  [
    'A budget (see below. It is long) of a task. More.',
    80,
    'A budget (see below. It is long) of a task.',
  ],
  ['Caller did not supply credentials or they are wrong.', 30, 'Caller did not supply…'],
  ['A list, ordered', 8, 'A list…'],
  ['Donaudampfschifffahrtsgesellschaft', 10, 'Donaudamp…'],
  ['', 10, ''],
];

for (const [text, most, first] of CASES) {
  test(`the first sentence of “${text}” in ${most} letters`, () => {
    assert.equal(firstSentence(text, most), first);
  });
}
