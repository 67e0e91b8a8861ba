import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { type ApiDocument, type At, memberOf, memberValue } from '../api-document.ts';
import type { Direction } from '../rules.ts';

/** Schemas that all hold: that of a place, or those of an `allOf`. None allows everything. */
export type Conjunction = readonly Part[];

/** A schema at a place, behind references. */
export interface Part extends At {
  /** Leaves out `oneOf` and `anyOf`: one of their schemas stands beside this one. */
  readonly withoutVariants?: boolean;
  /** The one type of several that counts. */
  readonly ofType?: string;
  /** The name of the model, where a reference led here: `Pet`. */
  readonly name?: string;
}

/** A `oneOf` or `anyOf`: values are of one of the variants. */
export interface Variants {
  readonly at: At;
  readonly kind: 'oneOf' | 'anyOf';
  readonly variants: readonly Conjunction[];
  readonly discriminator: At | undefined;
}

/** What a schema means, however it is written: `allOf` merged, references followed, OpenAPI 3.0's ways brought up to date. */
export interface SchemaView {
  /** Where the first of its parts is. */
  readonly at: At;
  /** No value is allowed. */
  isNever: boolean;
  /** Without null; undefined for any. */
  types: ReadonlySet<string> | undefined;
  isNullable: boolean;
  /** By their JSON, without null; undefined where any value is allowed. */
  values: ReadonlyMap<string, At> | undefined;
  /** Keywords with one value: limits, format, content encoding. Of several the tightest. */
  readonly keywords: Map<string, At>;
  readonly patterns: Map<string, At>;
  readonly properties: Map<string, Conjunction>;
  readonly required: Map<string, At>;
  /** Of properties that are not listed; undefined where they are free, false where there are none. */
  additional: Conjunction | false | undefined;
  items: Conjunction | undefined;
  readonly tuple: Conjunction[];
  readonly byPattern: Map<string, Conjunction>;
  readonly choices: Variants[];
  /** Conditions that are compared as they are written: `not`, `if`, `contains`. */
  readonly conditions: Map<string, At>;
  /** The first of each that is given: descriptions, defaults, examples, marks. */
  readonly notes: Map<string, At>;
}

/** Whether a limit is tighter than another. JavaScript compares integers of every size with numbers exactly. */
type IsTighter = (one: number | bigint, other: number | bigint) => boolean;

const LIMITS: Readonly<Record<string, IsTighter>> = {
  minimum: (one, other) => one > other,
  exclusiveMinimum: (one, other) => one > other,
  minLength: (one, other) => one > other,
  minItems: (one, other) => one > other,
  minProperties: (one, other) => one > other,
  minContains: (one, other) => one > other,
  maximum: (one, other) => one < other,
  exclusiveMaximum: (one, other) => one < other,
  maxLength: (one, other) => one < other,
  maxItems: (one, other) => one < other,
  maxProperties: (one, other) => one < other,
  maxContains: (one, other) => one < other,
};

/** Limits of numbers and sizes: the functions tell whether one is tighter than another. */
export const TIGHTER: ReadonlyMap<string, IsTighter> = new Map(Object.entries(LIMITS));

/** The value of a limit. */
export const limitOf = (at: At | undefined): number | bigint =>
  typeof at?.value === 'bigint' ? at.value : Number(at?.value);

/** Lower limits that allow everything. */
const EMPTY_LIMITS = new Set(['minLength', 'minItems', 'minProperties']);

const SINGLE = new Set([
  ...['format', 'contentEncoding', 'contentMediaType', 'multipleOf', 'uniqueItems'],
]);

const NOTES = new Set([
  ...['title', 'description', 'default', 'example', 'examples', 'externalDocs'],
  ...['deprecated', 'readOnly', 'writeOnly', 'xml', 'x-deprecated-sunset', 'x-sunset'],
]);

const CONDITIONS = new Set([
  ...['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'dependentRequired'],
  ...['dependentSchemas', 'dependencies', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['contentSchema', 'additionalItems'],
]);

/** Members by which a schema has what others say. */
const REFERRING = ['$ref', 'allOf', 'oneOf', 'anyOf'];

/** The most schemas that are merged into one, and the deepest variants in variants: recursion is as deep. */
const MAX_PARTS = 500;
const MAX_NESTED = 100;

/** What makes the views of a document's schemas, each once. */
export class SchemaViews {
  readonly #document: ApiDocument;
  readonly #views = new Map<string, SchemaView>();
  /** Variants of which it is being found out whether they allow null. */
  readonly #open = new Set<string>();

  constructor(document: ApiDocument) {
    this.#document = document;
  }

  /** A schema as it is written at a place. */
  conjunctionOf(at: At): Conjunction {
    return [this.#partOf(at)];
  }

  view(parts: Conjunction): SchemaView {
    const key = keyOf(parts);
    const known = this.#views.get(key);
    if (known) return known;
    const made = this.#make(parts);
    this.#views.set(key, made);
    return made;
  }

  /** Whether clients do not send the property (`readOnly`), or do not get it (`writeOnly`). */
  isLeftOut(property: Conjunction, direction: Direction): boolean {
    const name = direction === 'request' ? 'readOnly' : 'writeOnly';
    const [part] = property;
    if (
      part &&
      property.length === 1 &&
      isObject(part.value) &&
      !REFERRING.some((one) => Object.hasOwn(part.value as object, one))
    )
      return part.value[name] === true;
    return this.view(property).notes.get(name)?.value === true;
  }

  #partOf(at: At): Part {
    const found = this.#document.follow(at);
    if (found === at) return at;
    const name = modelName(found.pointer);
    return name === undefined ? found : { ...found, name };
  }

  #make(parts: Conjunction): SchemaView {
    const view = emptyView(parts[0] ?? { value: {}, pointer: '' });
    const building: Building = { view, saysNull: false, isForced: false, seen: new Set() };
    for (const part of parts) this.#add(building, part);
    finish(building);
    const [ofType] = parts.flatMap((part) => part.ofType ?? []);
    if (ofType !== undefined) keepType(view, ofType);
    return view;
  }

  #add(building: Building, part: Part): void {
    const { value, pointer, withoutVariants = false } = part;
    const key = keyOf([part]);
    if (building.seen.has(key) || building.seen.size > MAX_PARTS) return;
    building.seen.add(key);
    if (!isReference(value)) {
      this.#addSchema(building, part);
      return;
    }
    // Since OpenAPI 3.1 what stands beside a reference holds too; it is nearer than what it leads to.
    const { $ref: _, ...beside } = value as Record<string, unknown>;
    if (!this.#document.isOf30) this.#addSchema(building, { ...part, value: beside, pointer });
    this.#add(building, { ...this.#partOf(part), withoutVariants });
  }

  #addSchema(building: Building, part: Part): void {
    const { view } = building;
    const { value, withoutVariants = false } = part;
    if (value === false) view.isNever = true;
    if (!isObject(value)) return;
    this.#addTypes(building, part);
    for (const name of Object.keys(value)) this.#addKeyword(view, part, name, value);
    // What stands beside these is nearer.
    for (const one of itemsOf(part, 'allOf')) this.#add(building, { ...one, withoutVariants });
    for (const kind of ['oneOf', 'anyOf'] as const)
      if (Array.isArray(value[kind])) this.#addVariants(building, part, kind);
  }

  #addKeyword(view: SchemaView, part: Part, name: string, schema: Record<string, unknown>): void {
    const member = schema[name];
    const at = memberOf(part, name) as At;
    if (NOTES.has(name)) {
      if (!view.notes.has(name)) view.notes.set(name, at);
    } else if (CONDITIONS.has(name)) {
      // Several of one name are seldom; each is kept.
      view.conditions.set(view.conditions.has(name) ? `${name} ${part.pointer}` : name, at);
    } else if (name === 'properties') this.#addMembers(view.properties, at);
    else if (name === 'patternProperties') this.#addMembers(view.byPattern, at);
    else if (name === 'required') {
      for (const one of itemsOf(part, name))
        if (typeof one.value === 'string' && !view.required.has(one.value))
          view.required.set(one.value, one);
    } else if (name === 'additionalProperties') this.#addAdditional(view, at);
    else if (name === 'items' && !Array.isArray(member))
      view.items = [...(view.items ?? []), this.#written(at)];
    else if (name === 'prefixItems') {
      for (const [index, one] of itemsOf(part, name).entries())
        view.tuple[index] = [...(view.tuple[index] ?? []), this.#written(one)];
    } else if (name === 'enum' && Array.isArray(member)) limitValues(view, itemsOf(part, name));
    else if (name === 'const') limitValues(view, [at]);
    else if (name === 'pattern' && typeof member === 'string') view.patterns.set(member, at);
    else if (TIGHTER.has(name)) addLimit(view, name, at, schema);
    else if (SINGLE.has(name) && member !== false && !view.keywords.has(name))
      view.keywords.set(name, at);
  }

  #addMembers(members: Map<string, Conjunction>, at: At): void {
    if (!isObject(at.value)) return;
    for (const name of Object.keys(at.value)) {
      const found = this.#written(memberOf(at, name) as At);
      members.set(name, [...(members.get(name) ?? []), found]);
    }
  }

  /** A schema of a member: a reference is followed where nothing that counts stands beside it. */
  #written(at: At): Part {
    const { value } = at;
    const isAlone =
      isReference(value) && (this.#document.isOf30 || Object.keys(value).length === 1);
    return isAlone ? this.#partOf(at) : at;
  }

  #addTypes(building: Building, part: At): void {
    const { view } = building;
    const type = memberValue(part, 'type');
    const isNullable = this.#document.isOf30 && memberValue(part, 'nullable') === true;
    let given: string[] | undefined;
    if (typeof type === 'string') given = [type];
    else if (Array.isArray(type)) given = type.map(String);
    const saysNull = isNullable || given?.includes('null') === true;
    building.saysNull ||= saysNull;
    // OpenAPI 3.0 has `nullable` beside `allOf`, too, where its authors mean what it says.
    if (given === undefined) {
      building.isForced ||= isNullable;
      return;
    }
    view.isNullable &&= saysNull;
    const types = new Set(given.filter((one) => one !== 'null'));
    const before = view.types;
    view.types = before ? new Set([...types].filter((one) => allowsType(before, one))) : types;
    if (!view.notes.has('type')) view.notes.set('type', memberOf(part, 'type') as At);
  }

  #addAdditional(view: SchemaView, at: At): void {
    const { value } = at;
    const isFree = value === true || (isObject(value) && Object.keys(value).length === 0);
    if (isFree || view.additional === false) return;
    if (!view.notes.has('additionalProperties')) view.notes.set('additionalProperties', at);
    view.additional = value === false ? false : [...(view.additional ?? []), this.#written(at)];
  }

  #addVariants(building: Building, part: Part, kind: 'oneOf' | 'anyOf'): void {
    const { view } = building;
    const list = itemsOf(part, kind).map((one) => this.#written(one));
    const others = list.filter((one) => !isNullOnly(one));
    const hasNull = others.length < list.length;
    building.saysNull ||= hasNull;
    const wasNullable = view.isNullable;
    const listed = others.map((one) => onlyValues([one]));
    const [only] = others;
    if (others.length === 1 && only) this.#add(building, only);
    else if (others.length === 0) view.types = new Set();
    else if (listed.every((one) => one !== undefined)) limitValues(view, listed.flat());
    else if (!part.withoutVariants) {
      const variants = others.map((one) => [one]);
      const discriminator = memberOf(part, 'discriminator');
      view.choices.push({ at: memberOf(part, kind) as At, kind, variants, discriminator });
      view.isNullable &&= variants.some((one) => this.#allowsNull(one));
    }
    if (hasNull) view.isNullable = wasNullable;
  }

  #allowsNull(parts: Conjunction): boolean {
    const key = keyOf(parts);
    // A schema that is its own variant says nothing.
    if (this.#open.has(key) || this.#open.size > MAX_NESTED) return true;
    this.#open.add(key);
    const { isNullable } = this.view(parts);
    this.#open.delete(key);
    return isNullable;
  }
}

/** A view that is being made. */
interface Building {
  readonly view: SchemaView;
  /** Null was named as a type, so that a list of values need not have it. */
  saysNull: boolean;
  /** Null is allowed whatever the other parts say. */
  isForced: boolean;
  readonly seen: Set<string>;
}

function finish({ view, saysNull, isForced }: Building): void {
  const { values, keywords } = view;
  if (values) {
    if (!values.has('null') && !saysNull) view.isNullable = false;
    const others = new Map(values);
    others.delete('null');
    view.values = others;
  }
  // Properties without a type are meant as those of an object, although the letter allows any other value beside them.
  if (view.types === undefined && view.values === undefined) {
    if (view.properties.size > 0) view.types = new Set(['object']);
    else if (view.items) view.types = new Set(['array']);
    if (view.types && !saysNull) view.isNullable = false;
  }
  simplifyBytes(view);
  if (isForced) view.isNullable = true;
  for (const inclusive of ['minimum', 'maximum']) {
    const exclusive = `exclusive${inclusive.charAt(0).toUpperCase()}${inclusive.slice(1)}`;
    const [one, other] = [keywords.get(inclusive), keywords.get(exclusive)];
    if (!one || !other) continue;
    // Of the two the tighter one counts.
    const isTighter = TIGHTER.get(inclusive)?.(limitOf(one), limitOf(other)) ?? false;
    keywords.delete(isTighter ? exclusive : inclusive);
  }
}

/** Which limits are of which type. Formats and lists of values may be of any. */
const LIMITED: readonly (readonly [RegExp, ...types: string[]])[] = [
  [/^content|Length$/, 'string'],
  [/(?:imum|multipleOf)$/i, 'number', 'integer'],
  [/Items$|Contains$/, 'array'],
  [/Properties$/, 'object'],
];

/** Leaves of several types one, with what is said of it. */
function keepType(view: SchemaView, type: string): void {
  view.types = new Set([type]);
  view.isNullable = false;
  for (const name of view.keywords.keys())
    if (LIMITED.some(([of, ...types]) => of.test(name) && !types.includes(type)))
      view.keywords.delete(name);
  if (type !== 'string') view.patterns.clear();
  if (type !== 'array') {
    view.items = undefined;
    view.tuple.length = 0;
  }
  if (type === 'object') return;
  for (const members of [view.properties, view.required, view.byPattern]) members.clear();
  view.additional = undefined;
}

/** What is no text, but bytes, has had three forms: a `format`, then the content keywords, and no schema at all. */
function simplifyBytes(view: SchemaView): void {
  const { keywords } = view;
  const format = keywords.get('format');
  if (format?.value === 'byte' || format?.value === 'base64') {
    keywords.delete('format');
    keywords.set('contentEncoding', { ...format, value: 'base64' });
  }
  const isBytes = keywords.get('contentMediaType')?.value === 'application/octet-stream';
  if (format?.value !== 'binary' && !(isBytes && !keywords.has('contentEncoding'))) return;
  for (const name of ['format', 'contentMediaType']) keywords.delete(name);
  view.types = undefined;
  view.isNullable = true;
}

/** The items of a member that is a list, as they are written. */
function itemsOf(part: At, name: string): At[] {
  const list = memberOf(part, name);
  if (!list || !Array.isArray(list.value)) return [];
  return list.value.map((_, index) => memberOf(list, index) as At);
}

/** The name by which views and comparisons of schemas are known. */
export const keyOf = (parts: Conjunction): string =>
  parts
    .map(
      ({ pointer, withoutVariants, ofType, value }) =>
        `${pointer}${withoutVariants ? '~' : ''}${ofType ? `~${ofType}` : ''}${isReference(value) ? '$' : ''}`,
    )
    .join('&');

const isReference = (value: unknown): value is { readonly $ref: string } =>
  isObject(value) && typeof value.$ref === 'string';

function emptyView(at: At): SchemaView {
  return {
    at,
    isNever: false,
    types: undefined,
    isNullable: true,
    values: undefined,
    keywords: new Map(),
    patterns: new Map(),
    properties: new Map(),
    required: new Map(),
    additional: undefined,
    items: undefined,
    tuple: [],
    byPattern: new Map(),
    choices: [],
    conditions: new Map(),
    notes: new Map(),
  };
}

/** Whether a set of types allows a type: a number may be an integer. */
export const allowsType = (types: ReadonlySet<string>, type: string): boolean =>
  types.has(type) || (type === 'integer' && types.has('number'));

const isNullOnly = ({ value }: At): boolean =>
  isObject(value) &&
  (value.type === 'null' ||
    (Array.isArray(value.type) && value.type.length === 1 && value.type[0] === 'null') ||
    value.const === null ||
    (Array.isArray(value.enum) && value.enum.length === 1 && value.enum[0] === null));

const TEXTS: ReadonlySet<string> = new Set(['title', 'description', 'type']);

/** The values of a schema that does nothing but list them; otherwise undefined. */
function onlyValues(parts: Conjunction): At[] | undefined {
  const [part] = parts;
  if (!part || parts.length > 1 || !isObject(part.value)) return undefined;
  const { value } = part;
  const names = Object.keys(value).filter((name) => !TEXTS.has(name));
  if (names.length !== 1) return undefined;
  if (names[0] === 'const') return [memberOf(part, 'const') as At];
  if (names[0] !== 'enum' || !Array.isArray(value.enum)) return undefined;
  const list = memberOf(part, 'enum') as At;
  return value.enum.map((_, index) => memberOf(list, index) as At);
}

function limitValues(view: SchemaView, values: readonly At[]): void {
  const before = view.values;
  const listed = new Map(values.map((at) => [jsonOf(at.value), at]));
  view.values = before ? new Map([...listed].filter(([key]) => before.has(key))) : listed;
  if (!view.notes.has('enum') && values[0]) view.notes.set('enum', values[0]);
}

function addLimit(view: SchemaView, name: string, at: At, schema: Record<string, unknown>): void {
  let [keyword, limit] = [name, at];
  if (typeof at.value === 'boolean') return;
  if (EMPTY_LIMITS.has(name) && Number(at.value) === 0) return;
  // OpenAPI 3.0: `exclusiveMinimum: true` beside `minimum`.
  const exclusive = `exclusive${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  if ((name === 'minimum' || name === 'maximum') && schema[exclusive] === true)
    [keyword, limit] = [exclusive, at];
  const before = view.keywords.get(keyword);
  if (!before || TIGHTER.get(keyword)?.(limitOf(at), limitOf(before)))
    view.keywords.set(keyword, limit);
}

/** JSON that is the same for values that are: members in order, integers of every size. */
function jsonOf(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (isObject(value))
    return `{${Object.keys(value)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${jsonOf(value[name])}`)
      .join(',')}}`;
  return JSON.stringify(value) ?? 'undefined';
}

const MODEL = /^\/(?:components\/schemas|definitions)\/([^/]+)$/;

/** The name of the model at a pointer; undefined where there is none. */
function modelName(pointer: string): string | undefined {
  return MODEL.exec(pointer)?.[1]?.replaceAll('~1', '/').replaceAll('~0', '~');
}
