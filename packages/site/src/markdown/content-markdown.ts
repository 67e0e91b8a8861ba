import { truncate } from '@petstore/service/text.ts';
import { isObject, type OpenApiDocument, textOf } from '../openapi/openapi-types.ts';
import { resolveReference } from '../openapi/references.ts';
import { isLongJson, toJson } from '../syntax/exact-text.ts';
import { bulletList, code, codeBlock, inline, joined, literal } from './markdown-text.ts';
import { valueFacts } from './parameters-markdown.ts';
import { type PageBudget, schemaMarkdown } from './schema-markdown.ts';
import { sampleOf } from './schema-sample.ts';
import { descriptionOf, MAX_SHARED } from './shared-description.ts';

/** A request's body below a heading of the level `#`, `##` and so on. */
export function requestBody(
  document: OpenApiDocument,
  operation: Record<string, unknown>,
  room: PageBudget,
  level: string,
): string {
  const body = resolveReference(document, operation.requestBody);
  if (!isObject(body)) return '';
  return joined([
    `${level} Request body${body.required === true ? ' (required)' : ''}`,
    descriptionOf(operation.requestBody, body),
    ...contents(document, body.content, room),
  ]);
}

/** The responses by status below a heading of the level `#`, `##` and so on. */
export function responses(
  document: OpenApiDocument,
  operation: Record<string, unknown>,
  room: PageBudget,
  level: string,
): string {
  if (!isObject(operation.responses)) return '';
  const parts = Object.entries(operation.responses).flatMap(([status, value]) => {
    const response = resolveReference(document, value);
    if (!isObject(response) || status.startsWith('x-')) return [];
    const description = inline(descriptionOf(value, response));
    return [
      `${level}# ${literal(status)}${description ? `: ${description}` : ''}`,
      headers(document, response.headers),
      ...contents(document, response.content, room),
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
function contents(document: OpenApiDocument, content: unknown, room: PageBudget): string[] {
  if (!isObject(content)) return [];
  return Object.entries(content).flatMap(([type, media]) => {
    if (!isObject(media)) return [];
    const schema = media.schema === undefined ? '' : schemaMarkdown(document, media.schema, room);
    return [code(type), schema, encodings(media), ...examples(document, type, media, room)];
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

/** The examples with names; otherwise the one that there is, or one made from the schema. */
function examples(
  document: OpenApiDocument,
  type: string,
  media: Record<string, unknown>,
  room: PageBudget,
): string[] {
  const named = media.example === undefined && isObject(media.examples) ? media.examples : {};
  const entries = Object.entries(named);
  if (entries.length < 2) return [exampleBlock(type, exampleOf(document, media), room)];
  const shown = entries.slice(0, MAX_EXAMPLES).map(([name, given]) => {
    const example = resolveReference(document, given);
    if (!isObject(example)) return '';
    const title = inline(textOf(example.summary)) || name;
    const value = example.value ?? example.dataValue ?? example.serializedValue;
    const text = inline(truncate(textOf(example.description), MAX_SHARED));
    return joined([text, exampleBlock(type, value, room, `Example, ${literal(title)}:`)]);
  });
  const more = entries.length - shown.length;
  return [...shown, more > 0 ? `… and ${more} more examples: see the OpenAPI document.` : ''];
}

/** An example of a request or response body: the given one, or one generated from the schema. */
export function exampleOf(document: OpenApiDocument, media: Record<string, unknown>): unknown {
  if (media.example !== undefined) return media.example;
  const [first] = isObject(media.examples) ? Object.values(media.examples) : [];
  const example = resolveReference(document, first);
  if (isObject(example) && example.value !== undefined) return example.value;
  return sampleOf(document, media.schema);
}

/** An example in a block of code, or where it is when it is long. */
export function exampleBlock(
  type: string,
  example: unknown,
  room: PageBudget,
  label = 'Example:',
): string {
  if (example === undefined) return '';
  const isText = typeof example === 'string' && !/json/i.test(type);
  const isLong = isText ? example.length > room.left : isLongJson(example, room.left);
  if (isLong) return 'The example is long: see the OpenAPI document.';
  const text = isText ? example : toJson(example);
  room.left -= text.length;
  return `${label}\n\n${codeBlock(isText ? '' : 'json', text)}`;
}
