import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CheckedDocument } from '../../src/openapi/openapi-types.ts';
import { referenceContext } from '../../src/reference/reference-site.ts';

function warnings(give: (warn: (message: string, place: string) => void) => void): string[] {
  const lines: string[] = [];
  const document = { openapi: '3.1.0' };
  const checked: CheckedDocument = { syntax: 'JSON', document, upgraded: document, operations: [] };
  const options = { overview: '/', images: new Set<string>() };
  const { warn } = referenceContext(checked, options, ({ message }) => lines.push(message));
  give(warn);
  return lines;
}

test('of warnings of one kind the first are listed, each with its place, and it is said that there are more', () => {
  const lines = warnings((warn) => {
    for (let at = 0; at < 40; at += 1) {
      warn(`The example “e${at}” is longer than ${at} letters.`, `/paths/${at}`);
      warn(`The example “e${at}” is longer than ${at} letters.`, `/paths/${at}`);
    }
    warn('The page leaves out 3 parameters.', '/paths/last');
  });
  assert.deepEqual(lines, [
    ...[0, 1, 2, 3, 4].map(
      (at) => `/paths/${at}: The example “e${at}” is longer than ${at} letters.`,
    ),
    '/paths/5: The example “e5” is longer than 5 letters. More warnings of this kind are not listed.',
    '/paths/last: The page leaves out 3 parameters.',
  ]);
});

test('a log has at most fifty warnings of pages, and says that there are more', () => {
  const lines = warnings((warn) => {
    for (let at = 0; at < 80; at += 1) warn('a'.repeat(at + 1), '/place');
  });
  assert.equal(lines.length, 51);
  assert.equal(lines.at(-1), 'And more warnings, which are not listed.');
});
