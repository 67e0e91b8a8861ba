import { readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { ComparedDocument } from '@petstore/changes/api-document.ts';
import type { CompareOptions } from '@petstore/changes/compare-documents.ts';
import { isCode } from '@petstore/changes/exceptions.ts';
import { RULES } from '@petstore/changes/rules.ts';
import { didYouMean } from '@petstore/service/nearest.ts';
import { formatBytes } from '@petstore/service/text.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { SourceFiles } from '@petstore/site/build-log.ts';
import type { ChangesConfig } from '@petstore/site/guides/changes-config.ts';
import { readDocument } from '@petstore/site/openapi/read-document.ts';
import { DEPLOY_LIMITS } from '../../deploys/deploy-limits.ts';
import { filesOf } from '../deploy/referenced-files.ts';
import { cannotRead, listFiles } from '../folder-files.ts';
import { type DocumentSource, problemsText, readCompared } from './read-compared.ts';

/** A version of an API, as it is compared. */
export interface Version {
  readonly path: string;
  /** A document by itself, and no folder. */
  readonly isFile: boolean;
  /** By the address of the reference, where a folder has several: `payments`. Otherwise by an empty text. */
  readonly documents: ReadonlyMap<string, ComparedDocument>;
  readonly rules: Rules;
  /** What to tell whoever asks, each a line. */
  readonly notes: readonly string[];
}

type Rules = Pick<CompareOptions, 'deprecationDays' | 'exceptions'>;

type Sources = Pick<Version, 'rules'> & { readonly sources: ReadonlyMap<string, DocumentSource> };

/**
 * Reads what is at a path as a deploy would: a document with the files that it refers to, or a folder, whose `docs.yaml`
 * says which documents and which overlays are meant. Rejects with UserError for what cannot be read, with file and line.
 */
export async function readVersion(path: string): Promise<Version> {
  if (/^https?:\/\//i.test(path))
    throw new UserError(
      `${path} is an address, and dashboard diff reads files and folders. Download the document first.`,
    );
  const isFolder = (await stat(path).catch(cannotRead(path))).isDirectory();
  const { sources, rules } = await (isFolder ? readFolder(path) : readDocumentFile(path));
  const documents = new Map<string, ComparedDocument>();
  const notes: string[] = [];
  for (const [address, source] of sources) {
    const read = await readCompared(source);
    documents.set(address, read.document);
    notes.push(...read.notes);
  }
  return { path, isFile: !isFolder, documents, rules, notes };
}

async function readDocumentFile(path: string): Promise<Sources> {
  const bytes = await readBounded(path, DEPLOY_LIMITS.uploadBytes);
  const read = readDocument(bytes, path);
  if ('problem' in read) throw new UserError(problemsText([read.problem], path, (file) => file));
  const whole = await filesOf(path, read, bytes, DEPLOY_LIMITS.uploadBytes);
  const plain = { bytes, read, overlays: [] };
  const source = whole
    ? {
        ...{ ...plain, files: whole.files, name: whole.document },
        pathOf: (file: string) => relative('', join(whole.root, file)),
      }
    : { ...plain, files: undefined, name: path, pathOf: (file: string) => file };
  return { sources: new Map([['', source]]), rules: {} };
}

async function readFolder(folder: string): Promise<Sources> {
  const archive = new Map<string, Uint8Array>();
  let left = DEPLOY_LIMITS.unpackedBytes;
  for (const file of await listFiles(folder, DEPLOY_LIMITS.archiveFiles)) {
    const bytes = await readBounded(join(folder, file), left);
    left -= bytes.length;
    archive.set(file.normalize('NFC'), bytes);
  }
  const pathOf = (file: string) => join(folder, file);
  // Loaded here: a document alone needs none of it.
  const { configFile, readDocsConfig } = await import('@petstore/site/guides/docs-config.ts');
  const { defaultDocument } = await import('@petstore/site/guides/references-config.ts');
  const config = configFile(archive);
  if (config === undefined) {
    const name = defaultDocument(archive) ?? (await onlyDocument(folder, archive));
    const bytes = archive.get(name) as Uint8Array;
    const source = { files: archive, name, bytes, overlays: [], pathOf };
    return { sources: new Map([['', source]]), rules: {} };
  }
  const { config: read, problems } = readDocsConfig(archive, config);
  if (problems.length > 0) throw new UserError(problemsText(problems, config, pathOf));
  const rules = rulesOf(read.changes, pathOf(config));
  if (read.references.length === 0)
    throw new UserError(
      `${pathOf(config)} names no OpenAPI document: write \`openapi: openapi.yaml\`, for one.`,
    );
  const { withoutIgnored } = await import('@petstore/site/guides/ignored-files.ts');
  const files = withoutIgnored(archive, read.ignore);
  const bytesOf = (name: string) => files.get(name) as Uint8Array;
  const sources = read.references.map(({ file, overlays, address = '' }) => {
    const applied = overlays.map((name) => ({ name, bytes: bytesOf(name) }));
    return [
      address,
      { files, name: file, bytes: bytesOf(file), overlays: applied, pathOf },
    ] as const;
  });
  return { sources: new Map(sources), rules };
}

/** The rules of a configuration. Throws UserError for a code that no change has. */
function rulesOf({ deprecationDays, exceptions }: ChangesConfig, path: string): Rules {
  const known = exceptions.map(({ code, line, ...exception }) => {
    if (code === undefined || isCode(code)) return { code, ...exception };
    const near = didYouMean(code, RULES.keys());
    throw new UserError(`${path}:${line}: There is no change with the code \`${code}\`${near}`);
  });
  return { deprecationDays, exceptions: known };
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
