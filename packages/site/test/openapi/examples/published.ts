import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type BuildLine, boundedLog, type Finding } from '../../../src/build-log.ts';
import { readCheckedDocument } from '../../../src/openapi/checked-document.ts';
import { documentSite } from '../../../src/reference/document-site.ts';
import { bytesOf } from '../../../src/site/file-bytes.ts';

/** A document as it is published. */
export interface PublishedDocument {
  /** The texts of the site's files by their paths. */
  readonly files: ReadonlyMap<string, string>;
  readonly findings: readonly Finding[];
  /** What the log says besides. */
  readonly messages: readonly string[];
}

/** Publishes a document of this folder, by its path: `3.0/petstore.yaml`. */
export async function publishExample(path: string): Promise<PublishedDocument> {
  return publishText(await readFile(new URL(path, import.meta.url)), path);
}

export async function publishText(
  bytes: Uint8Array,
  name = 'openapi.yaml',
): Promise<PublishedDocument> {
  const lines: BuildLine[] = [];
  const { log } = boundedLog((line) => lines.push(line));
  const checked = await readCheckedDocument(bytes, name, log);
  assert.ok('upgraded' in checked, JSON.stringify(checked));
  const { files } = await documentSite(checked, log);
  return {
    files: new Map([...files].map((file) => [file.path, String(bytesOf(file))])),
    findings: lines.filter((line) => 'rule' in line),
    messages: lines.flatMap((line) => ('rule' in line ? [] : [line.message])),
  };
}
