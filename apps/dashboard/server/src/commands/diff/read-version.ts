import { readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { ComparedDocument } from '@petstore/changes/api-document.ts';
import { formatBytes } from '@petstore/service/text.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { readDocument } from '@petstore/site/openapi/read-document.ts';
import {
  type DocumentSource,
  problemsText,
  readCompared,
} from '../../deploys/changes/read-compared.ts';
import { folderSources, type VersionSources } from '../../deploys/changes/version-sources.ts';
import { DEPLOY_LIMITS } from '../../deploys/deploy-limits.ts';
import { cannotRead, listFiles } from '../../deploys/local-files/folder-files.ts';
import { filesOf, scopeAround } from '../../deploys/local-files/referenced-files.ts';
import type { Version } from './version.ts';

type Sources = Pick<VersionSources, 'sources' | 'rules'>;

/**
 * Reads what is at a path as a deploy would, or a site by its address: a document with the files that it refers to, or a folder, whose `docs.yaml`
 * says which documents and which overlays are meant. Rejects with UserError for what cannot be read, with file and line.
 */
export async function readVersion(path: string): Promise<Version> {
  // Loaded here: files need none of it.
  if (/^https?:\/\//i.test(path)) return (await import('./read-site.ts')).readSite(path);
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
  const whole = await filesOf(path, read, bytes, DEPLOY_LIMITS.uploadBytes, scopeAround(path));
  const plain = { bytes, read, overlays: [], mostBytes: DEPLOY_LIMITS.uploadBytes };
  const source: DocumentSource = whole
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
  const { sources, rules, problems } = await folderSources(archive, {
    ...{ name: folder, pathOf, mostBytes: DEPLOY_LIMITS.uploadBytes },
  });
  const [{ path = '' } = {}] = problems;
  if (problems.length > 0) throw new UserError(problemsText(problems, path, pathOf));
  if (sources.size === 0)
    throw new UserError(
      `${folder} has a docs.yaml that names no OpenAPI document: write \`openapi: openapi.yaml\`, for one.`,
    );
  return { sources, rules };
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
