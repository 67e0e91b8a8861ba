import { hash } from 'node:crypto';
import { bytesOf } from '@petstore/site/site/file-bytes.ts';
import type { SiteFile } from '@petstore/site/site/site-files.ts';
import type { Coding, KeepBlob, ManifestEntry } from '../../artifact.ts';
import { type Compressed, cacheCompression, cachedCompression, compressNow } from './compress.ts';

/** Hashes and compresses files. Returns the entry of each. */
export type PackFiles = (
  files: readonly SiteFile[],
) => readonly ManifestEntry[] | Promise<readonly ManifestEntry[]>;

/** Packs the files of one site in this thread. `keep` gets each content once. */
export function filePacker(
  keep: KeepBlob,
): (files: readonly SiteFile[]) => readonly ManifestEntry[] {
  const kept = new Set<string>();
  const keepOnce = (content: Uint8Array): string => {
    const contentHash = hash('sha256', content, 'hex');
    if (kept.has(contentHash)) return contentHash;
    kept.add(contentHash);
    keep(contentHash, content);
    return contentHash;
  };
  return (files) => files.map((file) => packFile(file, keepOnce));
}

function packFile(file: SiteFile, keepOnce: (content: Uint8Array) => string): ManifestEntry {
  const content = bytesOf(file);
  const contentHash = hash('sha256', content, 'hex');
  const entry: ManifestEntry = {
    hash: contentHash,
    size: content.length,
    type: file.type,
    ...(file.immutable && { immutable: true }),
    ...(file.template && { template: true }),
  };
  const compressed = file.template ? {} : compressOnce(contentHash, content, file);
  const codings = Object.entries(compressed).map(([coding, bytes]) => [
    coding as Coding,
    { hash: keepOnce(bytes), size: bytes.length },
  ]);
  if (codings.length > 0)
    return { ...entry, codings: Object.fromEntries(codings), compressedOnly: true };
  keepOnce(content);
  return entry;
}

function compressOnce(contentHash: string, content: Uint8Array, file: SiteFile): Compressed {
  if (!isShared(file)) return compressNow(content, file.type, false);
  const known = cachedCompression(contentHash);
  if (known) return known;
  const compressed = compressNow(content, file.type, true);
  cacheCompression(contentHash, compressed);
  return compressed;
}

/** Scripts and styles are the same in all sites; other files with a version in their name are not. */
function isShared({ immutable, type }: SiteFile): boolean {
  return immutable === true && /^text\/(?:javascript|css)/.test(type);
}
