import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { brotliDecompressSync } from 'node:zlib';
import type { BuildLog } from '@petstore/site/build-log.ts';
import type { SiteFile } from '@petstore/site/site/site-files.ts';
import type { Artifact, BuildInput, ManifestEntry } from '../../server/src/deploys/artifact.ts';
import { filePacker } from '../../server/src/deploys/build/artifact/pack-files.ts';
import { buildSite } from '../../server/src/deploys/build/build-site.ts';
import './compressions.ts';

export const silent: BuildLog = () => {};

/** An artifact with its blobs, by hash. */
export interface BuiltArtifact extends Artifact {
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

/** Builds an upload, and keeps the blobs in memory. */
export async function buildInMemory(input: BuildInput, log = silent) {
  const blobs = new Map<string, Uint8Array>();
  const pack = filePacker((hash, bytes) => void blobs.set(hash, bytes));
  const result = await buildSite(input, pack, log);
  return 'problems' in result ? result : { artifact: { ...result.artifact, blobs } };
}

export function fixture(name: string): Promise<Buffer> {
  return readFile(new URL(`../fixtures/${name}`, import.meta.url));
}

/** Builds a document, which must have no problems. */
export async function built(
  document: Uint8Array | object,
  name = 'openapi',
): Promise<BuiltArtifact> {
  const bytes =
    document instanceof Uint8Array ? document : Buffer.from(JSON.stringify(document, undefined, 2));
  const result = await buildInMemory({ kind: 'document', bytes, name });
  assert.ok('artifact' in result, JSON.stringify('problems' in result && result.problems));
  return result.artifact;
}

/** The content of a file of an artifact, as text. */
export function textOf({ manifest, blobs }: BuiltArtifact, path: string): string {
  const entry = manifest.files[path];
  assert.ok(entry, `${path} is not there`);
  return contentOf(entry, blobs).toString();
}

/** The content of a file, which may be stored in its codings alone. */
export function contentOf(
  { hash, compressedOnly, codings }: ManifestEntry,
  blobs: BuiltArtifact['blobs'],
): Buffer {
  const blob = blobs.get((compressedOnly ? codings?.br?.hash : hash) ?? '');
  assert.ok(blob);
  return compressedOnly ? brotliDecompressSync(blob) : Buffer.from(blob);
}

/** An artifact as the files that it was made of. */
export function filesOf({ manifest, blobs }: BuiltArtifact): {
  files: (SiteFile & { readonly content: Buffer })[];
  contentSecurityPolicy: string;
} {
  const files = Object.entries(manifest.files).map(([path, entry]) => ({
    path,
    type: entry.type,
    content: contentOf(entry, blobs),
  }));
  return { files, contentSecurityPolicy: manifest.contentSecurityPolicy };
}
