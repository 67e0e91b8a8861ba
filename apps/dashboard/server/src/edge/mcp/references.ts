import { isData, isNameMap } from '@petstore/site/openapi/keywords.ts';
import { isObject } from '@petstore/site/openapi/openapi-types.ts';

/** An object with a `$ref`: a Reference Object, or a schema that may say more. */
export type Reference = Readonly<Record<string, unknown>> & { readonly $ref: string };

/** A change of a part of an OpenAPI document. */
interface Rewriting {
  /** What stands in place of a reference. */
  readonly reference?: (reference: Reference) => unknown;
  /** What stands in place of a schema's name, or of a reference to one, in the `mapping` of a discriminator. */
  readonly mapped?: (target: string) => string;
  /** Is told of each schema that has a discriminator, which chooses among others. */
  readonly choice?: (schema: Readonly<Record<string, unknown>>) => void;
  /** Whether members that hold examples are left out. */
  readonly hasNoExamples?: boolean;
}

/** A changed copy of a part of an OpenAPI document. What looks like a reference in data, as in an example, stays. */
export function rewrite(
  value: unknown,
  {
    reference = (one) => one,
    mapped = (target) => target,
    choice = () => {},
    hasNoExamples = false,
  }: Rewriting,
): unknown {
  const copy = (part: unknown, isMap: boolean): unknown => {
    if (Array.isArray(part)) return part.map((item) => copy(item, false));
    if (!isObject(part)) return part;
    if (!isMap && isReference(part)) return reference(part);
    if (!isMap && isObject(part.discriminator)) choice(part);
    const members = Object.entries(part).flatMap(([name, member]): [string, unknown][] => {
      if (isMap) return [[name, copy(member, false)]];
      if (hasNoExamples && (name === 'example' || name === 'examples')) return [];
      if (name === 'examples') return [[name, exampleObjects(member)]];
      if (name === 'discriminator') return [[name, discriminator(member)]];
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
  /** Of Swagger 2.0 it is the name of a property. */
  const discriminator = (member: unknown): unknown => {
    if (!isObject(member) || !isObject(member.mapping)) return member;
    const mapping = Object.entries(member.mapping).map(([value, target]) => [
      value,
      typeof target === 'string' ? mapped(target) : target,
    ]);
    return { ...member, mapping: Object.fromEntries(mapping) };
  };
  return copy(value, false);
}

/** What a part refers to. */
export interface References {
  /** All references, each once, and what `mapping`s name. */
  readonly all: ReadonlySet<string>;
  /** Those among which a discriminator chooses. */
  readonly choices: ReadonlySet<string>;
}

/** Finds the references in a part. `pointerOf` makes one of a name in a `mapping`. */
export function referencesIn(value: unknown, pointerOf: (target: string) => string): References {
  const all = new Set<string>();
  const choices = new Set<string>();
  rewrite(value, {
    reference: ({ $ref }) => all.add($ref),
    mapped: (target) => {
      choices.add(pointerOf(target));
      return target;
    },
    choice: ({ oneOf, anyOf }) => {
      const listed = [oneOf, anyOf].filter(Array.isArray).flat();
      for (const one of listed) if (isObject(one) && isReference(one)) choices.add(one.$ref);
    },
  });
  return { all: all.union(choices), choices };
}

const isReference = (value: Record<string, unknown>): value is Reference =>
  Object.hasOwn(value, '$ref') && typeof value.$ref === 'string';
