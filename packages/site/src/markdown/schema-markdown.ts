import { truncate } from '@petstore/service/text.ts';
import { isObject, type OpenApiDocument, textOf } from '../openapi/openapi-types.ts';
import { resolveReference } from '../openapi/references.ts';
import { code, inline } from './markdown-text.ts';
import { constraints, refName, typeText } from './schema-facts.ts';

const MAX_LINES = 120;

const MAX_LEVELS = 5;

/** How many schemas are visited for those lines: nested parts that show nothing can multiply. */
const MAX_LOOKS = 2_000;

/** The most letters of a member's description: most belong to schemas that many operations have. */
const MAX_DESCRIPTION = 500;

/** The most letters of the schemas and examples of one page. */
export const MAX_LETTERS = 100_000;

/** What the schemas and examples of a page share. */
export interface PageBudget {
  /** How many more letters they may have. */
  left: number;
  /** The models that stand on the page whole: where they come again, they are named. */
  readonly shown: Set<unknown>;
}

/** The budget of a page, in letters. */
export const pageBudget = (left = MAX_LETTERS): PageBudget => ({ left, shown: new Set() });

/**
 * A schema as a nested list of its members; one that holds itself, or stands on the page already, is named and not repeated. It counts against `room`, and
 * ends with a note where that, or the limit of lines, is used up. Where it is not `isDescribed`, its own description is left
 * out.
 */
export function schemaMarkdown(
  document: OpenApiDocument,
  schema: unknown,
  room: PageBudget,
  isDescribed = true,
): string {
  const model = refName(schema) ? resolveReference(document, schema) : undefined;
  if (room.shown.has(model)) return `- ${typeText(document, schema)} (as above)`;
  const list = new SchemaList(document, room);
  list.describe(0, '', schema, '', isDescribed);
  if (model !== undefined && !list.isFull) room.shown.add(model);
  return list.lines.join('\n');
}

class SchemaList {
  readonly lines: string[] = [];
  isFull = false;
  #looks = 0;
  readonly #open = new Set<unknown>();
  readonly #document: OpenApiDocument;
  readonly #room: PageBudget;

  constructor(document: OpenApiDocument, room: PageBudget) {
    this.#document = document;
    this.#room = room;
  }

  /** A line for a schema, and below it the lines of its parts. */
  describe(level: number, label: string, given: unknown, notes: string, isDescribed = true): void {
    if (this.isFull) return;
    const found = resolveReference(this.#document, given);
    const type = typeText(this.#document, given);
    if (isObject(found) && this.#open.has(found)) {
      this.#add(level, labelled(label, [type, notes], ' (as above)'));
      return;
    }
    const isDeep = level >= MAX_LEVELS;
    const limits = isObject(found) ? constraints(this.#document, found) : [];
    const text =
      isDescribed && isObject(found)
        ? truncate(inline(textOf(found.description)), MAX_DESCRIPTION)
        : '';
    const rest = isDeep && hasMembers(found) ? ', whose members are not shown here' : '';
    this.#add(
      level,
      labelled(label, [type, notes, ...limits], `${rest}${text ? `. ${text}` : ''}`),
    );
    if (isDeep || !isObject(found) || this.isFull) return;
    this.#open.add(found);
    this.#parts(level + 1, found);
    this.#open.delete(found);
  }

  #parts(level: number, found: Record<string, unknown>): void {
    for (const { name, schema, isRequired } of firstMembers(found)) {
      this.describe(level, code(name), schema, isRequired ? 'required' : '');
    }
    for (const part of listOf(found.allOf)) {
      if (this.isFull || !this.#mayLook()) return;
      const inner = resolveReference(this.#document, part);
      if (!isObject(inner) || this.#open.has(inner) || level > MAX_LEVELS) continue;
      this.#open.add(inner);
      this.#parts(level, inner);
      this.#open.delete(inner);
    }
    this.#choices(level, found);
    if (hasMembers(resolveReference(this.#document, found.items))) {
      this.describe(level, 'each item', found.items, '');
    }
    for (const [at, item] of listOf(found.prefixItems).entries()) {
      if (this.isFull) return;
      this.describe(level, `item ${at + 1}`, item, '');
    }
    for (const [pattern, schema] of entriesOf(found.patternProperties)) {
      if (this.isFull) return;
      this.describe(level, `any member that matches ${code(pattern)}`, schema, '');
    }
    for (const [keyword, words] of PARTS) {
      const part = found[keyword];
      if (entriesOf(part).length > 0) this.describe(level, words, part, '');
    }
  }

  #choices(level: number, found: Record<string, unknown>): void {
    const discriminator = isObject(found.discriminator) ? found.discriminator : {};
    const property = textOf(discriminator.propertyName);
    const values = new Map(
      entriesOf(discriminator.mapping).map(([value, target]) => [target, value]),
    );
    for (const [keyword, words] of CHOICES) {
      const choices = listOf(found[keyword]);
      if (choices.length === 0) continue;
      this.#add(level, property ? `${words}, by the value of ${code(property)}` : words);
      for (const choice of choices) {
        if (this.isFull) return;
        const value = isObject(choice) ? values.get(choice.$ref) : undefined;
        this.describe(level + 1, value === undefined ? '' : code(value), choice, '');
      }
    }
  }

  #mayLook(): boolean {
    this.#looks += 1;
    if (this.#looks > MAX_LOOKS) this.#end();
    return !this.isFull;
  }

  #add(level: number, text: string): void {
    if (this.isFull) return;
    const line = `${'  '.repeat(level)}- ${text}`;
    if (this.lines.length === MAX_LINES || line.length > this.#room.left) {
      this.#end();
      return;
    }
    this.#room.left -= line.length;
    this.lines.push(line);
  }

  #end(): void {
    this.isFull = true;
    this.lines.push('- … and more: see the OpenAPI document');
  }
}

function labelled(label: string, facts: readonly string[], rest: string): string {
  const given = facts.filter(Boolean).join(', ');
  return `${label}${label && given ? ': ' : ''}${given}${rest}`;
}

const CHOICES = [
  ['oneOf', 'one of'],
  ['anyOf', 'any of'],
] as const;

const PARTS = [
  ['contains', 'at least one item'],
  ['propertyNames', 'the name of each member'],
  ['additionalProperties', 'any other member'],
  ['unevaluatedProperties', 'any other member'],
  ['if', 'if it is'],
  ['then', 'then it is'],
  ['else', 'otherwise it is'],
] as const;

function hasMembers(schema: unknown): boolean {
  return (
    isObject(schema) &&
    ['properties', 'allOf', 'oneOf', 'anyOf', 'items', 'additionalProperties'].some(
      (name) => name in schema,
    )
  );
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** More than any list has room for. */
const MAX_ENTRIES = 200;

const known = new WeakMap<object, readonly [string, unknown][]>();

/** The first members of an object. Thousands of operations may share a very large one: it is read once. */
function entriesOf(value: unknown): readonly [string, unknown][] {
  if (!isObject(value)) return [];
  const entries = known.get(value) ?? Object.entries(value).slice(0, MAX_ENTRIES);
  known.set(value, entries);
  return entries;
}

/** The first members of an object's schema, in their order. */
function firstMembers({ properties, required }: Record<string, unknown>) {
  const names = new Set(listOf(required));
  return entriesOf(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: names.has(name),
  }));
}
