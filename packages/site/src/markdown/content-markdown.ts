import { truncate } from '@petstore/service/text.ts';
import { isObject, textOf } from '../openapi/openapi-types.ts';
import { resolveReference } from '../openapi/references.ts';
import { positionalEncodings } from '../reference/encodings.ts';
import { type Example, examplesOf } from '../reference/examples/examples.ts';
import type { Direction } from '../reference/examples/sample-schema.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { toJson } from '../syntax/exact-text.ts';
import { toPointer } from '../syntax/source.ts';
import { bulletList, code, codeBlock, inline, joined, literal } from './markdown-text.ts';
import { heldIn, heldText, valueFacts } from './parameters-markdown.ts';
import { WHOLE } from './schema-facts.ts';
import { hasMembers, membersMarkdown, type PageBudget, schemaMarkdown } from './schema-markdown.ts';
import { descriptionOf, MAX_SHARED } from './shared-description.ts';

/** An operation as a part of a page. */
export interface OperationPart {
  readonly context: ReferenceContext;
  readonly operation: Record<string, unknown>;
  readonly room: PageBudget;
  /** What its headings begin with: `##`. */
  readonly level: string;
  /** Where the operation is in the document, for warnings. */
  readonly location: readonly string[];
}

/** A request's body. `direction`: that of a webhook is what a reader gets. */
export function requestBody(part: OperationPart, direction: Direction): string {
  const { context, operation, level } = part;
  const body = resolveReference(context.document, operation.requestBody);
  if (!isObject(body)) return '';
  return joined([
    `${level} Request body${body.required === true ? ' (required)' : ''}`,
    descriptionOf(context, operation.requestBody, body),
    ...contents(part, body.content, direction, ['requestBody', 'content']),
  ]);
}

/** The responses by status. */
export function responses(part: OperationPart): string {
  const { context, operation, level, room } = part;
  if (!isObject(operation.responses)) return '';
  const parts = Object.entries(operation.responses).flatMap(([status, value]) => {
    const response = resolveReference(context.document, value);
    if (!isObject(response) || status.startsWith('x-')) return [];
    const description = inline(descriptionOf(context, value, response));
    const ofReference = isObject(value) ? textOf(value.summary) : '';
    const summary = inline(ofReference || textOf(response.summary));
    return [
      `${level}# ${literal(status)}${withColon(summary || description)}`,
      summary && description,
      headers(response.headers, room),
      ...contents(part, response.content, 'response', ['responses', status, 'content']),
      links(context, response.links),
    ];
  });
  return parts.length > 0 ? joined([`${level} Responses`, ...parts]) : '';
}

function headers(given: unknown, room: PageBudget): string {
  const { context } = room.page;
  return bulletList(
    (isObject(given) ? Object.entries(given) : []).map(([name, value]) => {
      const header = resolveReference(context.document, value);
      if (!isObject(header)) return `Header ${code(name)}`;
      const held = heldIn(header, room);
      const facts = [
        valueFacts(held, room),
        ...(header.required === true ? ['required'] : []),
        ...(header.deprecated === true ? ['deprecated'] : []),
      ];
      const isOwn = !isObject(value) || value.$ref === undefined;
      const text = inline(heldText(held, room));
      const about = [facts.filter(Boolean).join(', '), isOwn ? text : truncate(text, MAX_SHARED)];
      const members = hasMembers(held.node)
        ? `\n${membersMarkdown(held.node, room, false).replace(/^/gm, '  ')}`
        : '';
      return `Header ${code(name)}${withColon(about.filter(Boolean).join('. '))}${members}`;
    }),
  );
}

/** What of a response leads to another operation. */
function links(context: ReferenceContext, given: unknown): string {
  return bulletList(
    (isObject(given) ? Object.entries(given) : []).flatMap(([name, value]) => {
      const link = resolveReference(context.document, value);
      if (!isObject(link)) return [];
      const target = textOf(link.operationId) || textOf(link.operationRef);
      const parameters = (isObject(link.parameters) ? Object.entries(link.parameters) : []).map(
        ([parameter, from]) => `${code(parameter)} = ${expression(from)}`,
      );
      const body = link.requestBody === undefined ? [] : [`body = ${expression(link.requestBody)}`];
      const values = [...parameters, ...body].join(', ');
      const about = [
        `${target ? `to ${code(target)}` : ''}${values ? ` with ${values}` : ''}`.trim(),
        inline(descriptionOf(context, value, link)),
      ];
      return [`Link ${code(name)}${withColon(about.filter(Boolean).join('. '))}`];
    }),
  );
}

const expression = (value: unknown) =>
  code(truncate(typeof value === 'string' ? value : toJson(value, 0).trimEnd(), MAX_SHARED));

const withColon = (text: string) => (text ? `: ${text}` : '');

/** How many examples with names a media type shows. */
const MAX_EXAMPLES = 5;

/** For each media type the schema, how its parts are sent, and examples in blocks. */
function contents(
  { context, room, location }: OperationPart,
  content: unknown,
  direction: Direction,
  path: readonly string[],
): string[] {
  if (!isObject(content)) return [];
  return Object.entries(content).flatMap(([type, value]) => {
    const media = resolveReference(context.document, value);
    if (!isObject(media)) return [];
    const schema = media.schema === undefined ? '' : schemaMarkdown(media.schema, room);
    const items =
      media.itemSchema === undefined
        ? ''
        : `Each item of the stream:\n\n${schemaMarkdown(media.itemSchema, room)}`;
    const place = toPointer([...location, ...path, type]);
    const examples = examplesOf(context, media, type, direction, place);
    return [code(type), schema, items, encodings(media, room), ...exampleBlocks(examples, room)];
  });
}

/** How the parts of a form, or of a `multipart` body without names, are sent. */
function encodings(holder: Record<string, unknown>, room: PageBudget): string {
  const { encoding } = holder;
  const named = Object.entries(isObject(encoding) ? encoding : {}).map(
    ([name, value]) => [`Part ${code(name)}`, value] as const,
  );
  const positional = positionalEncodings(holder).map((one) => [one.name, one.encoding] as const);
  return bulletList(
    [...named, ...positional].flatMap(([title, value]) => {
      if (!isObject(value)) return [];
      const facts = [
        ...(typeof value.contentType === 'string' ? [code(value.contentType)] : []),
        ...(typeof value.style === 'string' ? [`style ${inline(value.style)}`] : []),
        ...(typeof value.explode === 'boolean'
          ? [value.explode ? 'exploded' : 'not exploded']
          : []),
      ];
      const inner = [headers(value.headers, room), encodings(value, room)]
        .filter(Boolean)
        .join('\n');
      if (facts.length === 0 && inner === '') return [];
      const sent = facts.length > 0 ? `: sent as ${facts.join(', ')}` : '';
      return [`${title}${sent}${inner && `\n${inner.replace(/^/gm, '  ')}`}`];
    }),
  );
}

/** Examples in blocks of code, with what they are called where there are several. Of very many the names are listed. */
export function exampleBlocks(examples: readonly Example[], room: PageBudget): string[] {
  const titleOf = ({ name, summary }: Example) => inline(summary) || literal(name);
  const blocks = examples
    .slice(0, MAX_EXAMPLES)
    .map((example) =>
      joined([
        truncate(inline(example.description), MAX_SHARED),
        exampleBlock(example, examples.length > 1 ? titleOf(example) : '', room),
      ]),
    );
  const more = examples.slice(MAX_EXAMPLES).map(titleOf);
  if (more.length === 0) return blocks;
  return [...blocks, `… and ${more.length} more examples, ${WHOLE}: ${more.join(', ')}`];
}

function exampleBlock(
  { text, language, isCut, isGenerated, link }: Example,
  name: string,
  room: PageBudget,
): string {
  const title = name && `, ${name}`;
  if (link !== undefined) return `Example${title}: ${code(link)}`;
  const isLong = text.length > room.left || (isCut && !isGenerated);
  if (isLong) return `The example${title && `${title},`} is long: ${WHOLE}.`;
  room.left -= text.length;
  const block = `Example${title}:\n\n${codeBlock(language === 'text' ? '' : language, text)}`;
  return isCut ? `${block}\n\nShortened. The schema has more members: ${WHOLE}.` : block;
}
