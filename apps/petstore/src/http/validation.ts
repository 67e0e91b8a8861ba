import { ApiError } from '@petstore/http/errors.ts';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { parseInt64 } from '../int64.ts';
import { checkerOf, expectation, type ValueSchema } from '../schema-types.ts';

type Validation = { value: unknown } | { error: ApiError };

/** Returns what was read of an input, or the ApiError that lists everything wrong with it. */
export type Validator = (input: unknown) => Validation;

/** The validator of every request, in the form that Fastify wants. */
export function validatorCompiler(
  schemas: Record<string, TSchema>,
): FastifySchemaCompiler<TSchema> {
  return ({ schema, httpPart }) => {
    switch (httpPart) {
      case 'params':
        return pathReader(schema);
      case 'headers':
        // Headers are described for the document alone. The code that knows their meaning reads them.
        return () => true;
      default:
        return validator(schema, schemas, { isText: httpPart !== 'body' });
    }
  };
}

/**
 * Reads the integers of a path. Anything else stays text, without an error: such a path names nothing, so the route
 * does not find it.
 */
export function pathReader(
  schema: TSchema,
): (input: unknown) => { value: Record<string, unknown> } {
  const { properties = {} } = schema as ValueSchema;
  const readers = Object.entries(properties).map(
    ([name, rule]) => [name, rule.type === 'string' ? asItIs : readInteger(rule)] as const,
  );
  return (input) => {
    const value: Record<string, unknown> = {};
    for (const [name, read] of readers)
      value[name] = read((input as Record<string, unknown>)[name]);
    return { value };
  };
}

/**
 * Makes a validator out of the schema that also documents the request. Its error lists every field that is wrong and
 * what each must be; a member of a member as `name.prefix`. It drops members that the schema does not name.
 *
 * Bodies are taken as they are: `"5"` is not an integer, and `null` is not absent. Query and path
 * values arrive as text (`isText`), so integers are read from canonical decimal and nothing else.
 *
 * `schemas` are those that a body may reference by `$ref`.
 */
export function validator(
  schema: TSchema,
  schemas: Record<string, TSchema>,
  { isText }: { isText: boolean },
): Validator {
  const resolve = (schema: ValueSchema): ValueSchema => {
    if (schema.$ref !== undefined) return schemas[schema.$ref] as ValueSchema;
    // A reference with words of its own beside it: RefWith.
    const { allOf: [named] = [], ...own } = schema;
    if (named) return { ...resolve(named), ...own };
    return schema.items ? { ...schema, items: resolve(schema.items) } : schema;
  };

  const read = objectReader(resolve(schema), '', { resolve, isText });
  return (input: unknown) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      return { error: new ApiError('invalid_request', 'The body must be a JSON object.') };
    }
    const wrong: string[] = [];
    const value = read(input, wrong);
    if (wrong.length === 0) return { value };
    return { error: new ApiError('invalid_request', `${wrong.join('; ')}.`) };
  };
}

/** Reads the members that a schema names. For each invalid member it adds to `wrong` what the member must be. */
type ObjectReader = (input: object, wrong: string[]) => Record<string, unknown>;

/** `path`: the names that lead to the object, each with a dot behind it. */
function objectReader(
  { properties = {}, required = [] }: ValueSchema,
  path: string,
  how: { readonly resolve: (schema: ValueSchema) => ValueSchema; readonly isText: boolean },
): ObjectReader {
  const fields = Object.entries(properties).map(([name, property]) => {
    const rule = how.resolve(property);
    return {
      name,
      label: path + name,
      must: expectation(rule),
      isRequired: required.includes(name),
      read: rule.type === 'integer' ? integerReader(rule, how.isText) : undefined,
      isValid: checkerOf(rule),
      readMembers: rule.properties && objectReader(rule, `${path}${name}.`, how),
    };
  });

  return (input, wrong) => {
    const value: Record<string, unknown> = {};
    for (const { name, label, must, isRequired, read, isValid, readMembers } of fields) {
      const given = Object.hasOwn(input, name)
        ? (input as Record<string, unknown>)[name]
        : undefined;
      if (given === undefined) {
        if (isRequired) wrong.push(`${label} is required and must be ${must}`);
        continue;
      }
      if (how.isText && Array.isArray(given)) {
        wrong.push(`${label} must be given once`);
        continue;
      }
      value[name] = read ? read(given) : given;
      if (!isValid(value[name])) wrong.push(`${label} must be ${must}`);
      else if (readMembers) value[name] = readMembers(given as object, wrong);
    }
    return value;
  };
}

const asItIs = (given: unknown) => given;

/** A function that converts a value to the form in which the process holds it; undefined where none is needed. */
function integerReader(
  rule: ValueSchema,
  isText: boolean,
): ((given: unknown) => unknown) | undefined {
  if (isText) return readInteger(rule);
  // The reader of bodies makes each integer a bigint.
  if (rule.format === 'int64') return undefined;
  return (given) => (typeof given === 'bigint' ? Number(given) : given);
}

/** A reader of integers from text. Other text stays text, which no integer schema allows. */
function readInteger({ format }: ValueSchema): (given: unknown) => unknown {
  return (given) => {
    const integer = typeof given === 'string' ? parseInt64(given) : undefined;
    if (integer === undefined) return given;
    return format === 'int64' ? integer : Number(integer);
  };
}
