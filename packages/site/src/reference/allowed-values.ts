import { isObject, type Schema, textOf } from '../openapi/openapi-types.ts';

/** A value of an `enum`. */
export interface AllowedValue {
  readonly value: unknown;
  /** What programs call it: `x-enum-varnames`. */
  readonly name: string;
  /** In Markdown; empty for none. */
  readonly description: string;
}

/** By value, or in the order of the values. */
const DESCRIPTIONS = [
  'x-enumDescriptions',
  'x-enum-descriptions',
  'x-enumdescriptions',
  'x-mint-enum',
  'x-enum-description',
];

const NAMES = ['x-enum-varnames', 'x-enumNames', 'x-enum-names'];

/** The values of the first `enum`, with what extensions say of each. `null` is left out. */
export function allowedValues(parts: readonly Schema[]): readonly AllowedValue[] | undefined {
  const part = parts.find((one) => Array.isArray(one.enum));
  if (part === undefined || !Array.isArray(part.enum)) return undefined;
  const description = texts(part, DESCRIPTIONS);
  const name = texts(part, NAMES);
  return part.enum
    .map((value: unknown, at) => ({
      value,
      name: name(value, at),
      description: description(value, at),
    }))
    .filter(({ value }) => value !== null);
}

/** A choice between constants, each with a title or a description, is an `enum`. */
export function constantValues(options: readonly unknown[]): readonly AllowedValue[] | undefined {
  const isConstant = (one: unknown): one is Schema => isObject(one) && Object.hasOwn(one, 'const');
  if (options.length < 2 || !options.every(isConstant)) return undefined;
  return options.map((option) => ({
    value: option.const,
    name: textOf(option.title),
    description: textOf(option.description),
  }));
}

/** What the first of these fields says of a value. */
function texts(part: Schema, fields: readonly string[]): (value: unknown, at: number) => string {
  const found = fields.map((name) => (Object.hasOwn(part, name) ? part[name] : undefined));
  const given = found.find((one) => typeof one === 'object' && one !== null);
  if (Array.isArray(given)) return (_value, at) => textOf(given[at]);
  if (!isObject(given)) return () => '';
  return (value) => {
    const key = String(value);
    const text = Object.hasOwn(given, key) ? given[key] : undefined;
    return isObject(text) ? textOf(text.description) : textOf(text);
  };
}
