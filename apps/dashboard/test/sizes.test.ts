import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBytes, sizeAndLimit } from '@petstore/service/text.ts';
import { coverNothing } from '@petstore/test-support/program.ts';

coverNothing();

test('a size is rounded to a number below a thousand of its unit', () => {
  for (const [bytes, text] of [
    [1, '1 byte'],
    [999, '999 bytes'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [999_949_999, '999.9 MB'],
    [999_950_000, '1.0 GB'],
  ] as const)
    assert.equal(formatBytes(bytes), text);
});

test('a size and the limit that it is above never read the same', () => {
  assert.equal(sizeAndLimit(3_000, 2_000), '3 kB, more than the 2 kB');
  assert.equal(sizeAndLimit(2_001, 2_000), '2,001 bytes, more than the 2,000 bytes');
});
