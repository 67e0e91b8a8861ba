import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { mergeParameters } from '@petstore/site/openapi/parameters.ts';
import { type Requirement, requirementsOf } from '@petstore/site/openapi/security.ts';
import { serversOf } from '@petstore/site/openapi/servers.ts';
import type { ListedApi } from '@petstore/site/site/listed-api.ts';
import { toJson } from '@petstore/site/syntax/exact-text.ts';
import { findInApis } from './find-in-apis.ts';
import { dereference, type FoundOperation, type WantedOperation } from './find-operation.ts';
import type { PartialDocument } from './operation-document.ts';
import { rewrite } from './references.ts';
import { resolveSchemas } from './resolve-schemas.ts';
import { operationPage } from './search-tool.ts';
import type { SiteReader } from './site-reader.ts';
import { ToolError } from './tool-error.ts';

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
  const { api, document, found } = await findInApis(reader, wanted);
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
