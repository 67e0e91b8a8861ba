import { isObject } from '@petstore/reference/operations.ts';
import { prefix, truncate } from '@petstore/service/text.ts';
import { type OpenApiDocument, textOf } from '../openapi/openapi-types.ts';
import { resolveReference } from '../openapi/references.ts';
import { toJson } from '../syntax/exact-text.ts';
import { code, inline } from './markdown-text.ts';
import { firstMembers } from './schema-sample.ts';

const MAX_LINES = 120;

const MAX_LEVELS = 5;

/** How many schemas are visited for those lines: nested parts that show nothing can multiply. */
const MAX_LOOKS = 2_000;

/** The most letters of a member's description: most belong to schemas that many operations have. */
const MAX_DESCRIPTION = 500;

/** How many more letters the schemas and examples of an operation may have. */
export interface SizeBudget {
  left: number;
}

/**
 * A schema as a nested list of its members; a recursive schema is named and not repeated. It counts against `room`, and
 * ends with a note where that, or the limit of lines, is used up.
 */
export function schemaMarkdown(
  document: OpenApiDocument,
  schema: unknown,
  room: SizeBudget,
): string {
  const lines: string[] = [];
  let isFull = false;
  let looks = 0;
  const open = new Set<unknown>();
  const end = () => {
    isFull = true;
    lines.push('- … and more: see the OpenAPI document');
  };
  const add = (level: number, text: string) => {
    if (isFull) return;
    const line = `${'  '.repeat(level)}- ${text}`;
    if (lines.length === MAX_LINES || line.length > room.left) return end();
    room.left -= line.length;
    lines.push(line);
  };
  const describe = (level: number, label: string, given: unknown, notes: string) => {
    if (isFull) return;
    const found = resolveReference(document, given);
    const name = refName(given);
    const type = typeText(document, given);
    const text = isObject(found)
      ? truncate(inline(textOf(found.description)), MAX_DESCRIPTION)
      : '';
    const again = open.has(found) || level >= MAX_LEVELS;
    const facts = [type, notes, ...(isObject(found) ? constraints(found) : [])]
      .filter(Boolean)
      .join(', ');
    add(
      level,
      `${label}${label && facts ? ': ' : ''}${facts}${again && name ? ' (as above)' : ''}${text ? `. ${text}` : ''}`,
    );
    if (again || !isObject(found) || isFull) return;
    open.add(found);
    children(level + 1, found);
    open.delete(found);
  };
  const children = (level: number, found: Record<string, unknown>) => {
    for (const { name, schema, isRequired } of firstMembers(found)) {
      if (isFull) return;
      describe(level, code(name), schema, isRequired ? 'required' : '');
    }
    for (const part of Array.isArray(found.allOf) ? found.allOf : []) {
      if (isFull) return;
      looks += 1;
      if (looks > MAX_LOOKS) return end();
      const inner = resolveReference(document, part);
      if (!isObject(inner) || open.has(inner) || level > MAX_LEVELS) continue;
      open.add(inner);
      children(level, inner);
      open.delete(inner);
    }
    for (const [keyword, words] of CHOICES) {
      const choices = found[keyword];
      if (!Array.isArray(choices)) continue;
      add(level, words);
      for (const choice of choices) {
        if (isFull) return;
        describe(level + 1, '', choice, '');
      }
    }
    if (isObject(found.items)) {
      if (hasMembers(resolveReference(document, found.items)))
        describe(level, 'each item', found.items, '');
    }
    if (
      isObject(found.additionalProperties) &&
      Object.keys(found.additionalProperties).length > 0
    ) {
      describe(level, 'any other member', found.additionalProperties, '');
    }
  };
  describe(0, '', schema, '');
  return lines.join('\n');
}

const CHOICES = [
  ['oneOf', 'one of'],
  ['anyOf', 'any of'],
] as const;

function hasMembers(schema: unknown): boolean {
  return (
    isObject(schema) &&
    ['properties', 'allOf', 'oneOf', 'anyOf', 'items', 'additionalProperties'].some(
      (name) => name in schema,
    )
  );
}

/** The name of the component that a reference leads to. */
function refName(schema: unknown): string {
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
    return typeof format === 'string' && one !== 'null' ? `${one} (${inline(format)})` : one;
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
  ['minLength', 'shortest length'],
  ['maxLength', 'longest length'],
  ['pattern', 'pattern'],
  ['minItems', 'fewest items'],
  ['maxItems', 'most items'],
  ['default', 'default'],
  ['const', 'always'],
] as const;

/** The other constraints of values, each in a few words. */
export function constraints(schema: Record<string, unknown>): string[] {
  const values = Array.isArray(schema.enum) ? schema.enum.slice(0, 50).map(valueText) : [];
  return [
    ...(values.length > 0 ? [`one of ${values.join(', ')}`] : []),
    ...CONSTRAINTS.filter(([name]) => schema[name] !== undefined).map(
      ([name, words]) => `${words} ${valueText(schema[name])}`,
    ),
    ...(schema.readOnly === true ? ['read-only'] : []),
    ...(schema.writeOnly === true ? ['write-only'] : []),
    ...(schema.deprecated === true ? ['deprecated'] : []),
  ];
}

function valueText(value: unknown): string {
  return code(prefix(typeof value === 'string' ? value : toJson(value, 0).trimEnd(), 200));
}
