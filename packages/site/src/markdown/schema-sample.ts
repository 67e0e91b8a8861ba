import type { OpenApiDocument } from '../openapi/openapi-types.ts';
import { isObject } from '../openapi/openapi-types.ts';
import { resolveReference } from '../openapi/references.ts';

const MAX_SAMPLE_DEPTH = 5;

/** A possible value of a schema: its example, or one generated from its types. */
export function sampleOf(document: OpenApiDocument, schema: unknown): unknown {
  const budget = { left: 100 };
  const seen = new Set<unknown>();
  const sample = (given: unknown, depth: number): unknown => {
    const found = resolveReference(document, given);
    budget.left -= 1;
    if (!isObject(found) || seen.has(found) || depth > MAX_SAMPLE_DEPTH || budget.left < 0) {
      return undefined;
    }
    const [example] = Array.isArray(found.examples) ? found.examples : [];
    const known = [found.example, example, found.const, found.default, firstOf(found.enum)].find(
      (value) => value !== undefined,
    );
    if (known !== undefined) return known;
    seen.add(found);
    const made = make(found, depth);
    seen.delete(found);
    return made;
  };
  const make = (found: Record<string, unknown>, depth: number): unknown => {
    const own = byType(found, depth);
    if (Array.isArray(found.allOf)) {
      const parts = [...found.allOf.slice(0, MAX_MEMBERS).map((part) => sample(part, depth)), own];
      const objects = parts.filter(isObject);
      return objects.length > 0
        ? objects.reduce((all, part) => Object.assign(all, part), {})
        : parts.find((part) => part !== undefined);
    }
    const choice = firstOf(found.oneOf) ?? firstOf(found.anyOf);
    return own ?? (choice === undefined ? undefined : sample(choice, depth));
  };
  const byType = (found: Record<string, unknown>, depth: number): unknown => {
    const type = typeOf(found);
    if (type === 'object') {
      const members = firstMembers(found)
        .map(({ name, schema }) => [name, sample(schema, depth + 1)] as const)
        .filter(([, value]) => value !== undefined);
      return Object.fromEntries(members);
    }
    if (type === 'array') {
      const item = sample(found.items, depth + 1);
      return item === undefined ? [] : [item];
    }
    if (type === 'string') return SAMPLES[String(found.format)] ?? 'text';
    if (type === 'integer' || type === 'number') return found.minimum ?? 1;
    return type === 'boolean' ? true : undefined;
  };
  return sample(schema, 0);
}

const SAMPLES: Record<string, string> = {
  date: '2030-12-05',
  'date-time': '2030-12-05T12:00:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com',
  url: 'https://example.com',
  uuid: '7d444840-9dc0-41d1-b245-5ffdce74fad2',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
};

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}

/** The first of a schema's types that isn't null; guessed where it has none. */
function typeOf({ type, properties, items }: Record<string, unknown>): unknown {
  const types = Array.isArray(type) ? type : [type];
  const [first] = types.filter((one) => one !== undefined && one !== 'null');
  if (first !== undefined) return first;
  if (properties !== undefined) return 'object';
  return items === undefined ? undefined : 'array';
}

/** More members of a schema, or parts of it, than anything shows. */
const MAX_MEMBERS = 200;

interface Member {
  readonly name: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
}

const known = new WeakMap<object, readonly Member[]>();

/**
 * The first members of an object's schema, in their order. Thousands of operations may show the same very large schema,
 * so each part is visited once for all of them.
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
    .slice(0, MAX_MEMBERS)
    .map(([name, schema]) => ({ name, schema, isRequired: names.has(name) }));
}
