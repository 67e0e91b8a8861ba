import { isObject, type OpenApiDocument, type Schema } from '../openapi/openapi-types.ts';
import { modelName, resolveReference } from '../openapi/references.ts';
import { type AllowedValue, allowedValues, constantValues } from './allowed-values.ts';
import { implicitValue, targetOf } from './discriminator.ts';

/** A schema with its references followed and its `allOf` merged, as a reader thinks of it. */
export interface Shape {
  /** The schema that was found, by which one that contains itself is recognised. */
  readonly source: object;
  /** The name of the model that it is, where it is one and adds nothing but words. */
  readonly model: string | undefined;
  /** Itself, and those that its `allOf` names: what stands in an earlier one goes before a later one. */
  readonly parts: readonly Schema[];
  /** Without `null`; empty where any is taken. */
  readonly types: readonly string[];
  readonly isNullable: boolean;
  /** More schemas are merged into it than are read. */
  readonly isCut: boolean;
  /** It takes no value: the schema `false`. */
  readonly isNever: boolean;
  readonly properties: ReadonlyMap<string, Property>;
  readonly choices: readonly Choices[];
  /** `enum`, or the constants of a choice; undefined where neither restricts the value. */
  readonly values: readonly AllowedValue[] | undefined;
}

interface Property {
  readonly schema: unknown;
  readonly isRequired: boolean;
}

/** Alternatives, of which exactly one (`oneOf`) or at least one (`anyOf`) applies. */
export interface Choices {
  readonly keyword: 'oneOf' | 'anyOf';
  readonly options: readonly Option[];
  /** The property that tells them apart. */
  readonly by: string | undefined;
}

interface Option {
  readonly schema: unknown;
  /** The value of that property which means this option. */
  readonly value: string | undefined;
  /** Whether it is meant where the property is missing, or has a value that means none (`defaultMapping`). */
  readonly isDefault?: boolean;
}

/** Of how many schemas one is merged, and how deep they refer to each other. */
const MAX_PARTS = 60;
const MAX_DEPTH = 12;

const known = new WeakMap<object, Shape>();
const references = new WeakMap<object, Map<string, object>>();

/** Reads a schema. Its properties are read when they are asked for, so one that contains itself is no danger. */
export function shapeOf(document: OpenApiDocument, given: unknown): Shape {
  if (!isObject(given)) return given === false ? NOTHING : ANYTHING;
  const key = sharedKey(document, given);
  const shape = known.get(key) ?? readShape(document, given);
  known.set(key, shape);
  return shape;
}

/** One object for all references to the same schema, of which each operation has its own. */
function sharedKey(document: OpenApiDocument, given: Schema): object {
  const { $ref: target } = given;
  if (typeof target !== 'string' || Object.keys(given).length > 1) return given;
  const found = resolveReference(document, given);
  if (!isObject(found)) return given;
  const keys = references.get(found) ?? new Map<string, object>();
  const key = keys.get(target) ?? given;
  references.set(found, keys.set(target, key));
  return key;
}

const bare = (isNever: boolean): Shape => ({
  source: {},
  model: undefined,
  parts: [],
  types: [],
  isNullable: false,
  isCut: false,
  isNever,
  properties: new Map(),
  choices: [],
  values: undefined,
});

const ANYTHING = bare(false);
const NOTHING = bare(true);

/** The value of a keyword in the first part that has it. */
export function keyword({ parts }: Shape, name: string): unknown {
  return parts.find((part) => Object.hasOwn(part, name))?.[name];
}

/** The values of a keyword in all parts. */
export function keywords({ parts }: Shape, name: string): unknown[] {
  return parts.filter((part) => Object.hasOwn(part, name)).map((part) => part[name]);
}

/** Whether a keyword is `true` in any part. */
export function isMarked(shape: Shape, name: string): boolean {
  return keywords(shape, name).includes(true);
}

function readShape(document: OpenApiDocument, given: Schema): Shape {
  const reading = new Reading(document);
  reading.add(given, 0, true);
  const choices = reading.readChoices();
  const { values, model } = reading;
  const parts = [...mergedMembers(reading.parts), ...reading.parts];
  const found = parts.find((part) => Object.hasOwn(part, 'type'))?.type;
  const types = [found].flat().filter((one): one is string => typeof one === 'string');
  const enumerated = values ?? allowedValues(parts);
  const properties = mergedProperties(parts);
  return {
    source: reading.source ?? given,
    model: model === '' || (model === undefined && choices.length > 0) ? undefined : model,
    parts,
    types:
      types.length > 0
        ? types.filter((one) => one !== 'null')
        : guessedTypes(parts, properties, enumerated ?? []),
    isNullable: reading.isNullable || types.includes('null') || hasNull(parts),
    isCut: reading.isCut,
    isNever: reading.isNever,
    properties,
    choices,
    values: enumerated,
  };
}

/** Collects the parts of one schema. */
class Reading {
  readonly parts: Schema[] = [];
  readonly document: OpenApiDocument;
  readonly #seen = new Set<unknown>();
  source: object | undefined;
  model: string | undefined;
  values: readonly AllowedValue[] | undefined;
  isNullable = false;
  isCut = false;
  isNever = false;

  constructor(document: OpenApiDocument) {
    this.document = document;
  }

  /** `isWhole`: the schema is the one that is read, and no part of a larger one. */
  add(given: unknown, depth: number, isWhole: boolean): void {
    if (given === false) this.isNever = true;
    if (!isObject(given)) return;
    if (depth > MAX_DEPTH || this.parts.length >= MAX_PARTS) {
      this.isCut = true;
      return;
    }
    const found = resolveReference(this.document, given);
    if (!isObject(found) || this.#seen.has(given) || this.#seen.has(found)) return;
    this.#seen.add(given).add(found);
    if (given !== found) {
      // JSON Schema 2020-12 lets other keywords stand beside `$ref`.
      const { $ref: target, ...beside } = given;
      if (Object.keys(beside).length > 0) this.parts.push(beside);
      if (isWhole && this.model === undefined) {
        this.model = modelName(target) ?? '';
        this.source = found;
      }
    }
    this.source ??= found;
    this.parts.push(isWhole ? found : this.#withoutKinds(found));
    const all = Array.isArray(found.allOf) ? found.allOf : [];
    const isWrapper = isWhole && all.length === 1 && !hasMembers(found);
    // A schema of several parts is none of them.
    if (isWhole && !isWrapper && (all.length > 0 || hasMembers(found))) this.model ??= '';
    for (const part of all.slice(0, MAX_PARTS)) this.add(part, depth + 1, isWrapper);
  }

  /** Merges a choice of one and `null`, reads choices of constants, and returns the other choices. */
  readChoices(): Choices[] {
    const choices: Choices[] = [];
    // Parts may be added meanwhile.
    for (let at = 0; at < this.parts.length; at += 1) {
      const part = this.parts[at] as Schema;
      for (const name of ['oneOf', 'anyOf'] as const) {
        const all = part[name];
        if (!Array.isArray(all) || all.length === 0) continue;
        const options = all.filter((one) => !this.#isNull(one));
        this.isNullable ||= options.length < all.length;
        const [only] = options;
        const constants = constantValues(options);
        if (constants) this.values ??= constants;
        else if (options.length === 1) this.add(only, 1, this.parts.length === 1);
        else if (options.length > 1) choices.push(this.#choicesOf(part, name, options));
      }
      const { discriminator } = part;
      if (
        isObject(discriminator) &&
        !part.oneOf &&
        !part.anyOf &&
        isObject(discriminator.mapping)
      ) {
        const options = mappingOf(discriminator).filter(({ target }) => !this.#isOwn(target));
        const by = nameOf(discriminator);
        if (options.length > 0) {
          choices.push({
            keyword: 'oneOf',
            by,
            options: options.map(({ value, target }) => ({
              ...{ value, schema: { $ref: target } },
              isDefault: target === defaultTarget(discriminator),
            })),
          });
        }
      }
    }
    return choices;
  }

  #isOwn(target: string): boolean {
    return resolveReference(this.document, { $ref: target }) === this.source;
  }

  #isNull(option: unknown): boolean {
    const found = resolveReference(this.document, option);
    return isObject(found) && (found.type === 'null' || found.const === null);
  }

  /** A base that lists its kinds says by that nothing about the one of them which is read. */
  #withoutKinds(part: Schema): Schema {
    const listed = [part.oneOf, part.anyOf].filter(Array.isArray).flat();
    const isListed = listed.some((one) => resolveReference(this.document, one) === this.source);
    if (listed.length > 0 && !isListed) return part;
    const { oneOf, anyOf, discriminator, ...rest } = part;
    return isListed || discriminator !== undefined ? rest : part;
  }

  #choicesOf(part: Schema, name: Choices['keyword'], options: readonly unknown[]): Choices {
    const { discriminator } = part;
    if (!isObject(discriminator)) {
      return {
        keyword: name,
        by: undefined,
        options: options.map((schema) => ({ schema, value: undefined })),
      };
    }
    const mapping = mappingOf(discriminator);
    return {
      keyword: name,
      by: nameOf(discriminator),
      options: options.map((schema) => {
        const target = isObject(schema) ? schema.$ref : undefined;
        const mapped = mapping.find((one) => one.target === target)?.value;
        const value = mapped ?? implicitValue(this.document, discriminator.propertyName, schema);
        const isDefault = target !== undefined && target === defaultTarget(discriminator);
        return { schema, value: value === undefined ? undefined : String(value), isDefault };
      }),
    };
  }
}

const nameOf = ({ propertyName }: Schema) =>
  typeof propertyName === 'string' ? propertyName : undefined;

function mappingOf({ mapping }: Schema): { value: string; target: string }[] {
  return Object.entries(isObject(mapping) ? mapping : {}).flatMap(([value, target]) => {
    return typeof target === 'string' ? [{ value, target: targetOf(target) }] : [];
  });
}

const defaultTarget = ({ defaultMapping }: Schema): string | undefined =>
  typeof defaultMapping === 'string' ? targetOf(defaultMapping) : undefined;

const MEMBERS = ['properties', 'items', 'additionalProperties'];

const hasMembers = (schema: Schema) => MEMBERS.some((name) => Object.hasOwn(schema, name));

/** What a value's items, or its other properties, have to fit: the schemas of all parts. */
const SHARED = ['items', 'additionalProperties'];

/** Parts that go before the others: each has the schemas of one keyword of all of them, where several have it. */
function mergedMembers(parts: readonly Schema[]): Schema[] {
  return SHARED.flatMap((name) => {
    const all = parts.map((part) => part[name]).filter(isObject);
    if (all.length < 2) return [];
    const telling = all.filter((one) => Object.keys(one).some((key) => key !== 'type'));
    if (telling.length === 0) return [];
    return [{ [name]: telling.length === 1 ? telling[0] : { allOf: telling } }];
  });
}

function mergedProperties(parts: readonly Schema[]): ReadonlyMap<string, Property> {
  const required = new Set(
    parts.flatMap((part) => (Array.isArray(part.required) ? part.required : [])),
  );
  const found = new Map<string, unknown[]>();
  for (const { properties } of parts) {
    for (const [name, schema] of isObject(properties) ? Object.entries(properties) : []) {
      const same = found.get(name);
      if (same) same.push(schema);
      else found.set(name, [schema]);
    }
  }
  return new Map(
    [...found].map(([name, all]) => [
      name,
      { schema: all.length > 1 ? { allOf: all } : all[0], isRequired: required.has(name) },
    ]),
  );
}

/** From how many allowed values a missing type is guessed. */
const MAX_GUESSED = 20;

function guessedTypes(
  parts: readonly Schema[],
  properties: ReadonlyMap<string, Property>,
  allowed: readonly AllowedValue[],
): string[] {
  const has = (...names: string[]) =>
    parts.some((part) => names.some((name) => Object.hasOwn(part, name)));
  if (properties.size > 0 || has('patternProperties', 'additionalProperties')) return ['object'];
  if (has('items', 'prefixItems')) return ['array'];
  const values = allowed.slice(0, MAX_GUESSED).map(({ value }) => value);
  const constants = parts.filter((part) => Object.hasOwn(part, 'const')).map((part) => part.const);
  const types = new Set([...values, ...constants].filter((one) => one !== null).map(typeOfValue));
  // Every integer is a number.
  if (types.has('number')) types.delete('integer');
  return [...types];
}

/** The type in JSON Schema of a value that is not null. */
function typeOfValue(value: unknown): string {
  if (typeof value === 'bigint' || Number.isInteger(value)) return 'integer';
  return Array.isArray(value) ? 'array' : typeof value;
}

const hasNull = (parts: readonly Schema[]) =>
  parts.some(({ enum: values }) => Array.isArray(values) && values.includes(null));

const MARKS = ['x-stability', 'x-deprecated-sunset'];

/** The extension fields of a schema that mark it as unstable or about to go. */
export function shapeMarks(shape: Shape): Schema {
  return Object.fromEntries(MARKS.map((name) => [name, keyword(shape, name)]));
}
