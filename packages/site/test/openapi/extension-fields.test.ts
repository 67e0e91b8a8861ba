import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ignoredFields, markNotes, readMarks } from '../../src/openapi/extension-fields.ts';

test('each stability and the last day are read, and the day is said in words', () => {
  for (const stability of ['experimental', 'alpha', 'beta']) {
    assert.equal(readMarks({ 'x-stability': stability }).stability, stability);
  }
  for (const value of ['2030-12-05', '2030-12-05T00:00:00Z', '2030-12-05 10:00']) {
    const marks = readMarks({ 'x-deprecated-sunset': value });
    assert.deepEqual(markNotes(marks), ['**To be removed on 5 December 2030.**'], value);
  }
});

test('what is no day of the calendar is no last day', () => {
  for (const value of ['2030-02-30', 'soon', '05/12/2030', '2030-12-05x', '', 2030, null]) {
    assert.equal(readMarks({ 'x-deprecated-sunset': value }).sunset, undefined, String(value));
  }
});

test('values that mean nothing are ignored, and can be told', () => {
  const operation = {
    'x-stability': 'stable',
    'x-deprecated-sunset': 'soon',
    'x-hideTryItPanel': 'yes',
  };
  assert.deepEqual(readMarks(operation), { hidesTryItPanel: false });
  assert.deepEqual(
    ignoredFields(operation).map(({ field }) => field),
    ['x-stability', 'x-deprecated-sunset', 'x-hideTryItPanel'],
  );
  assert.deepEqual(ignoredFields({ 'x-stability': 'beta', 'x-hideTryItPanel': false }), []);
});
