import { prefix } from '@petstore/service/text.ts';
import { isObject, type OpenApiDocument, textOf } from '../openapi/openapi-types.ts';
import { allowedValues } from '../reference/allowed-values.ts';
import { toJson } from '../syntax/exact-text.ts';
import { code, inline } from './markdown-text.ts';

const MAX_LEVELS = 5;

/** How many values of an enumeration are listed. */
const MAX_VALUES = 50;

/** In letters, of one value. */
const MAX_VALUE = 200;

/** The name of the component that a reference leads to; empty for none. */
export function refName(schema: unknown): string {
  const target = isObject(schema) ? textOf(schema.$ref) : '';
  return target.slice(target.lastIndexOf('/') + 1);
}

/** `string (date)`, `array of Pet`. */
export function typeText(document: OpenApiDocument, given: unknown, depth = 0): string {
  const name = refName(given);
  if (name) return code(name);
  if (!isObject(given)) return given === false ? 'nothing' : 'anything';
  const { type, format, items } = given;
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string');
  const written = types.map((one) => {
    if (one === 'array' && items !== undefined && depth < MAX_LEVELS) {
      return `array of ${typeText(document, items, depth + 1)}`;
    }
    return typeof format === 'string' && one !== 'null'
      ? `${one} (${inline(format)})`
      : inline(one);
  });
  if (written.length > 0) return written.join(' or ');
  if (Array.isArray(given.allOf) && given.allOf.length === 1 && !isObject(given.properties)) {
    return typeText(document, given.allOf[0], depth + 1);
  }
  if (isObject(given.properties) || Array.isArray(given.allOf)) return 'object';
  return Array.isArray(given.oneOf) || Array.isArray(given.anyOf) ? '' : 'anything';
}

const CONSTRAINTS = [
  ['minimum', 'at least'],
  ['maximum', 'at most'],
  ['exclusiveMinimum', 'more than'],
  ['exclusiveMaximum', 'less than'],
  ['multipleOf', 'a multiple of'],
  ['minLength', 'shortest length'],
  ['maxLength', 'longest length'],
  ['pattern', 'pattern'],
  ['minItems', 'fewest items'],
  ['maxItems', 'most items'],
  ['minProperties', 'fewest members'],
  ['maxProperties', 'most members'],
  ['contentMediaType', 'content'],
  ['contentEncoding', 'encoding'],
  ['default', 'default'],
  ['const', 'always'],
] as const;

const FLAGS = [
  ['uniqueItems', true, 'no item twice'],
  ['additionalProperties', false, 'no other members'],
  ['unevaluatedProperties', false, 'no other members'],
  ['readOnly', true, 'read-only'],
  ['writeOnly', true, 'write-only'],
  ['deprecated', true, 'deprecated'],
] as const;

const known = new WeakMap<object, readonly string[]>();

/** The other constraints of values, each in a few words. They are read once for all uses of a schema. */
export function constraints(
  document: OpenApiDocument,
  schema: Record<string, unknown>,
): readonly string[] {
  const found = known.get(schema) ?? readConstraints(document, schema);
  known.set(schema, found);
  return found;
}

function readConstraints(document: OpenApiDocument, schema: Record<string, unknown>): string[] {
  const values = enumText(schema);
  const example = exampleText(schema);
  return [
    ...(values ? [values] : []),
    ...CONSTRAINTS.filter(([name]) => schema[name] !== undefined).map(
      ([name, words]) => `${words} ${valueText(schema[name])}`,
    ),
    ...neededNames(schema),
    ...(isObject(schema.not) ? [`not ${typeText(document, schema.not)}`] : []),
    ...new Set(FLAGS.filter(([name, value]) => schema[name] === value).map(([, , words]) => words)),
    ...(example ? [`for example ${example}`] : []),
  ];
}

/** The members that a part of a schema requires of those that another part describes. */
function neededNames({ required, properties }: Record<string, unknown>): string[] {
  if (!Array.isArray(required)) return [];
  const names = required
    .slice(0, MAX_VALUES)
    .filter((name) => typeof name === 'string')
    .filter((name) => !isObject(properties) || !Object.hasOwn(properties, name));
  return names.length > 0 ? [`with ${names.map(code).join(', ')}`] : [];
}

/** The values, each with its name in programs and its meaning, where the document says them. */
function enumText(schema: Record<string, unknown>): string {
  const values = allowedValues([schema]) ?? [];
  if (values.length === 0) return '';
  const shown = values.slice(0, MAX_VALUES).map(({ value, name, description }) => {
    const about = [name, description]
      .filter(Boolean)
      .map((text) => prefix(inline(text), MAX_VALUE));
    return `${valueText(value)}${about.length > 0 ? ` (${about.join(': ')})` : ''}`;
  });
  const more = values.length - shown.length;
  return `one of ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The example of a simple value. */
function exampleText({ example, examples, default: usual }: Record<string, unknown>): string {
  const value = example ?? (Array.isArray(examples) ? examples[0] : undefined);
  const isSimple = value !== undefined && value !== null && typeof value !== 'object';
  return isSimple && value !== usual ? valueText(value) : '';
}

export function valueText(value: unknown): string {
  return code(
    prefix(typeof value === 'string' ? value : toJson(value, 0).trimEnd(), MAX_VALUE) || ' ',
  );
}
