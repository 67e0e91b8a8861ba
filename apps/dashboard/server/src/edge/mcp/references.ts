import { isData, isNameMap } from '@petstore/site/openapi/keywords.ts';
import { isObject } from '@petstore/site/openapi/openapi-types.ts';

/** An object with a `$ref`: a Reference Object, or a schema that may say more. */
export type Reference = Readonly<Record<string, unknown>> & { readonly $ref: string };

/** A change of a part of an OpenAPI document. */
interface Rewriting {
  /** What stands in place of a reference. */
  readonly reference?: (reference: Reference) => unknown;
  /** Whether members that hold examples are left out. */
  readonly hasNoExamples?: boolean;
}

/** A changed copy of a part of an OpenAPI document. What looks like a reference in data, as in an example, stays. */
export function rewrite(
  value: unknown,
  { reference = (one) => one, hasNoExamples = false }: Rewriting,
): unknown {
  const copy = (part: unknown, isMap: boolean): unknown => {
    if (Array.isArray(part)) return part.map((item) => copy(item, false));
    if (!isObject(part)) return part;
    if (!isMap && isReference(part)) return reference(part);
    const members = Object.entries(part).flatMap(([name, member]): [string, unknown][] => {
      if (isMap) return [[name, copy(member, false)]];
      if (hasNoExamples && (name === 'example' || name === 'examples')) return [];
      if (name === 'examples') return [[name, exampleObjects(member)]];
      return [[name, isData(name) ? member : copy(member, isNameMap(name))]];
    });
    // Not by assignment: a member may be called `__proto__`.
    return Object.fromEntries(members);
  };
  /** Of Example Objects, each is data or a reference to one; a schema has a list of data. */
  const exampleObjects = (examples: unknown): unknown => {
    if (!isObject(examples)) return examples;
    const members = Object.entries(examples).map(([name, example]) => [
      name,
      isObject(example) && isReference(example) ? reference(example) : example,
    ]);
    return Object.fromEntries(members);
  };
  return copy(value, false);
}

/** All references in a part, each once. */
export function referencesIn(value: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  rewrite(value, { reference: ({ $ref }) => found.add($ref) });
  return found;
}

const isReference = (value: Record<string, unknown>): value is Reference =>
  Object.hasOwn(value, '$ref') && typeof value.$ref === 'string';
