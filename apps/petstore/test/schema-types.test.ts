import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from '@petstore/service/schema-builders.ts';
import fc from 'fast-check';
import * as TypeBox from 'typebox';
import { Compile } from 'typebox/schema';
import { checkerOf, Int64, OneOf, PlainText, type ValueSchema } from '../src/schema-types.ts';

const text = { minLength: 1, maxLength: 4, description: 'A word.' };
const bounds = { minimum: 1, maximum: 100 };
const words = ['one', 'two'];

test('what is checked is what TypeBox checks, and an int64 has 64 bits', () => {
  const wellFormed = TypeBox.Refine(PlainText(text), (word) => word.isWellFormed());
  const cases: [TypeBox.TSchema, (value: unknown) => boolean][] = [
    [PlainText(text), checkedBy(wellFormed)],
    [Type.Integer(bounds), checkedBy(TypeBox.Integer(bounds))],
    [OneOf(words, { description: 'One of two.' }), checkedBy(TypeBox.Enum(words))],
    [
      Int64({ description: 'An id.' }),
      (value) => typeof value === 'bigint' && BigInt.asIntN(64, value) === value,
    ],
  ];
  for (const [schema, isAllowed] of cases) {
    const isValid = checkerOf(schema as ValueSchema);
    let valid = 0;
    const property = fc.property(anyValue, (value) => {
      assert.equal(isValid(value), isAllowed(value));
      if (isValid(value)) valid++;
    });
    fc.assert(property, { numRuns: 5_000 });
    assert.ok(valid > 100, `only ${valid} values were valid`);
  }
});

test('what is built is what TypeBox builds', () => {
  const built = (builders: typeof Type | typeof TypeBox) =>
    builders.Object(
      {
        name: builders.String(text),
        age: builders.Optional(builders.Integer(bounds)),
        words: builders.Optional(builders.Array(builders.String(), { maxItems: 3 })),
        nothing: builders.Object({ any: builders.Optional(builders.String()) }),
      },
      { description: 'A thing.' },
    );
  assert.equal(JSON.stringify(built(Type)), JSON.stringify(built(TypeBox)));
  const others = [
    [Type.Boolean({ description: 'Whether.' }), TypeBox.Boolean({ description: 'Whether.' })],
    [Type.Union([Type.String(), Type.Null()]), TypeBox.Union([TypeBox.String(), TypeBox.Null()])],
    [Type.Enum(['a', 'b'], { type: 'string' }), TypeBox.Enum(['a', 'b'], { type: 'string' })],
    [Type.Record(Type.Unknown()), TypeBox.Record(TypeBox.String(), TypeBox.Unknown())],
    [Type.Ref('Pet'), TypeBox.Ref('Pet')],
  ];
  for (const [ours, theirs] of others) {
    assert.equal(JSON.stringify(ours), JSON.stringify(theirs));
  }
});

test('a schema that leaves a bound open is an error of whoever wrote it', () => {
  assert.throws(() => checkerOf({ type: 'integer', minimum: 1 }), /bounds/);
  assert.throws(() => checkerOf({ type: 'string', maxLength: 1 }), /bounds/);
});

function checkedBy(schema: TypeBox.TSchema): (value: unknown) => boolean {
  const compiled = Compile(schema);
  return (value) => compiled.Check(value);
}

/** Values about the bounds of all that is checked here, and any others. */
const anyValue = fc.oneof(
  fc.anything({ withBigInt: true }),
  fc.integer({ min: -2, max: 102 }),
  fc.double({ min: -2, max: 102 }),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
  fc.constantFrom(2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n), -(2n ** 63n) - 1n, 1, 100, -0),
  fc.constantFrom('one', 'two', 'One', 'toString'),
  // Of one unit and of two, halves of two, control characters, and one that combines.
  fc
    .array(fc.constantFrom('a', '犬', '🐕', '\ud83d', '\udc15', '\n', '\u0085', '\u0301'), {
      maxLength: 9,
    })
    .map((parts) => parts.join('')),
);
