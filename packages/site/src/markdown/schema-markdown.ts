import { truncate } from '@petstore/service/text.ts';
import { textOf } from '../openapi/openapi-types.ts';
import { type Page, startPage } from '../reference/page-parts.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { type Row, type SchemaNode, schemaTree } from '../reference/schema-tree.ts';
import { keyword, type Shape, shapeOf } from '../reference/shape.ts';
import { markdownPath } from '../site/site-files.ts';
import { linked } from './description-links.ts';
import { code, destination, inline, literal } from './markdown-text.ts';
import { constraints, exampleFacts, itemFacts, typeText, WHOLE } from './schema-facts.ts';

/** The most letters of a member's description: most belong to schemas that many operations have. */
const MAX_DESCRIPTION = 500;

/** In letters, of an alternative's title. */
const MAX_TITLE = 120;

/** The most letters of the schemas and examples of one page. */
export const MAX_LETTERS = 100_000;

/** The most letters of HTML that the schemas of a page would take: a few more than on the page itself. */
const SCHEMA_LETTERS = 40_000;

/** What the schemas and examples of a page share. */
export interface PageBudget {
  /** How many more letters they may have. */
  left: number;
  /** The schemas that stand on the page whole: where they come again, they are named. */
  readonly shown: Set<object>;
  /** By its room it is decided which members are shown, as on the page itself. */
  readonly page: Page;
}

/** The budget of a page, in letters. */
export const pageBudget = (context: ReferenceContext, left = MAX_LETTERS): PageBudget => ({
  left,
  shown: new Set(),
  page: startPage(context, '', SCHEMA_LETTERS),
});

/** A schema as a list of its members; one that stands on the page already is named. See `membersMarkdown`. */
export function schemaMarkdown(schema: unknown, room: PageBudget, isDescribed = true): string {
  const { context } = room.page;
  const shape = shapeOf(context.document, schema);
  if (room.shown.has(shape.source)) return `- ${typeText(context.document, shape)}${AS_ABOVE}`;
  return membersMarkdown(schemaTree(room.page, schema, 'model'), room, isDescribed);
}

/**
 * A nested list of the members that a page shows of a schema. It counts against `room`, and ends with a note where that is
 * used up. Where the schema is not `isDescribed`, its own description is left out.
 */
export function membersMarkdown(node: SchemaNode, room: PageBudget, isDescribed: boolean): string {
  const list = new SchemaList(room);
  list.add(0, { label: '', isDescribed }, node);
  if (!list.isFull) room.shown.add(node.shape.source);
  return list.lines.join('\n');
}

/** Whether a schema has members, which take a list. */
export function hasMembers({ rows, choices, cut }: SchemaNode): boolean {
  return rows.length > 0 || choices.length > 0 || cut !== undefined;
}

interface Line {
  /** In Markdown: `id` as code; empty for none. */
  readonly label: string;
  readonly isRequired?: boolean;
  readonly isDescribed?: boolean;
}

class SchemaList {
  readonly lines: string[] = [];
  isFull = false;
  readonly #room: PageBudget;

  constructor(room: PageBudget) {
    this.#room = room;
  }

  /** A line for a schema, and below it the lines of its members. */
  add(level: number, line: Line, node: SchemaNode): void {
    if (this.isFull) return;
    const { shape, element } = node;
    const isList = shape !== element;
    const hasOwnLine = isList && hasMembers(node);
    const rest = hasOwnLine ? '' : this.#cutText(node);
    this.#addValue(level, line, shape, rest, isList && !hasOwnLine ? element : shape);
    const inner = hasOwnLine ? level + 1 : level;
    if (hasOwnLine) {
      this.#addValue(inner, { label: 'each item' }, element, this.#cutText(node), element);
    }
    if (node.cut === undefined) this.#addMembers(inner + 1, node);
  }

  /** The line of a value. `items`: those whose facts stand in it, or the value itself. */
  #addValue(level: number, line: Line, shape: Shape, rest: string, items: Shape): void {
    const { label, isRequired = false, isDescribed = true } = line;
    const { context } = this.#room.page;
    const type = typeText(context.document, shape);
    const isNamed = rest === AS_ABOVE;
    const text = isDescribed && !isNamed ? this.#description(shape) : '';
    const withFacts = (hasFewValues: boolean) => {
      const facts = [
        ...constraints(shape, hasFewValues),
        ...exampleFacts(shape),
        ...itemFacts(shape, items, hasFewValues),
      ];
      const all = [type, isRequired ? 'required' : '', ...(isNamed ? [] : facts)].filter(Boolean);
      const said = `${label}${label && all.length > 0 ? ': ' : ''}${all.join(', ')}`;
      return lineOf(level, `${said}${rest}${text ? `. ${text}` : ''}`);
    };
    const whole = withFacts(false);
    this.#add(whole.length > this.#room.left ? withFacts(true) : whole);
  }

  #description(shape: Shape): string {
    const { context } = this.#room.page;
    const text = linked(context, textOf(keyword(shape, 'description')));
    return truncate(inline(text), MAX_DESCRIPTION);
  }

  /** Why members are not shown. */
  #cutText({ cut, element }: SchemaNode): string {
    if (cut === undefined) return '';
    if (cut === 'recursive') return AS_ABOVE;
    const { addresses } = this.#room.page.context;
    const path = element.model === undefined ? undefined : addresses.model(element.model);
    return path === undefined
      ? `, whose members are not shown here: ${WHOLE}`
      : ` ([its members](${destination(markdownPath(path))}))`;
  }

  #addMembers(level: number, node: SchemaNode): void {
    for (const row of node.rows) {
      this.add(level, { label: labelOf(row), isRequired: row.isRequired }, row.node);
    }
    this.#addMore(level, node.more, 'member');
    for (const { choices, options, more } of node.choices) {
      const { by } = choices;
      const words = choices.keyword === 'oneOf' ? 'one of' : 'any of';
      this.#add(lineOf(level, by === undefined ? words : `${words}, by the value of ${code(by)}`));
      for (const option of options) {
        const otherwise = option.isDefault ? 'any other value, or none' : '';
        const label = [labelOf(option), otherwise].filter(Boolean).join(', ');
        this.add(level + 1, { label }, option.node);
      }
      this.#addMore(level + 1, more, 'alternative');
    }
    if (node.element.isCut) this.#add(lineOf(level, `… and more: ${WHOLE}`));
  }

  #addMore(level: number, more: number, noun: string): void {
    if (more > 0) this.#add(lineOf(level, `… and ${more} more ${noun}s: ${WHOLE}`));
  }

  #add(line: string): void {
    if (this.isFull) return;
    this.isFull = line.length > this.#room.left;
    this.#room.left -= this.isFull ? 0 : line.length;
    this.lines.push(this.isFull ? `- … and more: ${WHOLE}` : line);
  }
}

const AS_ABOVE = ' (as above)';

const lineOf = (level: number, text: string) => `${'  '.repeat(level)}- ${text}`;

const PARTS: ReadonlyMap<string, string> = new Map([
  ['names of properties', 'the name of each member'],
  ['if', 'if it is'],
  ['then', 'then it is'],
  ['else', 'otherwise it is'],
]);

/** What a member is called. */
function labelOf({ kind, name, value, node }: Row): string {
  switch (kind) {
    case 'property':
      return code(name);
    case 'pattern':
      return `any member that matches ${code(name)}`;
    case 'other':
      return name === 'any name' ? 'any other member' : `any other member, called ${code(name)}`;
    case 'part':
      return PARTS.get(name) ?? inline(name);
    case 'option':
      return optionLabel(node.shape, value);
  }
}

/** The value that means an alternative, and its title, as far as its type does not say them. */
function optionLabel(shape: Shape, value: string | undefined): string {
  const title = truncate(textOf(keyword(shape, 'title')), MAX_TITLE);
  return [
    value === undefined || value === shape.model ? '' : code(value),
    title === shape.model ? '' : literal(title),
  ]
    .filter(Boolean)
    .join(' ');
}
