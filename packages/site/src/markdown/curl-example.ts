import { isObject, type OpenApiDocument, textOf } from '../openapi/openapi-types.ts';
import type { FoundOperation } from '../openapi/operations.ts';
import { resolveReference } from '../openapi/references.ts';
import { firstServer } from '../openapi/servers.ts';
import { isLongJson, toJson } from '../syntax/exact-text.ts';
import { exampleOf } from './content-markdown.ts';
import { parametersOf } from './parameters-markdown.ts';
import type { PageBudget } from './schema-markdown.ts';

/** The longest body that people would paste into a shell; a longer one is read from a file. */
const MAX_DATA = 20_000;

/** A command that sends an example of the operation's request. Its body counts against `room`. */
export function curlExample(
  document: OpenApiDocument,
  found: FoundOperation,
  room: PageBudget,
): string {
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
