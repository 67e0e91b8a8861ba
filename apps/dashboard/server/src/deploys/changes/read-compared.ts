import type { ComparedDocument } from '@petstore/changes/api-document.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { BuildProblem, SourceFiles } from '@petstore/site/build-log.ts';
import { archiveFiles } from '@petstore/site/openapi/bundle/archive-files.ts';
import { isObject, type PlaceOf } from '@petstore/site/openapi/openapi-types.ts';
import type { OverlayFile } from '@petstore/site/openapi/overlays/overlay-file.ts';
import type { ReadDocument } from '@petstore/site/openapi/read-document.ts';
import { versionOf } from '@petstore/site/openapi/version.ts';
import { readWholeDocument, type WholeDocument } from '@petstore/site/openapi/whole-document.ts';
import { fromPointer, toPointer } from '@petstore/site/syntax/source.ts';

/** What a document is read of. */
export interface DocumentSource {
  /** The files that it may refer to; undefined where it refers to none. */
  readonly files: SourceFiles | undefined;
  /** Its path among the files. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Where it was parsed already. */
  readonly read?: ReadDocument;
  readonly overlays: readonly OverlayFile[];
  /** What to call a path among the files. */
  readonly pathOf: (file: string) => string;
  /** How many bytes the document and its files may have together. */
  readonly mostBytes: number;
}

/**
 * Reads a document to compare it: in one piece, with its overlays, in OpenAPI 3. `notes` are for whoever asks. Rejects
 * with UserError for what cannot be read, with file and line.
 */
export async function readCompared(
  source: DocumentSource,
): Promise<{ readonly document: ComparedDocument; readonly notes: readonly string[] }> {
  const { files, name, bytes, read, overlays, pathOf, mostBytes } = source;
  const whole = await readWholeDocument(bytes, name, () => {}, {
    files: files && archiveFiles(files, mostBytes),
    overlays,
    read,
  });
  if ('problems' in whole) throw new UserError(problemsText(whole.problems, name, pathOf));
  const version = versionOf(whole.document);
  if (typeof version === 'object')
    throw new UserError(
      problemsText([{ ...version, line: whole.placeOf(version.path).line }], name, pathOf),
    );
  const notes = whole.findings
    .filter(({ rule }) => rule === 'missing-reference')
    .map(({ message, path: pointer, place = whole.placeOf(pointer) }) => {
      const line = place.line === null ? '' : `:${place.line}`;
      return `${pathOf(place.file)}${line}: warning: ${message}`;
    });
  return { document: await comparable(whole, version === '2.0', pathOf), notes };
}

/** The document in OpenAPI 3, with the paths of its files. */
async function comparable(
  { own, document, placeOf }: WholeDocument,
  isSwagger: boolean,
  pathOf: DocumentSource['pathOf'],
): Promise<ComparedDocument> {
  const placed =
    (find: (pointer: string) => string): PlaceOf =>
    (pointer) => {
      const place = placeOf(find(pointer));
      return { ...{ file: pathOf(place.file), pointer: place.pointer, line: place.line } };
    };
  if (!isSwagger) return { document: own, placeOf: placed((pointer) => pointer) };
  // Loaded here: most documents need none of it.
  const { upgradeDocument } = await import('@petstore/site/openapi/upgrade-document.ts');
  return {
    document: upgradeDocument(own),
    placeOf: placed((pointer) => swaggerPointer(document, pointer)),
  };
}

/** Where Swagger 2.0 has what is at a place in OpenAPI 3, or what is around it. */
function swaggerPointer(document: Readonly<Record<string, unknown>>, pointer: string): string {
  const moved = pointer
    .replace(/^\/components\/schemas\//, '/definitions/')
    .replace(/^\/components\/securitySchemes\//, '/securityDefinitions/')
    .replace(/^\/components\//, '/')
    .replace(/\/content\/[^/]+\/schema/, '/schema');
  let value: unknown = document;
  const there: string[] = [];
  for (const token of fromPointer(moved)) {
    const isThere = (isObject(value) || Array.isArray(value)) && Object.hasOwn(value, token);
    if (!isThere) break;
    value = (value as Record<string, unknown>)[token];
    there.push(token);
  }
  return toPointer(there);
}

/** `openapi.yaml:12: message (/paths/~1pets)`, a line each. */
export function problemsText(
  problems: readonly BuildProblem[],
  document: string,
  pathOf: DocumentSource['pathOf'],
): string {
  const lines = problems.map(({ message, path, line, file = document }) => {
    const isPointer = path === '' || path.startsWith('/');
    const place = `${pathOf(isPointer ? file : path)}${line === null ? '' : `:${line}`}`;
    return `${place}: ${message}${isPointer && path !== '' ? ` (${path})` : ''}`;
  });
  return lines.length === 1
    ? (lines[0] as string)
    : `The version cannot be read.\n${lines.join('\n')}`;
}
