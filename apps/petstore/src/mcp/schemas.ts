import type { Schema } from './operation-tool.ts';

/** A canonical decimal integer of at most 64 bits, give or take. */
const DECIMAL = /^(?:0|-?[1-9][0-9]{0,18})$/;

/** Deepest nesting of schemas that is followed: what lies below may be anything. */
const MAX_DEPTH = 12;

/** Resolves the references in a schema of a document: a tool's schema stands alone. */
export function resolved(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const resolve = (value: unknown, depth: number): unknown => {
    if (Array.isArray(value)) return value.map((item) => resolve(item, depth));
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, allOf, ...own } = value as Schema;
    if (depth > MAX_DEPTH) return {};
    const named = $ref ?? (Array.isArray(allOf) && allOf.length === 1 ? allOf[0]?.$ref : undefined);
    const base = typeof named === 'string' ? schemas[named.slice(named.lastIndexOf('/') + 1)] : {};
    const rest = allOf !== undefined && named === undefined ? { ...own, allOf } : own;
    return Object.fromEntries(
      Object.entries({ ...base, ...rest })
        .filter(([name]) => !name.startsWith('x-'))
        .map(([name, member]) => [name, resolve(member, depth + 1)]),
    );
  };
  return resolve(schema, 0) as Schema;
}

/**
 * The schema of an argument. 64-bit integers are asked for as text, as Protocol Buffers has them in JSON: most clients
 * are written in JavaScript, whose numbers lose digits beyond 2^53 before anything is sent. Numbers are accepted all the same.
 */
export function argumentSchema(schema: Schema): Schema {
  if (isInt64(schema)) {
    const { description = '', examples, default: preset } = schema;
    return {
      type: 'string',
      pattern: '^-?[0-9]{1,19}$',
      description: `${description} A 64-bit integer in decimal digits.`.trim(),
      ...(Array.isArray(examples) && { examples: examples.map(String) }),
      ...(preset !== undefined && { default: String(preset) }),
    };
  }
  const { properties, items, ...rest } = schema;
  return {
    ...rest,
    ...(items && { items: argumentSchema(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, argumentSchema(property)]),
      ),
    }),
  };
}

/** A value as the API takes it: where the schema has a 64-bit integer, digits in a text become a number. */
export function toApiValue(value: unknown, schema: Schema | undefined): unknown {
  if (!schema) return value;
  if (typeof value === 'string') {
    return isInt64(schema) && DECIMAL.test(value) ? JSON.rawJSON(value) : value;
  }
  if (Array.isArray(value)) return value.map((item) => toApiValue(item, schema.items));
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      toApiValue(member, schema.properties?.[name]),
    ]),
  );
}

function isInt64({ type, format }: Schema): boolean {
  return type === 'integer' && format === 'int64';
}
