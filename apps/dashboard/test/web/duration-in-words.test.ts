import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationInWords } from '../../web/src/ui/format.ts';

test('a duration is told exactly where its unit is not too small for that', () => {
  for (const [seconds, words] of [
    [0, '0 seconds'],
    [1, '1 second'],
    [119, '119 seconds'],
    [300, '5 minutes'],
    [3_599, '60 minutes'],
    [3_600, '1 hour'],
    [9_000, '150 minutes'],
    [86_400, '1 day'],
    [49 * 3_600, '49 hours'],
    [365 * 86_400, '365 days'],
  ] as const) {
    assert.equal(durationInWords(seconds), words);
  }
});
