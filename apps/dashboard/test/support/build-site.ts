import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { BuildLog } from '@petstore/site/build-log.ts';
import type { SiteFile } from '@petstore/site/site/site-files.ts';
import type { Artifact } from '../../server/src/deploys/artifact.ts';
import { buildDocument } from '../../server/src/deploys/build/build-site.ts';
import './compressions.ts';

export const silent: BuildLog = () => {};

export function fixture(name: string): Promise<Buffer> {
  return readFile(new URL(`../fixtures/${name}`, import.meta.url));
}

/** Builds a document, which must have no problems. */
export async function built(document: Uint8Array | object, name = 'openapi'): Promise<Artifact> {
  const bytes =
    document instanceof Uint8Array ? document : Buffer.from(JSON.stringify(document, undefined, 2));
  const result = await buildDocument({ kind: 'document', bytes, name }, silent);
  assert.ok('artifact' in result, JSON.stringify('problems' in result && result.problems));
  return result.artifact;
}

/** The content of a file of an artifact, as text. */
export function textOf({ manifest, blobs }: Artifact, path: string): string {
  const entry = manifest.files[path];
  const blob = blobs.get(entry?.hash ?? '');
  assert.ok(blob, `${path} is not there`);
  return Buffer.from(blob).toString();
}

/** An artifact as the files that it was made of. */
export function filesOf({ manifest, blobs }: Artifact): {
  files: SiteFile[];
  contentSecurityPolicy: string;
} {
  const files = Object.entries(manifest.files).map(([path, { type, hash }]) => ({
    path,
    type,
    content: blobs.get(hash) ?? '',
  }));
  return { files, contentSecurityPolicy: manifest.contentSecurityPolicy };
}
