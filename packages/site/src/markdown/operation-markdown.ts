import { markNotes, readMarks } from '@petstore/reference/extension-fields.ts';
import { isObject } from '@petstore/reference/operations.ts';
import { truncate } from '@petstore/service/text.ts';
import {
  type CheckedDocument,
  type OpenApiDocument,
  type OperationSummary,
  textOf,
} from '../openapi/openapi-types.ts';
import { type FoundOperation, findOperations } from '../openapi/operations.ts';
import { resolveReference } from '../openapi/references.ts';
import { firstServer } from '../openapi/servers.ts';
import { type SiteFile, siteFiles, TYPES } from '../site/site-files.ts';
import { isLongJson, toJson } from '../syntax/exact-text.ts';
import { cell, code, codeBlock, inline, literal } from './markdown-text.ts';
import { constraints, type SizeBudget, schemaMarkdown, typeText } from './schema-markdown.ts';
import { sampleOf } from './schema-sample.ts';

/**
 * The most letters of the schemas and examples of one operation, and of all. They repeat what others have, so with very
 * many operations each shows less of them.
 */
const MAX_LETTERS = 100_000;
const ALL_LETTERS = 12_000_000;

const made = new WeakMap<CheckedDocument, readonly SiteFile[]>();

/**
 * A page of Markdown for each operation. They are made once, since several files of a site include them. Throws
 * SiteRefusal when they are too large.
 */
export function operationFiles(checked: CheckedDocument): readonly SiteFile[] {
  const files = made.get(checked) ?? makeFiles(checked);
  made.set(checked, files);
  return files;
}

function makeFiles({ upgraded, operations }: CheckedDocument): readonly SiteFile[] {
  const found = [...findOperations(upgraded)];
  // These pages alone must not exceed the limit of a site.
  const files = siteFiles();
  const share = Math.min(MAX_LETTERS, Math.floor(ALL_LETTERS / operations.length));
  files.add(
    operations.values().map((summary, at) => ({
      path: summary.markdownPath,
      type: TYPES.markdown,
      content: operationMarkdown(upgraded, found[at] as FoundOperation, summary, { left: share }),
    })),
  );
  return files.all();
}

/** An operation of an OpenAPI 3.1 document as a page of Markdown. */
function operationMarkdown(
  document: OpenApiDocument,
  found: FoundOperation,
  { title, deprecated }: OperationSummary,
  room: SizeBudget,
): string {
  const { method, path, isWebhook, operation } = found;
  const marks = readMarks(operation);
  const blocks = [
    `# ${literal(title)}`,
    isWebhook ? `Webhook ${code(path)}, sent as ${method}` : code(`${method} ${path}`),
    ...markNotes(marks),
    ...(marks.stability ? [`Stability: ${marks.stability}`] : []),
    ...(deprecated && !marks.sunset ? ['**Deprecated.**'] : []),
    textOf(operation.description).trim(),
    parametersTable(document, found),
    requestBody(document, operation, room),
    responses(document, operation, room),
    security(document, operation),
    ...(isWebhook ? [] : [`## Example\n\n${codeBlock('sh', curlExample(document, found, room))}`]),
  ];
  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

/**
 * The most letters of a description that several operations share. It is repeated in each, and hundreds of repetitions
 * would make a small document large.
 */
const MAX_SHARED = 500;

/** The description of `given`, or of what it refers to: in full where the operation has it to itself. */
function descriptionOf(given: unknown, { description }: Record<string, unknown>): string {
  const text = textOf(description).trim();
  const isOwn = !isObject(given) || given.$ref === undefined;
  return isOwn ? text : truncate(text, MAX_SHARED);
}

function parametersTable(document: OpenApiDocument, found: FoundOperation): string {
  const { parameters } = found.operation;
  const own = new Set<unknown>(Array.isArray(parameters) ? parameters : []);
  const rows = parametersOf(document, found).map((parameter) => {
    const schema = resolveReference(document, parameter.schema);
    const facts = isObject(schema) ? constraints(schema) : [];
    const type = [typeText(document, parameter.schema), ...facts].filter(Boolean).join(', ');
    const text = textOf(parameter.description);
    const description = own.has(parameter) ? text : truncate(text, MAX_SHARED);
    const cells = [
      code(textOf(parameter.name)),
      textOf(parameter.in),
      type,
      parameter.required === true ? 'yes' : 'no',
      `${parameter.deprecated === true ? 'Deprecated. ' : ''}${description}`,
    ];
    return `| ${cells.map(cell).join(' | ')} |`;
  });
  if (rows.length === 0) return '';
  return `## Parameters\n\n| Name | In | Type | Required | Description |\n|---|---|---|---|---|\n${rows.join('\n')}`;
}

function requestBody(
  document: OpenApiDocument,
  operation: Record<string, unknown>,
  room: SizeBudget,
): string {
  const body = resolveReference(document, operation.requestBody);
  if (!isObject(body)) return '';
  const parts = [
    `## Request body${body.required === true ? ' (required)' : ''}`,
    descriptionOf(operation.requestBody, body),
    ...contents(document, body.content, room),
  ];
  return parts.filter(Boolean).join('\n\n');
}

function responses(
  document: OpenApiDocument,
  operation: Record<string, unknown>,
  room: SizeBudget,
): string {
  if (!isObject(operation.responses)) return '';
  const responses = Object.entries(operation.responses).flatMap(([status, value]) => {
    const response = resolveReference(document, value);
    if (!isObject(response) || status.startsWith('x-')) return [];
    const description = inline(descriptionOf(value, response));
    const headers = isObject(response.headers) ? Object.entries(response.headers) : [];
    return [
      `### ${literal(status)}${description ? `: ${description}` : ''}`,
      headers
        .map(([name, given]) => {
          const header = resolveReference(document, given);
          const about = isObject(header) ? inline(descriptionOf(given, header)) : '';
          return `- Header ${code(name)}${about ? `: ${about}` : ''}`;
        })
        .join('\n'),
      ...contents(document, response.content, room),
    ].filter(Boolean);
  });
  return responses.length > 0 ? `## Responses\n\n${responses.join('\n\n')}` : '';
}

/** For each media type the schema, and an example in a block. */
function contents(document: OpenApiDocument, content: unknown, room: SizeBudget): string[] {
  if (!isObject(content)) return [];
  return Object.entries(content).flatMap(([type, media]) => {
    if (!isObject(media)) return [];
    const example = exampleOf(document, media);
    const schema = media.schema === undefined ? '' : schemaMarkdown(document, media.schema, room);
    return [code(type), schema, exampleBlock(type, example, room)];
  });
}

function exampleBlock(type: string, example: unknown, room: SizeBudget): string {
  if (example === undefined) return '';
  const isText = typeof example === 'string' && !/json/i.test(type);
  const isLong = isText ? example.length > room.left : isLongJson(example, room.left);
  if (isLong) return 'The example is long: see the OpenAPI document.';
  const text = isText ? example : toJson(example);
  room.left -= text.length;
  return `Example:\n\n${codeBlock(isText ? '' : 'json', text)}`;
}

function security(document: OpenApiDocument, operation: Record<string, unknown>): string {
  const ways = securityOf(document, operation);
  if (ways.length === 0) return '';
  const lines = ways.map((schemes) => {
    if (schemes.length === 0) return '- None';
    return `- ${schemes.map(({ name, scheme }) => `${code(name)}${schemeText(scheme)}`).join(' and ')}`;
  });
  return `## Authentication\n\n${lines.join('\n')}`;
}

function schemeText(scheme: Record<string, unknown>): string {
  const { type } = scheme;
  if (type === 'http') return `: HTTP ${inline(textOf(scheme.scheme))}`;
  if (type === 'apiKey')
    return `: API key in the ${inline(textOf(scheme.in))} parameter ${code(textOf(scheme.name))}`;
  return typeof type === 'string' ? `: ${inline(type)}` : '';
}

/** The parameters of an operation: its own, then those of its path. */
function parametersOf(
  document: OpenApiDocument,
  { item, operation }: FoundOperation,
): Record<string, unknown>[] {
  const byName = new Map<string, Record<string, unknown>>();
  for (const { parameters } of [operation, item]) {
    for (const one of Array.isArray(parameters) ? parameters : []) {
      const parameter = resolveReference(document, one);
      if (!isObject(parameter)) continue;
      const key = `${parameter.in} ${parameter.name}`;
      if (!byName.has(key)) byName.set(key, parameter);
    }
  }
  return [...byName.values()];
}

/** An example of a request or response body: the given one, or one generated from the schema. */
function exampleOf(document: OpenApiDocument, media: Record<string, unknown>): unknown {
  if (media.example !== undefined) return media.example;
  const [first] = isObject(media.examples) ? Object.values(media.examples) : [];
  const example = resolveReference(document, first);
  if (isObject(example) && example.value !== undefined) return example.value;
  return sampleOf(document, media.schema);
}

/** The longest body that people would paste into a shell; a longer one is read from a file. */
const MAX_DATA = 20_000;

/** A command that sends an example of the operation's request. Its body counts against `room`. */
function curlExample(document: OpenApiDocument, found: FoundOperation, room: SizeBudget): string {
  const { method, path, item, operation } = found;
  const parameters = parametersOf(document, found);
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required === true)
    .map(
      (parameter) =>
        `${encodeURIComponent(textOf(parameter.name))}=${encodeURIComponent(sampleText(document, parameter))}`,
    );
  const address = `${firstServer(operation, item, document)}${path}`;
  const body = resolveReference(document, operation.requestBody);
  const [type, media] =
    (isObject(body) && isObject(body.content) ? Object.entries(body.content)[0] : undefined) ?? [];
  const example = isObject(media) ? exampleOf(document, media) : undefined;
  const headers = [
    ...securityHeaders(document, operation),
    ...parameters
      .filter((parameter) => parameter.in === 'header' && parameter.required === true)
      .map((parameter) => `${parameter.name}: ${sampleText(document, parameter)}`),
    ...(example !== undefined ? [`Content-Type: ${type}`] : []),
  ];
  const data = bodyText(example ?? '', Math.min(MAX_DATA, room.left)) ?? '@body.json';
  room.left -= data.length;
  return [
    `curl -X ${method} ${quoted(query.length > 0 ? `${address}?${query.join('&')}` : address)}`,
    ...headers.map((header) => `-H ${quoted(header)}`),
    ...(example !== undefined ? [`--data ${quoted(data)}`] : []),
  ].join(' \\\n  ');
}

/** A body as text; undefined where it is longer than `most`. */
function bodyText(example: unknown, most: number): string | undefined {
  if (typeof example === 'string') return example.length > most ? undefined : example;
  // The line feed at its end does not count.
  return isLongJson(example, most + 1) ? undefined : toJson(example).trimEnd();
}

function sampleText(document: OpenApiDocument, parameter: Record<string, unknown>): string {
  const sample = exampleOf(document, parameter) ?? 'value';
  return typeof sample === 'object' ? toJson(sample, 0).trimEnd() : String(sample);
}

/** For a shell: within single quotes nothing is special. */
function quoted(text: string): string {
  return `'${text.replace(/[\r\n]+/g, '\n').replaceAll("'", `'\\''`)}'`;
}

function securityHeaders(document: OpenApiDocument, operation: Record<string, unknown>): string[] {
  return securityOf(document, operation)
    .slice(0, 1)
    .flat()
    .flatMap(({ scheme }) => {
      if (scheme.type === 'apiKey') {
        return scheme.in === 'header' ? [`${textOf(scheme.name)}: <API_KEY>`] : [];
      }
      const isBasic = textOf(scheme.scheme).toLowerCase() === 'basic';
      return [`Authorization: ${isBasic ? 'Basic <CREDENTIALS>' : 'Bearer <TOKEN>'}`];
    });
}

/** The alternative ways to authenticate, each with the schemes that it needs together. */
function securityOf(
  document: OpenApiDocument,
  operation: Record<string, unknown>,
): { name: string; scheme: Record<string, unknown> }[][] {
  const requirements = operation.security ?? document.security;
  const components = isObject(document.components) ? document.components : {};
  const schemes = isObject(components.securitySchemes) ? components.securitySchemes : {};
  return (Array.isArray(requirements) ? requirements : []).filter(isObject).map((requirement) =>
    Object.keys(requirement).map((name) => {
      const scheme = Object.hasOwn(schemes, name)
        ? resolveReference(document, schemes[name])
        : undefined;
      return { name, scheme: isObject(scheme) ? scheme : {} };
    }),
  );
}
