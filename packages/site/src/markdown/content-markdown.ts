import { truncate } from '@petstore/service/text.ts';
import { isObject, type OpenApiDocument, textOf } from '../openapi/openapi-types.ts';
import { resolveReference } from '../openapi/references.ts';
import { type Example, examplesOf } from '../reference/examples/examples.ts';
import type { Direction } from '../reference/examples/sample-schema.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { toJson } from '../syntax/exact-text.ts';
import { toPointer } from '../syntax/source.ts';
import { bulletList, code, codeBlock, inline, joined, literal } from './markdown-text.ts';
import { valueFacts } from './parameters-markdown.ts';
import { type PageBudget, schemaMarkdown } from './schema-markdown.ts';
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
    descriptionOf(operation.requestBody, body),
    ...contents(part, body.content, direction, ['requestBody', 'content']),
  ]);
}

/** The responses by status. */
export function responses(part: OperationPart): string {
  const { context, operation, level } = part;
  const { document } = context;
  if (!isObject(operation.responses)) return '';
  const parts = Object.entries(operation.responses).flatMap(([status, value]) => {
    const response = resolveReference(document, value);
    if (!isObject(response) || status.startsWith('x-')) return [];
    const description = inline(descriptionOf(value, response));
    return [
      `${level}# ${literal(status)}${description ? `: ${description}` : ''}`,
      headers(document, response.headers),
      ...contents(part, response.content, 'response', ['responses', status, 'content']),
      links(document, response.links),
    ];
  });
  return parts.length > 0 ? joined([`${level} Responses`, ...parts]) : '';
}

function headers(document: OpenApiDocument, given: unknown): string {
  return bulletList(
    (isObject(given) ? Object.entries(given) : []).map(([name, value]) => {
      const header = resolveReference(document, value);
      if (!isObject(header)) return `Header ${code(name)}`;
      const facts = [
        valueFacts(document, header),
        ...(header.required === true ? ['required'] : []),
        ...(header.deprecated === true ? ['deprecated'] : []),
      ];
      const about = [facts.filter(Boolean).join(', '), inline(descriptionOf(value, header))];
      return `Header ${code(name)}${withColon(about.filter(Boolean).join('. '))}`;
    }),
  );
}

/** What of a response leads to another operation. */
function links(document: OpenApiDocument, given: unknown): string {
  return bulletList(
    (isObject(given) ? Object.entries(given) : []).flatMap(([name, value]) => {
      const link = resolveReference(document, value);
      if (!isObject(link)) return [];
      const target = textOf(link.operationId) || textOf(link.operationRef);
      const parameters = (isObject(link.parameters) ? Object.entries(link.parameters) : []).map(
        ([parameter, from]) => `${code(parameter)} = ${expression(from)}`,
      );
      const body = link.requestBody === undefined ? [] : [`body = ${expression(link.requestBody)}`];
      const values = [...parameters, ...body].join(', ');
      const about = [
        `${target ? `to ${code(target)}` : ''}${values ? ` with ${values}` : ''}`.trim(),
        inline(descriptionOf(value, link)),
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
    const schema =
      media.schema === undefined ? '' : schemaMarkdown(context.document, media.schema, room);
    const place = toPointer([...location, ...path, type]);
    const examples = examplesOf(context, media, type, direction, place);
    return [code(type), schema, encodings(media), ...exampleBlocks(examples, room)];
  });
}

function encodings({ encoding }: Record<string, unknown>): string {
  return bulletList(
    (isObject(encoding) ? Object.entries(encoding) : []).flatMap(([name, value]) => {
      if (!isObject(value)) return [];
      const facts = [
        ...(typeof value.contentType === 'string' ? [code(value.contentType)] : []),
        ...(typeof value.style === 'string' ? [`style ${inline(value.style)}`] : []),
        ...(typeof value.explode === 'boolean'
          ? [value.explode ? 'exploded' : 'not exploded']
          : []),
      ];
      return facts.length > 0 ? [`Part ${code(name)}: sent as ${facts.join(', ')}`] : [];
    }),
  );
}

/** Examples in blocks of code, those with names below them. */
export function exampleBlocks(examples: readonly Example[], room: PageBudget): string[] {
  const blocks = examples.slice(0, MAX_EXAMPLES).map((example) => {
    const { name, summary, description } = example;
    const title = examples.length > 1 ? inline(summary) || literal(name) : '';
    return joined([
      truncate(inline(description), MAX_SHARED),
      exampleBlock(example, title ? `, ${title}` : '', room),
    ]);
  });
  const more = examples.length - blocks.length;
  return [...blocks, more > 0 ? `… and ${more} more examples: see the OpenAPI document.` : ''];
}

function exampleBlock(
  { text, language, isCut, isGenerated, link }: Example,
  title: string,
  room: PageBudget,
): string {
  if (link !== undefined) return `Example${title}: ${code(link)}`;
  const isLong = text.length > room.left || (isCut && !isGenerated);
  if (isLong) return `The example${title && `${title},`} is long: see the OpenAPI document.`;
  room.left -= text.length;
  return `Example${title}:\n\n${codeBlock(language === 'text' ? '' : language, text)}`;
}
