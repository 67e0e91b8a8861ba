import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '@petstore/service/user-error.ts';
import { readDuration, readPastTime, readTime } from '../../src/commands/time-options.ts';

test('a length of time is a whole number and a unit, up to ten years', () => {
  const hour = 3_600_000;
  const good = { '0s': 0, '90s': 90_000, '5m': 300_000, '12h': 12 * hour, '90d': 2_160 * hour };
  for (const [text, ms] of Object.entries(good)) assert.equal(readDuration('--x', text), ms);
  assert.equal(readDuration('--x', '3650d'), 87_600 * hour);
  for (const text of [
    '',
    '1',
    'd',
    '1y',
    '1.5h',
    '-1d',
    '1 d',
    '1D',
    '3651d',
    '9999999999s',
    '1d2h',
  ]) {
    assert.throws(() => readDuration('--x', text), UserError, text);
  }
});

test('a length of time out of bounds is told the bounds of its own option', () => {
  const bounds = { min: '60s', max: '30d' };
  assert.equal(readDuration('--x', '1m', bounds), 60_000);
  assert.equal(readDuration('--x', '30d', bounds), 2_592_000_000);
  for (const text of ['10', '59s', '31d']) {
    assert.throws(() => readDuration('--x', text, bounds), {
      message: `--x must be a whole number of s, m, h, d or w, such as 12h or 7d, from 60s to 30d; got "${text}".`,
    });
  }
});

test('a moment is an RFC 3339 time that the calendar has', () => {
  const good = {
    '2027-01-31T12:00:00Z': '2027-01-31T12:00:00.000Z',
    '2027-01-31T12:00:00.5+01:00': '2027-01-31T11:00:00.500Z',
    '2028-02-29T23:59:59-00:30': '2028-03-01T00:29:59.000Z',
  };
  for (const [text, iso] of Object.entries(good)) {
    assert.equal(readTime('--x', text).toISOString(), iso);
  }
  const bad = [
    ...[
      '',
      'soon',
      '2027-01-31',
      '2027-01-31T12:00:00',
      '2027-01-31 12:00:00Z',
      '2027-02-29T12:00:00Z',
    ],
    ...[
      '2027-13-01T12:00:00Z',
      '2027-00-01T12:00:00Z',
      '2027-01-31T24:00:00Z',
      '2027-01-31T12:60:00Z',
    ],
    ...['+02027-01-31T12:00:00Z', '2027-01-31T12:00:00+24:00', '2027-01-00T00:00:00Z', '1d'],
  ];
  for (const text of bad) assert.throws(() => readTime('--x', text), UserError, text);
});

test('the past is a moment, or how long ago it was', () => {
  const now = new Date('2027-01-31T12:00:00Z');
  assert.equal(readPastTime('--x', '7d', now).toISOString(), '2027-01-24T12:00:00.000Z');
  assert.equal(
    readPastTime('--x', '2027-01-01T00:00:00Z', now).toISOString(),
    '2027-01-01T00:00:00.000Z',
  );
  assert.equal(readPastTime('--x', '2027-01-01', now).toISOString(), '2027-01-01T00:00:00.000Z');
  assert.throws(() => readPastTime('--x', '2027-02-30', now), { name: 'UserError' });
  assert.throws(() => readPastTime('--x', 'yesterday', now), {
    message:
      '--x must be a whole number of s, m, h, d or w, such as 12h or 7d, up to 3650d, a day, such as 2027-01-31, or an RFC 3339 time, such as 2027-01-31T12:00:00Z; got "yesterday".',
  });
});
