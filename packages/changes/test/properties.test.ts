import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Change } from '../src/change.ts';
import type { Verdict } from '../src/rules.ts';
import { compare, giving, taking, verdicts } from './compare.ts';

type Schema = { [name: string]: unknown };

const NAMES = ['a', 'b', 'c', 'd'];

/** Schemas of every kind, of which one is never part of another one's meaning by chance. */
const { schema } = fc.letrec<{ schema: Schema; leaf: Schema }>((tie) => ({
  leaf: fc.oneof(
    fc.record({ type: fc.constant('string') }),
    fc.record({ type: fc.constant('integer'), minimum: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ type: fc.constant('boolean') }),
    fc.record({ type: fc.constantFrom(['string', 'null'], ['number', 'null']) }),
    fc.record({
      type: fc.constant('string'),
      enum: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1 }),
    }),
    fc.record({
      type: fc.constant('string'),
      format: fc.constantFrom('date', 'uuid'),
      maxLength: fc.nat(99),
    }),
  ) as fc.Arbitrary<Schema>,
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc
      .record({
        properties: fc.dictionary(fc.constantFrom(...NAMES), tie('schema'), { maxKeys: 3 }),
        isClosed: fc.boolean(),
        required: fc.uniqueArray(fc.constantFrom(...NAMES)),
      })
      .map(({ properties, isClosed, required }) => ({
        type: 'object',
        properties,
        ...(isClosed && { additionalProperties: false }),
        required: required.filter((name) => Object.hasOwn(properties, name)),
      })),
    fc.record({
      type: fc.constant('array'),
      items: tie('schema'),
      minItems: fc.integer({ min: 1, max: 9 }),
    }),
    fc
      .array(tie('schema'), { minLength: 2, maxLength: 3 })
      // A property with one value tells them apart.
      .map((variants) => ({
        oneOf: variants.map((one, at) => ({
          type: 'object',
          required: ['kind', `of${at}`],
          properties: { kind: { const: `k${at}` }, [`of${at}`]: one },
        })),
      })),
  ),
}));

/** Numbers drawn beforehand, one after the other. */
type Tape = (below: number) => number;

const tape = fc.infiniteStream(fc.nat(1_000_000)).map(
  (stream): Tape =>
    (below) => {
      const { value } = stream.next();
      return (value ?? 0) % below;
    },
);

function shuffled<T>(list: readonly T[], draw: Tape): T[] {
  const left = [...list];
  return list.map(() => left.splice(draw(left.length), 1)[0] as T);
}

/** The same meaning, written otherwise: in another order, by other names, in shared models, in `allOf`. */
function rewritten(schema: Schema, draw: Tape, models: { [name: string]: Schema }): Schema {
  const deep = (value: unknown): unknown => rewritten(value as Schema, draw, models);
  const entries = Object.entries(schema).map(([name, value]): [string, unknown] => {
    if (name === 'properties')
      return [
        name,
        Object.fromEntries(
          shuffled(Object.entries(value as object), draw).map(([key, one]) => [key, deep(one)]),
        ),
      ];
    if (name === 'items') return [name, deep(value)];
    if (name === 'oneOf') return [name, shuffled((value as Schema[]).map(deep), draw)];
    if (name === 'required' || name === 'enum') return [name, shuffled(value as unknown[], draw)];
    if (name === 'const') return draw(2) === 0 ? ['enum', [value]] : [name, value];
    if (name === 'type' && typeof value === 'string')
      return [name, draw(2) === 0 ? [value] : value];
    return [name, value];
  });
  const made = Object.fromEntries(shuffled(entries, draw));
  switch (draw(6)) {
    case 0:
      return { allOf: [made] };
    case 1:
      return { oneOf: [made] };
    case 2: {
      const name = `M${draw(1_000_000)}x${Object.keys(models).length}`;
      models[name] = made;
      return { $ref: `#/components/schemas/${name}` };
    }
    case 3: {
      // An `allOf` whose parts say one thing each. What is closed must stay with its properties.
      const { required, ...rest } = made;
      return required === undefined ? made : { allOf: [{ required }, rest] };
    }
    default:
      return made;
  }
}

/** A schema on its own, and written otherwise. */
const both = (schema: Schema, draw: Tape, wrap: typeof taking) => {
  const models = {};
  const other = rewritten(schema, draw, models);
  return [wrap(schema), wrap(other, { components: { schemas: models } })] as const;
};

test('schemas of equal meaning are no change, however they are written', () => {
  fc.assert(
    fc.property(schema, tape, fc.constantFrom(taking, giving), (one, draw, wrap) => {
      const [plain, other] = both(one, draw, wrap);
      assert.deepEqual(verdicts(compare(plain, other)), []);
      assert.deepEqual(verdicts(compare(other, plain)), []);
    }),
    { numRuns: 300 },
  );
});

interface Edit {
  readonly old: Schema;
  readonly now: Schema;
  readonly isRequired?: readonly [old: boolean, now: boolean];
  readonly request: Verdict;
  readonly response: Verdict;
  /** The same of the way back. */
  readonly back: { readonly request: Verdict; readonly response: Verdict };
}

const text = { type: 'string' };
const narrows = {
  request: 'breaking',
  response: 'compatible',
  back: { request: 'compatible', response: 'breaking' },
} as const;
const values = {
  request: 'compatible',
  response: 'risky',
  back: { request: 'breaking', response: 'compatible' },
} as const;
const differs = {
  request: 'breaking',
  response: 'breaking',
  back: { request: 'breaking', response: 'breaking' },
} as const;

/** Changes of a property whose meaning is known. */
const EDITS: readonly Edit[] = [
  { old: text, now: { type: 'boolean' }, ...differs },
  { old: text, now: { type: 'object' }, ...differs },
  { old: { type: 'number' }, now: { type: 'integer' }, ...narrows },
  { old: { type: ['string', 'null'] }, now: text, ...narrows },
  { old: { type: 'string', maxLength: 9 }, now: { type: 'string', maxLength: 8 }, ...narrows },
  { old: { type: 'array' }, now: { type: 'array', minItems: 2 }, ...narrows },
  {
    old: { type: 'integer', maximum: 5 },
    now: { type: 'integer', exclusiveMaximum: 5 },
    ...narrows,
  },
  {
    old: { type: 'array', items: text },
    now: { type: 'array', items: text, uniqueItems: true },
    ...narrows,
  },
  {
    old: { type: 'integer', format: 'int64' },
    now: { type: 'integer', format: 'int32' },
    ...narrows,
  },
  { old: { oneOf: [text, { type: 'boolean' }] }, now: text, ...narrows },
  { old: text, now: { type: 'string', not: { const: 'a' } }, ...narrows },
  { old: text, now: text, isRequired: [false, true], ...narrows },
  { old: { enum: ['v'] }, now: { enum: ['v', 'w'] }, ...values },
  { old: { type: 'string', format: 'date' }, now: { type: 'string', format: 'uuid' }, ...differs },
  {
    old: { type: 'string', default: 'v' },
    now: { type: 'string', default: 'w' },
    request: 'risky',
    response: 'risky',
    back: { request: 'risky', response: 'risky' },
  },
];

/** All objects in a schema, each with a way to put a property into it. */
function objectsIn(schema: unknown): Schema[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = (schema as Schema).type === 'object' ? [schema as Schema] : [];
  return [...own, ...Object.values(schema).flatMap(objectsIn)];
}

function edited(schema: Schema, at: number, property: Schema, isRequired: boolean): Schema {
  const copy = structuredClone({ type: 'object', properties: { root: schema } });
  const all = objectsIn(copy);
  const object = all[at % all.length] as { properties?: Schema; required?: string[] };
  object.properties = { ...object.properties, edited: property };
  if (isRequired) object.required = [...(object.required ?? []), 'edited'];
  return copy;
}

const judged = (changes: readonly Change[]) =>
  changes.filter(({ verdict }) => verdict !== 'documentation');

test('one change anywhere is found as what it is, and its reverse as the mirror of it', () => {
  fc.assert(
    fc.property(
      schema,
      fc.nat(),
      fc.constantFrom(...EDITS),
      tape,
      fc.constantFrom('request', 'response'),
      (base, at, edit, draw, direction) => {
        const [was, is] = edit.isRequired ?? [false, false];
        const wrap = direction === 'request' ? taking : giving;
        const old = wrap(edited(base, at, edit.old, was));
        const [, now] = both(edited(base, at, edit.now, is), draw, wrap);
        const [forth, ...more] = judged(compare(old, now));
        assert.deepEqual(more, []);
        assert.equal(forth?.verdict, edit[direction as 'request']);
        assert.match(forth?.message ?? '', /edited/);
        const [back, ...others] = judged(compare(now, old));
        assert.deepEqual(others, []);
        assert.equal(back?.verdict, edit.back[direction as 'request']);
      },
    ),
    { numRuns: 500 },
  );
});

test('any two schemas are compared, each side as the reverse of the other', () => {
  /** What is found forth is found back, with sides exchanged. */
  const places = (changes: readonly Change[], isBack: boolean) =>
    judged(changes)
      .filter(({ code }) => /type-|null-|enum-value|limit-|format-(?!added|removed)/.test(code))
      .map(({ old, new: now }) => [old?.pointer, now?.pointer])
      .map(([one, other]) => (isBack ? `${other} ${one}` : `${one} ${other}`))
      .sort();
  fc.assert(
    fc.property(schema, schema, (one, other) => {
      const [old, now] = [giving(one), giving(other)];
      assert.deepEqual(places(compare(old, now), false), places(compare(now, old), true));
    }),
    { numRuns: 300 },
  );
});
