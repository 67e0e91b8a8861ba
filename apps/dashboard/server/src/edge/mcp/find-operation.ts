import { nearest } from '@petstore/service/nearest.ts';
import { METHODS } from '@petstore/site/openapi/methods.ts';
import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { type DocumentParts, type OperationKey, SEPARATOR } from './document-parts.ts';
import type { PartialDocument } from './operation-document.ts';
import { ToolError } from './tool-error.ts';

/** An operation by its `operationId`, or by its method and path. */
export interface WantedOperation {
  /** The address of the API, of a site with several. */
  readonly api?: string | undefined;
  readonly operationId?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
}

export interface FoundOperation extends OperationKey {
  /** The path item, whose parameters and servers are the operation's too. */
  readonly item: Readonly<Record<string, unknown>>;
  readonly operation: Readonly<Record<string, unknown>>;
}

/** Finds an operation or a webhook. Throws ToolError that names the nearest where there is none. */
export function findOperation(
  document: PartialDocument,
  parts: DocumentParts,
  wanted: WantedOperation,
): FoundOperation {
  const found = lookUp(document, parts, wanted);
  if (found) return found;
  const { operationId, method = '', path = '' } = wanted;
  if (operationId !== undefined) {
    const near = nearest(operationId, parts.operations.keys());
    throw noOperation(`There is no operation with the operationId ${operationId}.`, near);
  }
  const paths = namesIn(parts, 'paths');
  const name = nameLike(paths, path);
  const methods = METHODS.filter((one) =>
    operationAt(document, { collection: 'paths', name, method: one }),
  );
  const what = `There is no operation ${method.toUpperCase()} ${path}.`;
  if (methods.length === 0) throw noOperation(what, nearest(path, paths));
  throw noOperation(`${what} ${name} has ${methods.join(', ').toUpperCase()}.`, undefined);
}

/** The same, and undefined where there is none. Throws ToolError where too little is said of it. */
export function lookUp(
  document: PartialDocument,
  parts: DocumentParts,
  { operationId, method, path }: WantedOperation,
): FoundOperation | undefined {
  if (operationId !== undefined) {
    const key = parts.operations.get(operationId);
    return key && operationAt(document, key);
  }
  if (method === undefined || path === undefined) {
    throw new ToolError('Give operationId, or method and path together.');
  }
  const name = nameLike(namesIn(parts, 'paths'), path);
  for (const collection of ['paths', 'webhooks']) {
    const found = operationAt(document, { collection, name, method: method.toLowerCase() });
    if (found) return found;
  }
  return undefined;
}

/** Whether a document may have an operation, as far as the names of its parts tell. */
export function mayHave(parts: DocumentParts, { operationId, path }: WantedOperation): boolean {
  if (operationId !== undefined) return parts.operations.has(operationId);
  if (path === undefined) return true;
  const paths = namesIn(parts, 'paths');
  return paths.includes(nameLike(paths, path)) || namesIn(parts, 'webhooks').includes(path);
}

const nameLike = (paths: readonly string[], path: string): string =>
  paths.includes(path) ? path : (paths.find((one) => isTemplateOf(one, path)) ?? path);

/** Follows references to a value that is no reference. */
export function dereference(document: PartialDocument, value: unknown): unknown {
  let found = value;
  for (let left = 50; left > 0; left -= 1) {
    if (!isObject(found) || typeof found.$ref !== 'string') return found;
    found = document.at(found.$ref);
  }
  return undefined;
}

function operationAt(document: PartialDocument, key: OperationKey): FoundOperation | undefined {
  const item = dereference(document, document.find([key.collection, key.name]));
  if (!isObject(item) || !Object.hasOwn(item, key.method)) return undefined;
  const operation = item[key.method];
  // These have no page either.
  const isShown = isObject(operation) && !operation['x-internal'] && !operation['x-scalar-ignore'];
  return isShown ? { ...key, item, operation } : undefined;
}

function namesIn({ spans }: DocumentParts, collection: string): string[] {
  const start = collection + SEPARATOR;
  return [...spans.keys()]
    .filter((key) => key.startsWith(start))
    .map((key) => key.slice(start.length));
}

/** Whether `/pets/{petId}` is the path that `/pets/7` was made of. */
function isTemplateOf(template: string, path: string): boolean {
  const segments = template.split('/');
  const wanted = path.split('/');
  return (
    segments.length === wanted.length &&
    segments.every((segment, at) => segment === wanted[at] || /^\{.*\}$/.test(segment))
  );
}

function noOperation(what: string, near: string | undefined): ToolError {
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  return new ToolError(`${what}${meant} The tool search finds operations.`);
}
