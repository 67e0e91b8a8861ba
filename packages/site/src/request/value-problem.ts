import { type JsonNode, plainText, writeJson } from './json-text.ts';
import type { SchemaData, SchemaType } from './operation-data.ts';

/** Longer texts are not held against a pattern, which could take long. */
const MAX_MATCHED = 200;

const MAX_NAMED = 5;

/**
 * What is wrong with a value by its schema, in a sentence; undefined where nothing is, as far as the schema's data says.
 * Members and items are left to fields of their own.
 */
export function ownProblem(schema: SchemaData, node: JsonNode): string | undefined {
  if (schema.nullable && isNull(node)) return undefined;
  const { type } = schema;
  if (type !== undefined && !isOfType(type, node)) {
    return `This is not ${/^[aio]/.test(type) ? 'an' : 'a'} ${type}.`;
  }
  return enumProblem(schema, node) ?? boundsProblem(schema, node) ?? patternProblem(schema, node);
}

/** As `ownProblem`, of a value and all that it contains: the first one, with its place. */
export function valueProblem(schema: SchemaData, node: JsonNode): string | undefined {
  const own = ownProblem(schema, node);
  if (own !== undefined || node.kind === 'literal') return own;
  if (node.kind === 'array') {
    const { items = {} } = schema;
    return first(node.items.entries(), ([at, item]) => within(`item ${at + 1}`, items, item));
  }
  const { properties = [] } = schema;
  return first(properties, ({ name, required, schema: member }) => {
    const value = node.members.get(name);
    if (value !== undefined) return within(name, member, value);
    return required ? `“${name}” is missing.` : undefined;
  });
}

/** Why a text is not JSON, in the browser's words; undefined where it is. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

function within(place: string, schema: SchemaData, node: JsonNode): string | undefined {
  const problem = valueProblem(schema, node);
  return problem && `${place}: ${problem}`;
}

function first<T>(all: Iterable<T>, problemOf: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const problem = problemOf(one);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const isNull = (node: JsonNode) => node.kind === 'literal' && node.text === 'null';

function isOfType(type: SchemaType, node: JsonNode): boolean {
  if (node.kind !== 'literal' || type === 'array' || type === 'object') return type === node.kind;
  const { text } = node;
  switch (type) {
    case 'string':
      return text.startsWith('"');
    case 'boolean':
      return text === 'true' || text === 'false';
    case 'null':
      return text === 'null';
    case 'integer':
      // JSON Schema 2020-12, “Numeric Values”: 1.0 and 1e3 are integers.
      return isNumber(text) && (isWhole(text) || Number.isInteger(Number(text)));
    case 'number':
      return isNumber(text);
  }
}

const isNumber = (text: string) => /^[-\d]/.test(text);
const isWhole = (text: string) => /^-?\d+$/.test(text);

function enumProblem({ type, enum: values }: SchemaData, node: JsonNode): string | undefined {
  if (values === undefined) return undefined;
  const text = type === 'string' ? plainText(node) : writeJson(node);
  const isAllowed = values.some(
    (value) => value === text || (isNumber(value) && isNumber(text) && order(value, text) === 0),
  );
  if (isAllowed) return undefined;
  const more = values.length > MAX_NAMED ? ', …' : '.';
  return `This is none of the allowed values: ${values.slice(0, MAX_NAMED).join(', ')}${more}`;
}

function boundsProblem({ min, max, above, below }: SchemaData, node: JsonNode): string | undefined {
  const { size, least, most } = measured(node);
  if (size === undefined) return undefined;
  if (min !== undefined && order(size, min) < 0) return least(min);
  if (max !== undefined && order(size, max) > 0) return most(max);
  if (above !== undefined && order(size, above) <= 0) return `It has to be more than ${above}.`;
  return below !== undefined && order(size, below) >= 0
    ? `It has to be less than ${below}.`
    : undefined;
}

interface Measured {
  /** A number; undefined for what has no bounds. */
  readonly size: string | undefined;
  readonly least: (bound: string) => string;
  readonly most: (bound: string) => string;
}

function measured(node: JsonNode): Measured {
  if (node.kind === 'array') return counted(node.items.length, 'item');
  if (node.kind === 'literal' && node.text.startsWith('"'))
    return counted([...plainText(node)].length, 'character');
  return {
    size: node.kind === 'literal' && isNumber(node.text) ? node.text : undefined,
    least: (bound) => `The minimum is ${bound}.`,
    most: (bound) => `The maximum is ${bound}.`,
  };
}

function counted(count: number, noun: string): Measured {
  const units = (bound: string) => `${bound} ${noun}${bound === '1' ? '' : 's'}`;
  return {
    size: String(count),
    least: (bound) => `At least ${units(bound)}: there ${count === 1 ? 'is' : 'are'} ${count}.`,
    most: (bound) => `At most ${units(bound)}: there are ${count}.`,
  };
}

/** Below 0 where the first number is less. Integers of any length are compared digit by digit. */
function order(one: string, other: string): number {
  if (isWhole(one) && isWhole(other)) {
    const difference = BigInt(one) - BigInt(other);
    return difference < 0n ? -1 : Number(difference > 0n);
  }
  return Number(one) - Number(other);
}

function patternProblem({ pattern }: SchemaData, node: JsonNode): string | undefined {
  if (pattern === undefined || node.kind !== 'literal' || !node.text.startsWith('"'))
    return undefined;
  const text = plainText(node);
  if (text.length > MAX_MATCHED || new RegExp(pattern, 'u').test(text)) return undefined;
  return `This does not match the pattern ${pattern}`;
}
