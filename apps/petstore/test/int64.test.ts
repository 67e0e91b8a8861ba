import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { INT64_MAX, INT64_MIN, int64FromJsonNumber, parseInt64 } from '../src/int64.ts';

const int64s = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });

test('parseInt64 reads exactly what BigInt prints', () => {
  fc.assert(fc.property(int64s, (value) => assert.equal(parseInt64(`${value}`), value)));
  for (const text of [
    '',
    '-',
    '-0',
    '00',
    '+1',
    '1.0',
    '1e1',
    ' 1',
    '1_000',
    '0x1',
    '9223372036854775808',
  ]) {
    assert.equal(parseInt64(text), undefined, text);
  }
});

test('any spelling of an integer as a JSON number reads as that integer', () => {
  const shift = fc.integer({ min: -30, max: 30 });
  fc.assert(
    fc.property(int64s, shift, fc.nat(5), (value, places, zeros) => {
      const sign = value < 0n ? '-' : '';
      const digits = `${value < 0n ? -value : value}`.padStart(40, '0') + '0'.repeat(zeros + 40);
      const point = digits.length - 40 - zeros + places;
      const whole = digits.slice(0, point).replace(/^0+(?=.)/, '');
      const literal = `${sign}${whole}.${digits.slice(point)}e${-places}`;
      assert.equal(int64FromJsonNumber(literal), value, literal);
    }),
  );
});

test('a JSON number that is not an integer, or beyond int64, is not read as one', () => {
  const beyond = fc.oneof(
    fc.bigInt({ min: INT64_MAX + 1n, max: 10n ** 60n }),
    fc.bigInt({ min: -(10n ** 60n), max: INT64_MIN - 1n }),
  );
  fc.assert(
    fc.property(beyond, (value) => assert.equal(int64FromJsonNumber(`${value}`), undefined)),
  );
  for (const literal of [
    '0.5',
    '1e-1',
    '15e-1',
    '1e19',
    '-1e19',
    '1e999999999',
    '1e-999999999',
    '9223372036854775807.5',
  ]) {
    assert.equal(int64FromJsonNumber(literal), undefined, literal);
  }
});
