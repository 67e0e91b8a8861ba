import { historyMarkdown } from '../changelog/operation-history.ts';
import { markNotes, readMarks } from '../openapi/extension-fields.ts';
import {
  isObject,
  type OpenApiDocument,
  type OperationSummary,
  textOf,
} from '../openapi/openapi-types.ts';
import { aboutOf, type FoundOperation, operationsOf } from '../openapi/operations.ts';
import { resolveReference } from '../openapi/references.ts';
import { marksOf, markText } from '../openapi/tags.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { type OperationPart, requestBody, responses } from './content-markdown.ts';
import { curlExample } from './curl-example.ts';
import { linked } from './description-links.ts';
import { closed, code, codeBlock, externalDocs, joined, literal } from './markdown-text.ts';
import { parametersMarkdown } from './parameters-markdown.ts';
import { pageBudget } from './schema-markdown.ts';
import { securityMarkdown } from './security-markdown.ts';
import { serversMarkdown } from './servers-markdown.ts';

/** An operation or a webhook as a page of Markdown. Its schemas and examples are cut where `room` is used up. */
export function operationMarkdown(
  context: ReferenceContext,
  summary: OperationSummary,
  found: FoundOperation,
  room = pageBudget(context),
): string {
  const { title, deprecated } = summary;
  const { method, path, isWebhook, item, operation } = found;
  const marks = readMarks(operation);
  const tagMarks = marksOf(context.document, operation).map(markText);
  const parameters = parametersMarkdown(found, room);
  const location = [isWebhook ? 'webhooks' : 'paths', path, method.toLowerCase()];
  const part: OperationPart = { context, operation, room, level: '##', location };
  const hasServers = [item, operation].some(({ servers }) => Array.isArray(servers));
  return `${joined([
    `# ${literal(title)}`,
    isWebhook ? `Webhook ${code(path)}, sent as ${method}` : code(`${method} ${path}`),
    ...markNotes(marks),
    marks.stability ? `Stability: ${marks.stability}` : '',
    deprecated && !marks.sunset ? '**Deprecated.**' : '',
    ...(tagMarks.length > 0 ? [`Marked: ${tagMarks.map(literal).join(', ')}`] : []),
    historyMarkdown(context, summary),
    textOf(operation.operationId) && `Operation id: ${code(textOf(operation.operationId))}`,
    closed(linked(context, aboutOf(found) || textOf(item.description)).trim()),
    externalDocs(operation.externalDocs),
    hasServers && !isWebhook ? serversMarkdown(context, [operation, item], '##') : '',
    parameters && `## Parameters\n\n${parameters}`,
    requestBody(part, isWebhook ? 'response' : 'request'),
    responses(part),
    callbacks(part),
    isWebhook && operation.security === undefined ? '' : securityMarkdown(context, operation),
    isWebhook ? '' : `## Example\n\n${codeBlock('sh', curlExample(context, found, room))}`,
  ])}\n`;
}

/** How many requests of callbacks an operation shows. */
const MAX_CALLBACKS = 20;

/** What the API sends back later, to an address that the request named. */
function callbacks({ context, operation, room, location }: OperationPart): string {
  const { document } = context;
  const all = callbackRequests(document, operation.callbacks).map(({ name, expression, found }) => {
    const part: OperationPart = {
      context,
      operation: found.operation,
      room,
      level: '####',
      location: [...location, 'callbacks', name, expression, ...found.location],
    };
    return joined([
      `### ${code(name)}: ${code(`${found.method} ${expression}`)}`,
      closed(
        linked(context, textOf(found.operation.description || found.operation.summary)).trim(),
      ),
      parametersMarkdown(found, room),
      requestBody(part, 'response'),
      responses(part),
    ]);
  });
  const more = all.length - MAX_CALLBACKS;
  const rest = more > 0 ? `… and ${more} more: see the OpenAPI document.` : '';
  return all.length > 0 ? joined(['## Callbacks', ...all.slice(0, MAX_CALLBACKS), rest]) : '';
}

interface CallbackRequest {
  readonly name: string;
  readonly expression: string;
  readonly found: FoundOperation;
}

function callbackRequests(document: OpenApiDocument, given: unknown): CallbackRequest[] {
  return (isObject(given) ? Object.entries(given) : []).flatMap(([name, value]) => {
    const callback = resolveReference(document, value);
    return (isObject(callback) ? Object.entries(callback) : []).flatMap(([expression, items]) => {
      const item = resolveReference(document, items);
      if (!isObject(item) || expression.startsWith('x-')) return [];
      return [...operationsOf(item)].map((one): CallbackRequest => {
        const found = { ...one, path: expression, isWebhook: true, item };
        return { name, expression, found };
      });
    });
  });
}
