import { readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { ComparedDocument } from '@petstore/changes/api-document.ts';
import { formatBytes } from '@petstore/service/text.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { BuildProblem, SourceFiles } from '@petstore/site/build-log.ts';
import { type ChangesConfig, NO_CHANGES_CONFIG } from '@petstore/site/guides/changes-config.ts';
import { archiveFiles } from '@petstore/site/openapi/bundle/archive-files.ts';
import { isObject, type PlaceOf } from '@petstore/site/openapi/openapi-types.ts';
import type { OverlayFile } from '@petstore/site/openapi/overlays/overlay-file.ts';
import { type ReadDocument, readDocument } from '@petstore/site/openapi/read-document.ts';
import { versionOf } from '@petstore/site/openapi/version.ts';
import { readWholeDocument, type WholeDocument } from '@petstore/site/openapi/whole-document.ts';
import { fromPointer, toPointer } from '@petstore/site/syntax/source.ts';
import { DEPLOY_LIMITS } from '../../deploys/deploy-limits.ts';
import { filesOf } from '../deploy/referenced-files.ts';
import { cannotRead, listFiles } from '../folder-files.ts';

/** A version of an API, as it is compared. */
export interface Version {
  readonly document: ComparedDocument;
  readonly rules: ChangesConfig;
  /** What to tell whoever asks, each a line. */
  readonly notes: readonly string[];
}

/** What is read of a version, before it is one document. */
interface Source {
  readonly files: SourceFiles | undefined;
  /** The path of the document among the files. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Where it was parsed already. */
  readonly read?: ReadDocument;
  readonly overlays: readonly OverlayFile[];
  readonly rules: ChangesConfig;
  /** Where a path among the files is, from the current folder. */
  readonly pathOf: (file: string) => string;
}

/**
 * Reads what is at a path as a deploy would: a document with the files that it refers to, or a folder, whose `docs.yaml`
 * says which document and which overlays are meant. Rejects with UserError for what cannot be read, with file and line.
 */
export async function readVersion(path: string): Promise<Version> {
  if (/^https?:\/\//i.test(path))
    throw new UserError(
      `${path} is an address, and dashboard diff reads files and folders. Download the document first.`,
    );
  const isFolder = (await stat(path).catch(cannotRead(path))).isDirectory();
  const source = isFolder ? await readFolder(path) : await readDocumentFile(path);
  const { files, name, bytes, read, overlays, rules, pathOf } = source;
  const whole = await readWholeDocument(bytes, name, () => {}, {
    files: files && archiveFiles(files, DEPLOY_LIMITS.uploadBytes),
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
  return { document: await comparable(whole, version === '2.0', pathOf), rules, notes };
}

/** The document in OpenAPI 3, with the paths of its files. */
async function comparable(
  { own, document, placeOf }: WholeDocument,
  isSwagger: boolean,
  pathOf: Source['pathOf'],
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

async function readDocumentFile(path: string): Promise<Source> {
  const bytes = await readBounded(path, DEPLOY_LIMITS.uploadBytes);
  const read = readDocument(bytes, path);
  if ('problem' in read) throw new UserError(problemsText([read.problem], path, (file) => file));
  const whole = await filesOf(path, read, bytes, DEPLOY_LIMITS.uploadBytes);
  const plain = { bytes, read, overlays: [], rules: NO_CHANGES_CONFIG };
  if (!whole) return { ...plain, files: undefined, name: path, pathOf: (file) => file };
  const { root, files, document } = whole;
  const pathOf = (file: string) => relative('', join(root, file));
  return { ...plain, files, name: document, pathOf };
}

async function readFolder(folder: string): Promise<Source> {
  const archive = new Map<string, Uint8Array>();
  let left = DEPLOY_LIMITS.unpackedBytes;
  for (const file of await listFiles(folder, DEPLOY_LIMITS.archiveFiles)) {
    const bytes = await readBounded(join(folder, file), left);
    left -= bytes.length;
    archive.set(file.normalize('NFC'), bytes);
  }
  const pathOf = (file: string) => join(folder, file);
  const { configFile, defaultDocument, readDocsConfig } = await import(
    '@petstore/site/guides/docs-config.ts'
  );
  const config = configFile(archive);
  if (config === undefined) {
    const name = defaultDocument(archive) ?? (await onlyDocument(folder, archive));
    const bytes = archive.get(name) as Uint8Array;
    return { files: archive, name, bytes, overlays: [], rules: NO_CHANGES_CONFIG, pathOf };
  }
  const read = readDocsConfig(archive, config);
  if (read.problems.length > 0) throw new UserError(problemsText(read.problems, config, pathOf));
  const { openapi, overlays, ignore, changes } = read.config;
  if (openapi === undefined)
    throw new UserError(
      `${pathOf(config)} names no OpenAPI document: write \`openapi: openapi.yaml\`, for one.`,
    );
  const { withoutIgnored } = await import('@petstore/site/guides/ignored-files.ts');
  const files = withoutIgnored(archive, ignore);
  const bytesOf = (name: string) => files.get(name) as Uint8Array;
  return {
    ...{ files, name: openapi, bytes: bytesOf(openapi), rules: changes, pathOf },
    overlays: overlays.map((name) => ({ name, bytes: bytesOf(name) })),
  };
}

async function onlyDocument(folder: string, files: SourceFiles): Promise<string> {
  const { findDocuments } = await import('@petstore/site/openapi/bundle/find-documents.ts');
  const found = findDocuments(files, DEPLOY_LIMITS.uploadBytes);
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  if (first === undefined)
    throw new UserError(
      `${folder} has no OpenAPI document: a YAML or JSON file with \`openapi\` or \`swagger\` at its top.`,
    );
  throw new UserError(
    `${folder} has ${found.length} OpenAPI documents, such as ${found.slice(0, 3).join(', ')}. Name one of them instead of the folder, or write a docs.yaml with \`openapi: ${first}\`.`,
  );
}

async function readBounded(path: string, mostBytes: number): Promise<Buffer> {
  const stats = await stat(path).catch(cannotRead(path));
  if (!stats.isFile()) throw new UserError(`${path} is neither a regular file nor a folder.`);
  if (stats.size > mostBytes)
    throw new UserError(
      `${path} has ${formatBytes(stats.size)}, and ${formatBytes(mostBytes)} at most are read.`,
    );
  return readFile(path).catch(cannotRead(path));
}

/** `openapi.yaml:12: message (/paths/~1pets)`, a line each. */
function problemsText(
  problems: readonly BuildProblem[],
  document: string,
  pathOf: Source['pathOf'],
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
