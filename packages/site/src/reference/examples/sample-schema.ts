import { isObject, type OpenApiDocument, textOf } from '../../openapi/openapi-types.ts';
import { modelName, resolveReference } from '../../openapi/references.ts';
import { implicitValue, type PlainValue, targetOf } from '../discriminator.ts';
import { safePattern } from './safe-pattern.ts';

/** A request has no members that are `readOnly`, a response none that are `writeOnly`. */
export type Direction = 'request' | 'response';

export interface SampleOptions {
  readonly direction: Direction;
  readonly isXml?: boolean;
  /** Which of the schema's `oneOf` or `anyOf` is taken: the first without it. */
  readonly choice?: number;
  /**
   * Of the schema's own members only those that a request needs, or of which the document says a value. For forms, whose
   * samples are sent: an optional field that is guessed says something that nobody meant.
   */
  readonly isSent?: boolean;
}

/** A schema that is a small tree without references, which the sampler goes through in no time. */
type SampleSchema = Record<string, unknown>;

export interface BoundedSchema {
  readonly schema: SampleSchema;
  /** Whether members were left out because there are too many. */
  readonly isCut: boolean;
}

/** What a reader sees through. A schema of more nodes is tried again with fewer levels. */
const MAX_NODES = 800;
const LEVELS = [10, 5, 3, 2];

const MAX_PARTS = 30;
const MAX_ITEMS = 3;
const MAX_LENGTH = 200;

/**
 * A copy of a schema for the sampler: references are followed, recursion ends, numbers that would make long texts or
 * lists are bounded, and a bound beyond 2^53, with which the sampler cannot calculate, becomes an example.
 */
export function sampleSchema(
  document: OpenApiDocument,
  schema: unknown,
  options: SampleOptions,
): BoundedSchema | undefined {
  for (const [at, levels] of LEVELS.entries()) {
    const copier = new SchemaCopier(document, options, levels);
    const copy = copier.copy(schema, 0);
    const isLast = at === LEVELS.length - 1;
    if (copy !== undefined && (isLast || !copier.isFull)) {
      return { schema: copy, isCut: copier.isFull || at > 0 };
    }
  }
  return undefined;
}

/** Texts for formats that the sampler does not know. */
const FORMATS: ReadonlyMap<unknown, string> = new Map([
  ['byte', 'c3RyaW5n'],
  ['base64', 'c3RyaW5n'],
  ['duration', 'P1D'],
  ['url', 'https://example.com'],
  ['binary', '(binary)'],
]);

/** What says a value. */
const SAID = ['example', 'examples', 'const', 'default'] as const;

class SchemaCopier {
  #left = MAX_NODES;
  readonly #open = new Set<unknown>();
  /** The members that the schema itself requires, in all of its parts. */
  readonly #required = new Set<unknown>();
  readonly #document: OpenApiDocument;
  readonly #options: SampleOptions;
  readonly #levels: number;

  constructor(document: OpenApiDocument, options: SampleOptions, levels: number) {
    this.#document = document;
    this.#options = options;
    this.#levels = levels;
  }

  get isFull(): boolean {
    return this.#left < 0;
  }

  /** undefined for what is left out: recursion, other direction, no room. */
  copy(given: unknown, depth: number): SampleSchema | undefined {
    const schema = resolveReference(this.#document, given);
    if (schema === true) return {};
    if (!isObject(schema) || this.#open.has(schema) || depth > this.#levels) return undefined;
    const beside = isObject(given) && given !== schema ? given : {};
    if (depth > 0 && (this.#isHidden(schema) || this.#isHidden(beside))) return undefined;
    this.#left -= 1;
    if (this.isFull) return undefined;
    const type = typeOf(schema);
    const base: SampleSchema = {
      ...(type !== undefined && { type }),
      ...(this.#options.isXml && xmlOf(schema, beside, depth)),
    };
    // What stands beside a reference says more of this place than what it refers to.
    const known = knownValue(beside, type) ?? knownValue(schema, type);
    const isChosen = depth === 0 && this.#options.choice !== undefined;
    if (known !== undefined && !isChosen) return { ...base, example: known };
    this.#open.add(schema);
    const copy = { ...base, ...limits(schema, type), ...this.#parts(schema, type, depth) };
    this.#open.delete(schema);
    return copy;
  }

  #isHidden({ readOnly, writeOnly }: Record<string, unknown>): boolean {
    return (this.#options.direction === 'request' ? readOnly : writeOnly) === true;
  }

  #parts(schema: Record<string, unknown>, type: unknown, depth: number): SampleSchema {
    if (depth === 0) for (const name of listOf(schema.required)) this.#required.add(name);
    const properties = isObject(schema.properties)
      ? this.#properties(schema.properties, depth)
      : {};
    const { additionalProperties: additional, items, prefixItems } = schema;
    const more =
      isObject(additional) && Object.keys(additional).length > 0 && isEmpty(properties)
        ? this.copy(additional, depth + 1)
        : undefined;
    const item = isObject(items) && type === 'array' ? this.copy(items, depth + 1) : undefined;
    const tuple = listOf(prefixItems)
      .slice(0, MAX_PARTS)
      .map((one) => this.copy(one, depth + 1) ?? {});
    const choice = this.#choice(schema, type, depth);
    const oneOf = choice ? [choice] : [];
    const allOf = this.#allOf(schema, sampledType({ type, oneOf }), depth);
    return {
      ...(type === 'object' && { properties }),
      ...(more && { additionalProperties: more }),
      ...(item && { items: item }),
      ...(tuple.length > 0 && { prefixItems: tuple }),
      ...(allOf.length > 0 && { allOf }),
      ...(choice && { oneOf }),
    };
  }

  #properties(properties: Record<string, unknown>, depth: number): SampleSchema {
    const members: [string, SampleSchema][] = [];
    for (const name in properties) {
      if (this.isFull) break;
      if (depth === 0 && this.#isGuess(name, properties[name])) continue;
      const copy = this.copy(properties[name], depth + 1);
      // The sampler assigns members, so this name would set a prototype.
      if (copy !== undefined && name !== '__proto__') members.push([name, copy]);
    }
    return Object.fromEntries(members);
  }

  #isGuess(name: string, given: unknown): boolean {
    if (!this.#options.isSent || this.#required.has(name)) return false;
    const schema = resolveReference(this.#document, given);
    return ![given, schema].some(
      (one) => isObject(one) && SAID.some((keyword) => one[keyword] !== undefined),
    );
  }

  /** The sampler complains on the console of parts whose types differ, and merges none of them. */
  #allOf(schema: Record<string, unknown>, type: unknown, depth: number): SampleSchema[] {
    const parts = listOf(schema.allOf)
      .slice(0, MAX_PARTS)
      .map((part) => this.copy(part, depth))
      .filter((part) => part !== undefined);
    const common = type ?? parts.map(sampledType).find((one) => one !== undefined);
    return parts.filter((part) => [undefined, common].includes(sampledType(part)));
  }

  #choice(schema: Record<string, unknown>, type: unknown, depth: number): SampleSchema | undefined {
    const wanted = depth === 0 ? (this.#options.choice ?? 0) : 0;
    const given = choicesOf(this.#document, schema)[wanted];
    // At its parent's depth, but a choice of a choice of … has to end.
    const copy = given === undefined ? undefined : this.copy(given, depth + 1);
    if (copy === undefined) return undefined;
    const typed = type === undefined || copy.type !== undefined ? copy : { type, ...copy };
    const value = discriminatorValue(this.#document, schema.discriminator, given);
    return withDiscriminator(schema.discriminator, value, typed);
  }
}

/** The alternatives of a schema, without `null`. */
export function choicesOf(
  document: OpenApiDocument,
  { oneOf, anyOf }: Record<string, unknown>,
): readonly unknown[] {
  const all = listOf(oneOf).length > 0 ? listOf(oneOf) : listOf(anyOf);
  return all.slice(0, MAX_PARTS).filter((one) => {
    const schema = resolveReference(document, one);
    return isObject(schema) && schema.type !== 'null';
  });
}

/** The value by which a discriminator knows an alternative; undefined where it has none. */
export function discriminatorValue(
  document: OpenApiDocument,
  discriminator: unknown,
  choice: unknown,
): PlainValue | undefined {
  if (!isObject(discriminator) || !isObject(choice)) return undefined;
  const mapping = Object.entries(isObject(discriminator.mapping) ? discriminator.mapping : {});
  const [name] =
    mapping.find(([, mapped]) => typeof mapped === 'string' && targetOf(mapped) === choice.$ref) ??
    [];
  return name ?? implicitValue(document, discriminator.propertyName, choice);
}

const valueType = (value: unknown) => (typeof value === 'bigint' ? 'integer' : typeof value);

function withDiscriminator(discriminator: unknown, value: unknown, copy: SampleSchema) {
  const name = isObject(discriminator) ? textOf(discriminator.propertyName) : '';
  const takesMember =
    [undefined, 'object'].includes(sampledType(copy)) && copy.example === undefined;
  if (value === undefined || !name || name === '__proto__' || !takesMember) return copy;
  const part = {
    type: 'object',
    properties: { [name]: { type: valueType(value), example: value } },
  };
  return { ...copy, allOf: [...listOf(copy.allOf), part] };
}

/** Of copies. In nested parts each is asked for at every level. */
const sampledTypes = new WeakMap<object, string | undefined>();

/** The type of what the sampler makes of a copy, where that is known. */
function sampledType(copy: SampleSchema): string | undefined {
  if (sampledTypes.has(copy)) return sampledTypes.get(copy);
  const { type, example, allOf, oneOf } = copy;
  const own = typeof type === 'string' ? type : undefined;
  const ofParts = (parts: unknown) => listOf(parts).filter(isObject).map(sampledType).find(Boolean);
  const found = example === undefined ? (ofParts(oneOf) ?? own ?? ofParts(allOf)) : own;
  sampledTypes.set(copy, found);
  return found;
}

/** The first type that is not null; guessed where there is none. */
function typeOf({ type, properties, items, allOf }: Record<string, unknown>): unknown {
  const types = [type].flat().filter((one) => typeof one === 'string');
  const first = types.find((one) => one !== 'null') ?? types[0];
  if (first !== undefined) return first;
  if (isObject(properties)) return 'object';
  return isObject(items) && allOf === undefined ? 'array' : undefined;
}

/** The value that the author of a schema gave; undefined where one is better made. */
function knownValue(schema: Record<string, unknown>, type: unknown): unknown {
  const { example, const: constant, examples, enum: values, default: fallback } = schema;
  if (example !== undefined) return example;
  if (constant !== undefined) return constant;
  const first = listOf(examples)[0];
  if (first !== undefined) return first;
  // An empty list or object shows less than its schema.
  const isTelling = fallback !== null && typeof fallback !== 'object' && fallback !== '';
  if (isTelling && fallback !== undefined) return fallback;
  const allowed = listOf(values).find((one) => one !== null);
  if (allowed !== undefined) return allowed;
  return type === 'string' ? FORMATS.get(schema.format) : undefined;
}

const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;

/** What the sampler observes, within bounds. */
function limits(schema: Record<string, unknown>, type: unknown): SampleSchema {
  if (type === 'integer' || type === 'number') return numberLimits(schema);
  if (type === 'array') {
    return {
      minItems: bounded(schema.minItems, MAX_ITEMS),
      maxItems: bounded(schema.maxItems, MAX_ITEMS),
    };
  }
  if (type !== 'string') return {};
  const format = textOf(schema.format);
  const pattern = format === '' ? safePattern(schema.pattern) : undefined;
  // Dates have the length that they have.
  if (/^(?:date|time)/.test(format)) return { format };
  return {
    ...(format && { format }),
    ...(pattern && { pattern }),
    minLength: bounded(schema.minLength, MAX_LENGTH),
    maxLength: bounded(schema.maxLength, MAX_LENGTH),
  };
}

function numberLimits(schema: Record<string, unknown>): SampleSchema {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, format } = schema;
  if (NUMBERS.some((name) => typeof schema[name] === 'bigint')) {
    if (minimum !== undefined) return { example: minimum };
    if (typeof exclusiveMinimum === 'bigint') return { example: exclusiveMinimum + 1n };
    // A largest value beyond 2^53 leaves room for the usual ones.
    const most = maximum ?? exclusiveMaximum;
    return typeof most === 'bigint' && most < 0n ? { example: most - 1n } : {};
  }
  const given = NUMBERS.flatMap((name) =>
    Number.isFinite(schema[name]) ? [[name, schema[name]] as const] : [],
  );
  return { ...Object.fromEntries(given), ...(typeof format === 'string' && { format }) };
}

function bounded(value: unknown, most: number): number | undefined {
  const isCount = typeof value === 'bigint' || (typeof value === 'number' && value >= 0);
  return isCount ? Math.min(Number(value), most) : undefined;
}

/** How XML names the value. The root, and the items of a list, have their model's name where they have none. */
function xmlOf(
  schema: Record<string, unknown>,
  beside: Record<string, unknown>,
  depth: number,
): SampleSchema {
  const xml = isObject(schema.xml) ? schema.xml : {};
  const name = textOf(xml.name) || (depth === 0 ? modelName(beside.$ref) : undefined);
  const { attribute, wrapped, nodeType } = xml;
  return {
    xml: {
      ...(name && { name }),
      ...(textOf(xml.prefix) && { prefix: xml.prefix }),
      ...(textOf(xml.namespace) && { namespace: xml.namespace }),
      ...(attribute === true && { attribute }),
      ...(wrapped === true && { wrapped }),
      ...(textOf(nodeType) && { nodeType }),
    },
  };
}

const isEmpty = (value: object) => Object.keys(value).length === 0;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
