import { nearest } from '@petstore/service/nearest.ts';
import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { mergeParameters } from '@petstore/site/openapi/parameters.ts';
import { type Requirement, requirementsOf } from '@petstore/site/openapi/security.ts';
import { serversOf } from '@petstore/site/openapi/servers.ts';
import { APIS_PATH, type ListedApi } from '@petstore/site/site/listed-api.ts';
import { toJson } from '@petstore/site/syntax/exact-text.ts';
import { type DocumentParts, findParts } from './document-parts.ts';
import {
  dereference,
  type FoundOperation,
  findOperation,
  lookUp,
  type WantedOperation,
} from './find-operation.ts';
import { type PartialDocument, partialDocument } from './operation-document.ts';
import { rewrite } from './references.ts';
import { resolveSchemas } from './resolve-schemas.ts';
import { operationPage } from './search-tool.ts';
import type { SiteReader } from './site-reader.ts';
import { ToolError } from './tool-error.ts';

/** The document of a site that does not list its APIs. */
const DOCUMENT = '/openapi.json';

/** Memory of a place in a document, with its names: measured, rounded up. */
const PART_BYTES = 300;

/** Bytes of an operation without its definitions. One with more comes without its examples. */
const MAX_OPERATION_BYTES = 100_000;

/** What Swagger 2.0 says of all operations in place of servers and media types. */
const SWAGGER = ['host', 'basePath', 'schemes', 'consumes', 'produces'] as const;

/**
 * An operation of the site's documents in JSON, with every digit: its parameters, body, responses and security, with
 * references resolved. Throws ToolError where there is no such operation, or
 * where several APIs have it.
 */
export async function getOperation(reader: SiteReader, wanted: WantedOperation): Promise<string> {
  const { api, document, found } = await find(reader, wanted);
  const { value, definitions, omitted } = resolveSchemas(document, describe(document, found));
  const page = await pageOf(reader, found, api);
  const result = {
    ...(page !== undefined && { page }),
    ...(api && { api: api.address }),
    ...withinBounds(value, page),
    ...(definitions.size > 0 && { definitions: Object.fromEntries(definitions) }),
    ...(omitted.length > 0 && {
      omittedDefinitions: omitted,
      note: 'These definitions would be too much for one answer. Search for their names: each has a page.',
    }),
  };
  return toJson(result, 0).trimEnd();
}

interface Found {
  /** undefined where the site does not list its APIs. */
  readonly api: ListedApi | undefined;
  readonly document: PartialDocument;
  readonly found: FoundOperation;
}

/** Finds an operation in the site's document or, of several, in the one that is meant or is the only one that has it. */
async function find(reader: SiteReader, wanted: WantedOperation): Promise<Found> {
  const listed = await reader.derived(APIS_PATH, parsedApis, (_, { length }) => length);
  if (listed === undefined) {
    const opened = await openDocument(reader, DOCUMENT);
    if (!opened) throw new ToolError('This site documents no API: it has guides alone.');
    const { document, parts } = opened;
    return { api: undefined, document, found: findOperation(document, parts, wanted) };
  }
  const apis = meantApis(listed, wanted.api);
  const all: Found[] = [];
  const ids: string[] = [];
  for (const api of apis) {
    const opened = await openDocument(reader, api.document);
    if (!opened) continue;
    const { document, parts } = opened;
    // Where one is meant, what is wrong can be told of it.
    const only = apis.length === 1 ? findOperation(document, parts, wanted) : undefined;
    const found = only ?? lookUp(document, parts, wanted);
    if (found) all.push({ api, document, found });
    else for (const id of parts.operations.keys()) ids.push(id);
  }
  const [first, second] = all;
  if (first && !second) return first;
  if (first)
    throw new ToolError(
      `${nameOf(wanted)} is in several APIs. Give api, ${oneOf(all.flatMap(({ api }) => api ?? []))}.`,
    );
  const near = wanted.operationId === undefined ? undefined : nearest(wanted.operationId, ids);
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  throw new ToolError(
    `No API of this site has ${nameOf(wanted)}.${meant} The tool search finds operations.`,
  );
}

const parsedApis = (bytes: Buffer) => JSON.parse(bytes.toString()) as readonly ListedApi[];

/** The API with an address, or all where none is said. Throws ToolError where there is no such API. */
function meantApis(listed: readonly ListedApi[], address: string | undefined) {
  if (address === undefined) return listed;
  const api = listed.find((one) => one.address === address);
  if (api) return [api];
  throw new ToolError(`There is no API ${address}. Give ${oneOf(listed)}.`);
}

/** How many APIs a message names. */
const MAX_NAMED = 50;

const oneOf = (apis: readonly ListedApi[]): string =>
  apis
    .slice(0, MAX_NAMED)
    .map(({ address, title }) => `${address} (${title})`)
    .join(' or ');

const nameOf = ({ operationId, method = '', path = '' }: WantedOperation): string =>
  operationId === undefined
    ? `the operation ${method.toUpperCase()} ${path}`
    : `the operationId ${operationId}`;

async function openDocument(reader: SiteReader, path: string) {
  const parts = await reader.derived(path, findParts, memoryOf);
  const bytes = parts && (await reader.bytes(path));
  return parts && bytes && { parts, document: partialDocument(bytes, parts) };
}

const memoryOf = ({ places, operations }: DocumentParts) =>
  (places.size + operations.size) * PART_BYTES;

/** Nobody needs the page to use the operation. */
async function pageOf(reader: SiteReader, { method, name }: FoundOperation, api?: ListedApi) {
  return operationPage(reader, method.toUpperCase(), name, api?.address).catch(() => undefined);
}

/** An operation with all that holds for it, wherever the document says so. */
function describe(
  document: PartialDocument,
  { name, method, item, operation }: FoundOperation,
): Record<string, unknown> {
  const version = document.find(['openapi']);
  const shared = { servers: document.find(['servers']), security: document.find(['security']) };
  const servers = serversOf(operation, item, shared);
  const security = requirementsOf(shared, operation);
  const { operationId, parameters: _, servers: __, ...rest } = operation;
  return {
    specification: version === undefined ? 'Swagger 2.0' : `OpenAPI ${version}`,
    ...(operationId !== undefined && { operationId }),
    method: method.toUpperCase(),
    path: name,
    ...(version === undefined && sharedBySwagger(document)),
    ...(servers.length > 0 && { servers }),
    parameters: mergeParameters({ item, operation }, (one) => dereference(document, one)),
    ...rest,
    security,
    securitySchemes: schemesOf(document, security),
  };
}

function sharedBySwagger(document: PartialDocument): Record<string, unknown> {
  return Object.fromEntries(SWAGGER.map((name) => [name, document.find([name])]));
}

/** The schemes that the security requirements name. */
function schemesOf(
  document: PartialDocument,
  requirements: readonly Requirement[],
): Record<string, unknown> | undefined {
  const names = new Set(requirements.flatMap((requirement) => Object.keys(requirement)));
  const schemes = [...names].map((name) => [
    name,
    document.find(['components', 'securitySchemes', name]) ??
      document.find(['securityDefinitions', name]),
  ]);
  return schemes.length > 0 ? Object.fromEntries(schemes) : undefined;
}

function withinBounds(value: unknown, page: string | undefined): object {
  const versions = [() => value, () => rewrite(value, { hasNoExamples: true })];
  for (const version of versions) {
    const made = version();
    if (isObject(made) && toJson(made, 0).length <= MAX_OPERATION_BYTES) return made;
  }
  const where = page === undefined ? '' : `: ${page}`;
  throw new ToolError(
    `This operation is too large for one answer. Read its page in parts with read_page${where}.`,
  );
}
