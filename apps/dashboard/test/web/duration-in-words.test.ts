import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duration, durationInWords } from '../../web/src/ui/format.ts';

test('no duration has sixty seconds besides its minutes', () => {
  for (const [milliseconds, words] of [
    [-1, '0.0 s'],
    [9_949, '9.9 s'],
    [9_970, '10 s'],
    [59_499, '59 s'],
    [59_600, '1 min 0 s'],
    [119_600, '2 min 0 s'],
    [125_000, '2 min 5 s'],
  ] as const) {
    assert.equal(duration(milliseconds), words);
  }
});

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
