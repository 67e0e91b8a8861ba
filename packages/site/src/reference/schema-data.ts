import { prefix } from '@petstore/service/text.ts';
import { isObject, type OpenApiDocument, textOf } from '../openapi/openapi-types.ts';
import { modelName, resolveReference } from '../openapi/references.ts';
import type { PropertyData, SchemaData, SchemaType } from '../request/operation-data.ts';
import { toJson } from '../syntax/exact-text.ts';
import { safePattern } from './examples/safe-pattern.ts';

/** Deeper values, and those after so many, are entered as JSON. */
const MAX_DEPTH = 4;
const MAX_NODES = 200;

/** Of allowed values, and of the letters of all of them: more are entered as any other value. */
const MAX_ENUM = 200;
const MAX_ENUM_LETTERS = 10_000;

const MAX_CHOICES = 10;
const MAX_TEXT = 200;

const TYPES: readonly unknown[] = [
  'string',
  'integer',
  'number',
  'boolean',
  'object',
  'array',
  'null',
] satisfies SchemaType[];

const known = new WeakMap<object, SchemaData>();

/** A schema as far as a form needs it, within bounds. Many operations share one, so it is made once. */
export function schemaData(document: OpenApiDocument, schema: unknown): SchemaData {
  const found = resolveReference(document, schema);
  if (!isObject(found)) return {};
  const data = known.get(found) ?? reader(document)(found, 0);
  known.set(found, data);
  return data;
}

/** A value as a reader would enter it: a string as it is, anything else as JSON. */
export function enteredText(schema: SchemaData | undefined, value: unknown): string {
  return typeof value === 'string' && (schema === undefined || schema.type === 'string')
    ? value
    : toJson(value, 0).trim();
}

function reader(document: OpenApiDocument) {
  let left = MAX_NODES;
  const read = (given: unknown, depth: number): SchemaData => {
    const schema = resolveReference(document, given);
    left -= 1;
    if (!isObject(schema) || depth > MAX_DEPTH || left < 0) return {};
    const parts = [schema, ...allOf(document, schema)];
    const { type, isNullable } = typeOf(parts);
    const own: SchemaData = {
      ...(type && { type }),
      ...(isNullable && { nullable: true }),
      ...texts(parts),
    };
    const values = enumOf(parts);
    const isText = type === 'string' || (!type && values?.every((one) => typeof one === 'string'));
    const shape: SchemaData = isText ? { ...own, type: 'string' } : own;
    const fallback = firstOf(parts, 'default');
    const offered = values && values.length <= MAX_ENUM ? offeredTexts(shape, values) : undefined;
    return {
      ...shape,
      ...(offered && { enum: offered }),
      ...(isSmall(fallback) && { default: enteredText(shape, fallback) }),
      ...boundsOf(shape.type, parts),
      ...membersOf(parts, type, depth),
    };
  };

  const membersOf = (
    parts: readonly Record<string, unknown>[],
    type: SchemaType | undefined,
    depth: number,
  ): Partial<SchemaData> => {
    if (type === 'array') {
      const items = firstOf(parts, 'items');
      return items === undefined ? {} : { items: read(items, depth + 1) };
    }
    if (type === 'object') {
      const properties = propertiesOf(parts, depth);
      const additional = firstOf(parts, 'additionalProperties');
      // Where nothing is said, anything may stand there, but nobody expects a form to ask for it. What there was no room
      // for can be added by its name.
      const takesMore = isObject(additional) || additional === true || properties.length === 0;
      const isCut = left < 0;
      return {
        ...(properties.length > 0 && { properties }),
        ...(isCut
          ? { additional: {} }
          : takesMore && additional !== false && { additional: read(additional, depth + 1) }),
        ...choicesOf(parts, depth),
      };
    }
    return type === undefined ? choicesOf(parts, depth) : {};
  };

  const propertiesOf = (parts: readonly Record<string, unknown>[], depth: number) => {
    const required = new Set(parts.flatMap((part) => listOf(part.required)));
    const byName = new Map<string, PropertyData>();
    for (const { properties } of parts) {
      for (const [name, value] of Object.entries(isObject(properties) ? properties : {})) {
        const member = resolveReference(document, value);
        if (left < 0 || (isObject(member) && member.readOnly === true)) continue;
        byName.set(name, {
          name,
          ...(required.has(name) && { required: true }),
          schema: read(value, depth + 1),
        });
      }
    }
    return [...byName.values()];
  };

  const choicesOf = (parts: readonly Record<string, unknown>[], depth: number) => {
    const all = listOf(firstOf(parts, 'oneOf') ?? firstOf(parts, 'anyOf')).slice(0, MAX_CHOICES);
    const choices = all
      .map((one) => titled(one, read(one, depth + 1)))
      .filter(({ type }) => type !== 'null');
    const isNullable = choices.length < all.length;
    const [only] = choices;
    if (only !== undefined && choices.length === 1)
      return { ...only, ...(isNullable && { nullable: true }) };
    return choices.length > 0 ? { choices, ...(isNullable && { nullable: true }) } : {};
  };

  return read;
}

/** The parts of `allOf`, and theirs, within bounds. */
function allOf(
  document: OpenApiDocument,
  schema: Record<string, unknown>,
  depth = 0,
): Record<string, unknown>[] {
  if (depth > MAX_DEPTH) return [];
  return listOf(schema.allOf)
    .slice(0, MAX_CHOICES)
    .map((part) => resolveReference(document, part))
    .filter(isObject)
    .flatMap((part) => [part, ...allOf(document, part, depth + 1)]);
}

function typeOf(parts: readonly Record<string, unknown>[]) {
  const given = [firstOf(parts, 'type')].flat();
  const types = given.filter((one) => TYPES.includes(one) && one !== 'null') as SchemaType[];
  const isNullable = given.includes('null') && types.length > 0;
  const guessed =
    firstOf(parts, 'properties') !== undefined
      ? 'object'
      : firstOf(parts, 'items') !== undefined
        ? 'array'
        : undefined;
  const [type = given.includes('null') ? 'null' : guessed] = types;
  // A field takes one type; of a number or a text it takes the text.
  return { type: types.length > 1 ? undefined : type, isNullable } as const;
}

function texts(parts: readonly Record<string, unknown>[]): Partial<SchemaData> {
  const [title, format, media] = ['title', 'format', 'contentMediaType'].map((name) =>
    prefix(textOf(firstOf(parts, name)), MAX_TEXT),
  );
  // What is encoded is a text, whatever it contains.
  const isText = firstOf(parts, 'contentEncoding') !== undefined;
  return { ...(title && { title }), ...(format && { format }), ...(media && !isText && { media }) };
}

/** The keywords of bounds, by what they bound. */
const BOUNDS: Readonly<Partial<Record<SchemaType, Partial<Record<Bound, string>>>>> = {
  string: { min: 'minLength', max: 'maxLength' },
  array: { min: 'minItems', max: 'maxItems' },
  ...Object.fromEntries(
    ['integer', 'number'].map((type) => [
      type,
      { min: 'minimum', max: 'maximum', above: 'exclusiveMinimum', below: 'exclusiveMaximum' },
    ]),
  ),
};

type Bound = 'min' | 'max' | 'above' | 'below';

/** What a value may be besides its type, where it is cheap to tell. */
function boundsOf(
  type: SchemaType | undefined,
  parts: readonly Record<string, unknown>[],
): Partial<SchemaData> {
  const bounds = Object.entries((type && BOUNDS[type]) ?? {}).flatMap(([name, word]) => {
    const bound = firstOf(parts, word);
    const isNumber = typeof bound === 'number' || typeof bound === 'bigint';
    // Nothing has fewer than none.
    const isSaid = isNumber && !(/^min[LI]/.test(word) && Number(bound) === 0);
    return isSaid ? [[name, toJson(bound, 0).trim()]] : [];
  });
  const pattern = type === 'string' ? linearPattern(firstOf(parts, 'pattern')) : undefined;
  return { ...Object.fromEntries(bounds), ...(pattern !== undefined && { pattern }) };
}

/** A pattern that a browser can try at each key: with two repetitions of any length it is done at once. */
function linearPattern(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string' || safePattern(pattern) === undefined) return undefined;
  const repetitions = pattern.match(/\+|\{\d+,\d*\}/g) ?? [];
  if (repetitions.length > 2) return undefined;
  try {
    return new RegExp(pattern, 'u').source;
  } catch {
    return undefined;
  }
}

/** A choice has its model's name where it has no title. */
function titled(schema: unknown, data: SchemaData): SchemaData {
  if (data.title !== undefined || !isObject(schema)) return data;
  const name = modelName(schema.$ref) ?? modelName(listOf(schema.allOf).find(isObject)?.$ref);
  return name === undefined ? data : { title: name, ...data };
}

function enumOf(parts: readonly Record<string, unknown>[]): readonly unknown[] | undefined {
  const constant = firstOf(parts, 'const');
  if (constant !== undefined) return [constant];
  const values = firstOf(parts, 'enum');
  return Array.isArray(values) && values.length > 0
    ? values.filter((one) => one !== null)
    : undefined;
}

/** The allowed values as a reader would enter them; undefined where they are too long to choose from. */
function offeredTexts(
  shape: SchemaData,
  values: readonly unknown[],
): readonly string[] | undefined {
  const texts = values.map((one) => enteredText(shape, one));
  const letters = texts.reduce((sum, text) => sum + text.length, 0);
  return letters <= MAX_ENUM_LETTERS ? texts : undefined;
}

const isSmall = (value: unknown) =>
  value !== undefined && value !== null && toJson(value, 0).length <= MAX_TEXT;

const firstOf = (parts: readonly Record<string, unknown>[], name: string): unknown =>
  parts.find((part) => Object.hasOwn(part, name))?.[name];

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
