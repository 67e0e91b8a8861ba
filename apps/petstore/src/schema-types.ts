import { Type } from '@petstore/service/schema-builders.ts';
import type { Static, TSchema } from 'typebox';
import { INT64_MAX, INT64_MIN } from './int64.ts';

/**
 * Refuses C0 and C1 control characters. Written without \p{…}, which not every language's regular expressions support:
 * SDK generators copy the pattern into other languages.
 */
const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u001F\\u007F-\\u009F]*$';

/**
 * A 64-bit signed integer. The document calls it `integer` with format `int64` and its exact
 * bounds; in the process it is a bigint, since a JS number loses digits beyond 2^53.
 */
export function Int64(options: { description: string; examples?: bigint[] }) {
  return Type.Unsafe<bigint>({
    type: 'integer',
    format: 'int64',
    minimum: INT64_MIN,
    maximum: INT64_MAX,
    ...options,
  });
}

/**
 * Text of bounded length, counted in Unicode code points, that every database stores as it is: no
 * control characters, no lone surrogates (which UTF-8 cannot carry).
 */
export function PlainText(options: {
  minLength: number;
  maxLength: number;
  description: string;
  examples?: string[];
}) {
  return Type.String({ pattern: NO_CONTROL_CHARACTERS, ...options });
}

/** One of a fixed set of words. */
export function OneOf<const T extends string>(
  values: readonly T[],
  options: { description: string },
) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });
}

/** A schema that the document lists by name among its components. */
export type Named<T extends TSchema = TSchema> = T & { readonly $id: string };

export function named<T extends TSchema>($id: string, schema: T): Named<T> {
  return Object.assign(schema, { $id });
}

/** A reference to a named schema, so that the document says `$ref` and does not repeat it. */
export function Ref<T extends Named>({ $id }: T) {
  return Type.Unsafe<Static<T>>({ $ref: $id });
}

/** The same with a description of its own, which not every reader allows beside a plain `$ref`. */
export function RefWith<T extends Named>(
  schema: T,
  options: { description: string; default?: Static<T> },
) {
  return Type.Unsafe<Static<T>>({ allOf: [Ref(schema)], ...options });
}

/** A schema as the validator and the error messages read it. */
export interface ValueSchema {
  $ref?: string;
  allOf?: readonly ValueSchema[];
  type?: string;
  format?: string;
  minimum?: number | bigint;
  maximum?: number | bigint;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  enum?: readonly unknown[];
  items?: ValueSchema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, ValueSchema>;
  required?: readonly string[];
}

/** What a value must be, as the end of a sentence: "an integer from 1 to 100". */
export function expectation(schema: ValueSchema): string {
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  if (schema.type === 'array') {
    const { minItems = 0, maxItems, items = {} } = schema;
    const count = minItems > 0 ? `${minItems} to ${maxItems}` : `at most ${maxItems}`;
    return `a list of ${count}, each ${expectation(items)}`;
  }
  if (schema.type === 'object') return 'a JSON object';
  if (schema.type === 'integer') return `an integer from ${schema.minimum} to ${schema.maximum}`;
  return `a string of ${schema.minLength} to ${schema.maxLength} characters, none of them a control character or a lone surrogate`;
}

/**
 * Whether a value meets `expectation`, in the form in which the process holds it: an int64 is a bigint. Throws Error
 * for a schema without both bounds.
 */
export function checkerOf(schema: ValueSchema): (value: unknown) => boolean {
  const { enum: words, type, format } = schema;
  if (words) return (value) => words.includes(value);
  if (type === 'array') {
    const { items, minItems = 0, maxItems } = schema;
    if (!items || maxItems === undefined)
      throw new Error('a list needs a bound, and what is in it');
    const isItem = checkerOf(items);
    return (value) =>
      Array.isArray(value) &&
      value.length >= minItems &&
      value.length <= maxItems &&
      value.every(isItem);
  }
  if (type === 'object') return isObject;
  if (type === 'integer') {
    const { minimum, maximum } = schema;
    if (minimum === undefined || maximum === undefined) throw new Error('an integer needs bounds');
    const isInteger = format === 'int64' ? isBigInt : Number.isInteger;
    return (value) =>
      isInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
  }
  const { minLength, maxLength, pattern = '' } = schema;
  if (minLength === undefined || maxLength === undefined) throw new Error('a text needs bounds');
  const expression = new RegExp(pattern, 'u');
  return (value) =>
    typeof value === 'string' &&
    hasLength(value, minLength, maxLength) &&
    expression.test(value) &&
    value.isWellFormed();
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isBigInt(value: unknown): boolean {
  return typeof value === 'bigint';
}

/** In code points, each of which has one or two of the code units that `length` counts: most texts need no counting. */
function hasLength(text: string, least: number, most: number): boolean {
  const units = text.length;
  if (units >= 2 * least && units <= most) return true;
  if (units < least || units > 2 * most) return false;
  const codePoints = [...text].length;
  return codePoints >= least && codePoints <= most;
}
