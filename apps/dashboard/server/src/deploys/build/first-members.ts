import { isObject } from '@petstore/reference/operations.ts';

/** More members of a schema, or parts of it, than anything shows of one. */
export const MOST_MEMBERS = 200;

interface Member {
  readonly name: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
}

const known = new WeakMap<object, readonly Member[]>();

/**
 * The first members of an object's schema, in their order. Thousands of operations may show the same schema of very
 * many: all of them are gone through once.
 */
export function firstMembers(schema: Record<string, unknown>): readonly Member[] {
  const found = known.get(schema) ?? readMembers(schema);
  known.set(schema, found);
  return found;
}

function readMembers({ properties, required }: Record<string, unknown>): Member[] {
  if (!isObject(properties)) return [];
  const names = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties)
    .slice(0, MOST_MEMBERS)
    .map(([name, schema]) => ({ name, schema, isRequired: names.has(name) }));
}
