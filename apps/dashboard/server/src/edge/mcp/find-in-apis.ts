import { nearest } from '@petstore/service/nearest.ts';
import { APIS_PATH, type ListedApi } from '@petstore/site/site/listed-api.ts';
import { type DocumentParts, findParts } from './document-parts.ts';
import {
  type FoundOperation,
  findOperation,
  lookUp,
  mayHave,
  type WantedOperation,
} from './find-operation.ts';
import { type PartialDocument, partialDocument } from './operation-document.ts';
import type { SiteReader } from './site-reader.ts';
import { ToolError } from './tool-error.ts';

/** The document of a site that does not list its APIs. */
const DOCUMENT = '/openapi.json';

/** Memory of a place in a document, with its names: measured, rounded up. */
const PART_BYTES = 300;

interface FoundInApi {
  /** undefined where the site does not list its APIs. */
  readonly api: ListedApi | undefined;
  readonly document: PartialDocument;
  readonly found: FoundOperation;
}

/** Finds an operation in the site's document or, of several, in the one that is meant or is the only one that has it. */
export async function findInApis(reader: SiteReader, wanted: WantedOperation): Promise<FoundInApi> {
  const listed = await reader.derived(APIS_PATH, parsedApis, (_, { length }) => length);
  if (listed === undefined) {
    const opened = await openDocument(reader, DOCUMENT);
    if (!opened) throw new ToolError('This site documents no API: it has guides alone.');
    const { document, parts } = opened;
    return { api: undefined, document, found: findOperation(document, parts, wanted) };
  }
  const apis = meantApis(listed, wanted.api);
  const all: FoundInApi[] = [];
  const ids: string[] = [];
  for (const api of apis) {
    const parts = await reader.derived(api.document, findParts, memoryOf);
    const isOnly = apis.length === 1;
    // Of a document that has no such operation nothing else is read, unless what is wrong can be told of it.
    const opened =
      parts && (isOnly || mayHave(parts, wanted))
        ? await openDocument(reader, api.document)
        : undefined;
    if (!opened) {
      for (const id of parts?.operations.keys() ?? []) ids.push(id);
      continue;
    }
    const { document } = opened;
    const find = isOnly ? findOperation : lookUp;
    const found = find(document, opened.parts, wanted);
    if (found) all.push({ api, document, found });
  }
  const [first, second] = all;
  if (first && !second) return first;
  if (first) {
    const apis = all.flatMap(({ api }) => api ?? []);
    throw new ToolError(`Several APIs have ${nameOf(wanted)}. Give api, which is ${oneOf(apis)}.`);
  }
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
  throw new ToolError(`There is no API ${address}. Give api, which is ${oneOf(listed)}.`);
}

const oneOf = (apis: readonly ListedApi[]): string =>
  apis.map(({ address, title }) => `${address} (${title})`).join(' or ');

const nameOf = ({ operationId, method = '', path = '' }: WantedOperation): string =>
  operationId === undefined
    ? `the operation ${method.toUpperCase()} ${path}`
    : `the operationId ${operationId}`;

async function openDocument(reader: SiteReader, path: string) {
  const parts = await reader.derived(path, findParts, memoryOf);
  const bytes = parts && (await reader.bytes(path));
  return parts && bytes && { parts, document: partialDocument(bytes, parts) };
}

const memoryOf = ({ spans, operations }: DocumentParts) =>
  (spans.size + operations.size) * PART_BYTES;
