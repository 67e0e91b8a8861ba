import { truncate } from '@petstore/service/text.ts';
import { isObject, textOf } from '../openapi/openapi-types.ts';
import type { FoundOperation } from '../openapi/operations.ts';
import { type Parameter, parametersOf } from '../openapi/parameters.ts';
import { resolveReference } from '../openapi/references.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { type SchemaNode, schemaTree } from '../reference/schema-tree.ts';
import { keyword } from '../reference/shape.ts';
import { linked } from './description-links.ts';
import { cell, code, inline, joined } from './markdown-text.ts';
import { constraints, exampleFact, exampleFacts, itemFacts, typeText } from './schema-facts.ts';
import { hasMembers, membersMarkdown, type PageBudget } from './schema-markdown.ts';
import { MAX_SHARED } from './shared-description.ts';

/** A Parameter Object or a Header Object: what holds a schema, or a media type that does. */
type Holder = Readonly<Record<string, unknown>>;

/** A parameter or a header with the schema of its value. */
export interface Held {
  readonly holder: Holder;
  /** undefined for none. */
  readonly schema: unknown;
  readonly node: SchemaNode;
}

/** Reads the schema of a parameter or a header, which counts against what `room` has for members. */
export function heldIn(holder: Holder, { page }: PageBudget): Held {
  const [media] = Object.values(isObject(holder.content) ? holder.content : {});
  const schema = holder.schema ?? (isObject(media) ? media.schema : undefined);
  return { holder, schema, node: schemaTree(page, schema, 'model') };
}

/** The parameters as a table, and below it the members of those that have some; empty where there are none. */
export function parametersMarkdown(found: FoundOperation, room: PageBudget): string {
  const { parameters } = found.operation;
  const own = new Set<unknown>(Array.isArray(parameters) ? parameters : []);
  const all = parametersOf(room.page.context.document, found);
  if (all.length === 0) return '';
  const held = all.map((parameter) => heldIn(parameter, room));
  const rows = all.map((parameter, at) =>
    rowOf(parameter, held[at] as Held, own.has(parameter), room),
  );
  const members = held
    .filter(({ node }) => hasMembers(node))
    .map(
      ({ holder, node }) =>
        `${code(textOf(holder.name))} in detail:\n\n${membersMarkdown(node, room, false)}`,
    );
  return joined([[...HEAD, ...rows].join('\n'), ...members]);
}

const HEAD = ['| Name | In | Type | Required | Description |', '|---|---|---|---|---|'];

function rowOf(parameter: Parameter, held: Held, isOwn: boolean, room: PageBudget): string {
  const text = heldText(held, room);
  const cells = [
    code(parameter.name),
    inline(parameter.in),
    valueFacts(held, room),
    parameter.required === true || parameter.in === 'path' ? 'yes' : 'no',
    inline(
      `${parameter.deprecated === true ? 'Deprecated. ' : ''}${isOwn ? text : truncate(text, MAX_SHARED)}`,
    ),
  ];
  return `| ${cells.map(cell).join(' | ')} |`;
}

/** The description of a parameter or a header, otherwise that of its schema. */
export function heldText({ holder, node }: Held, { page }: PageBudget): string {
  const text = textOf(holder.description) || textOf(keyword(node.shape, 'description'));
  return linked(page.context, text);
}

/**
 * The type of a parameter's or a header's value, its bounds, how it is written, examples, and what is said of its items.
 * It counts against `room`; where it would take all of that, it has fewer allowed values.
 */
export function valueFacts(held: Held, room: PageBudget): string {
  const { context } = room.page;
  const whole = factsOf(held, context, false);
  const text = whole.length > room.left ? factsOf(held, context, true) : whole;
  room.left = Math.max(0, room.left - text.length);
  return text;
}

function factsOf(
  { holder, schema, node }: Held,
  context: ReferenceContext,
  hasFewValues: boolean,
): string {
  const { shape, element } = node;
  const [mediaType, media] =
    Object.entries(isObject(holder.content) ? holder.content : {})[0] ?? [];
  const own = [...examplesOf(context, holder), ...examplesOf(context, media)];
  const facts = [
    schema === undefined ? '' : typeText(context.document, shape),
    ...constraints(shape, hasFewValues),
    ...(mediaType === undefined ? [] : [`as ${code(mediaType)}`]),
    ...(typeof holder.style === 'string' ? [`style ${inline(holder.style)}`] : []),
    ...(typeof holder.explode === 'boolean' ? [holder.explode ? 'exploded' : 'not exploded'] : []),
    ...(holder.allowReserved === true ? ['reserved characters stay as they are'] : []),
    ...(holder.allowEmptyValue === true ? ['may be empty'] : []),
    ...(own.length > 0 ? exampleFact(own) : exampleFacts(shape)),
    ...itemFacts(shape, element, hasFewValues),
  ];
  return facts.filter(Boolean).join(', ');
}

/** The values of `example` and `examples`. */
function examplesOf({ document }: ReferenceContext, holder: unknown): unknown[] {
  const { example, examples } = isObject(holder) ? holder : {};
  const named = Object.values(isObject(examples) ? examples : {}).map((one) => {
    const found = resolveReference(document, one);
    return isObject(found) ? (found.dataValue ?? found.value ?? found.serializedValue) : undefined;
  });
  return [example, ...named].filter((value) => value !== undefined);
}
