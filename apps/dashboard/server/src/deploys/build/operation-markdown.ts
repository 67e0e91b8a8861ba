import { markNotes, readMarks } from '@petstore/reference/extension-fields.ts';
import { curlExample, exampleOf, parametersOf, securityOf } from './curl-example.ts';
import { toJson } from './exact-text.ts';
import { cell, code, codeBlock, inline, literal } from './markdown-text.ts';
import { TYPES } from './media-types.ts';
import {
  type CheckedDocument,
  isObject,
  type OpenApiDocument,
  type OperationSummary,
  textOf,
} from './openapi-types.ts';
import { type FoundOperation, findOperations } from './operations.ts';
import { followed } from './references.ts';
import { constraints, schemaMarkdown, typeText } from './schema-markdown.ts';
import type { SiteFile } from './site-file.ts';

const made = new WeakMap<CheckedDocument, SiteFile[]>();

/** A page of Markdown for each operation; made once, since several files of a site have them. */
export function operationFiles(checked: CheckedDocument): SiteFile[] {
  const files = made.get(checked) ?? makeFiles(checked);
  made.set(checked, files);
  return files;
}

function makeFiles({ upgraded, operations }: CheckedDocument): SiteFile[] {
  const found = [...findOperations(upgraded)];
  return operations.map((summary, at) => ({
    path: summary.markdownPath,
    type: TYPES.markdown,
    content: operationMarkdown(upgraded, found[at] as FoundOperation, summary),
  }));
}

/** An operation of an OpenAPI 3.1 document as a page of Markdown. */
function operationMarkdown(
  document: OpenApiDocument,
  found: FoundOperation,
  { title, deprecated }: OperationSummary,
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
    requestBody(document, operation),
    responses(document, operation),
    security(document, operation),
    ...(isWebhook ? [] : [`## Example\n\n${codeBlock('sh', curlExample(document, found))}`]),
  ];
  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

function parametersTable(document: OpenApiDocument, found: FoundOperation): string {
  const rows = parametersOf(document, found).map((parameter) => {
    const schema = followed(document, parameter.schema);
    const facts = isObject(schema) ? constraints(schema) : [];
    const type = [typeText(document, parameter.schema), ...facts].filter(Boolean).join(', ');
    const description = textOf(parameter.description);
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

function requestBody(document: OpenApiDocument, operation: Record<string, unknown>): string {
  const body = followed(document, operation.requestBody);
  if (!isObject(body)) return '';
  const parts = [
    `## Request body${body.required === true ? ' (required)' : ''}`,
    textOf(body.description).trim(),
    ...contents(document, body.content),
  ];
  return parts.filter(Boolean).join('\n\n');
}

function responses(document: OpenApiDocument, operation: Record<string, unknown>): string {
  if (!isObject(operation.responses)) return '';
  const answers = Object.entries(operation.responses).flatMap(([status, value]) => {
    const response = followed(document, value);
    if (!isObject(response) || status.startsWith('x-')) return [];
    const description = inline(textOf(response.description));
    const headers = isObject(response.headers) ? Object.entries(response.headers) : [];
    return [
      `### ${literal(status)}${description ? `: ${description}` : ''}`,
      headers
        .map(([name, given]) => {
          const header = followed(document, given);
          const about = isObject(header) ? inline(textOf(header.description)) : '';
          return `- Header ${code(name)}${about ? `: ${about}` : ''}`;
        })
        .join('\n'),
      ...contents(document, response.content),
    ].filter(Boolean);
  });
  return answers.length > 0 ? `## Responses\n\n${answers.join('\n\n')}` : '';
}

/** For each media type the schema, and an example in a block of its own. */
function contents(document: OpenApiDocument, content: unknown): string[] {
  if (!isObject(content)) return [];
  return Object.entries(content).flatMap(([type, media]) => {
    if (!isObject(media)) return [];
    const example = exampleOf(document, media);
    const isText = typeof example === 'string' && !/json/i.test(type);
    return [
      code(type),
      media.schema === undefined ? '' : schemaMarkdown(document, media.schema),
      example === undefined
        ? ''
        : `Example:\n\n${codeBlock(isText ? '' : 'json', isText ? example : toJson(example))}`,
    ];
  });
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
