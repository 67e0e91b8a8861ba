import { hash } from 'node:crypto';
import type { BuildLog } from '@petstore/site/build-log.ts';
import type { BuiltSite, SiteFile } from '@petstore/site/site/site-files.ts';
import type { Artifact, Coding, ManifestEntry } from '../../artifact.ts';
import { type Compressed, cacheCompression, cachedCompression, compress } from './compress.ts';

/** Each takes some 300 kB of memory while it is compressed. */
const AT_ONCE = 8;

/** Hashes and compresses the files of a site. Throws for two files with the same path, which is a defect. */
export async function makeArtifact(site: BuiltSite, log: BuildLog): Promise<Artifact> {
  log({ level: 'info', step: 'compress', message: `Compressing ${site.files.length} files` });
  const blobs = new Map<string, Uint8Array>();
  const entries = new Map<string, ManifestEntry>();
  const add = async (file: SiteFile) => {
    if (entries.has(file.path)) throw new Error(`Two files are at ${file.path}.`);
    const content = typeof file.content === 'string' ? Buffer.from(file.content) : file.content;
    const contentHash = hash('sha256', content, 'hex');
    const entry: ManifestEntry = {
      hash: contentHash,
      size: content.length,
      type: file.type,
      ...(file.immutable && { immutable: true }),
      ...(file.template && { template: true }),
    };
    blobs.set(contentHash, content);
    entries.set(file.path, entry);
    if (file.template) return;
    const codings = addBlobs(blobs, await compressOnce(contentHash, content, file));
    if (Object.keys(codings).length > 0) entries.set(file.path, { ...entry, codings });
  };
  const waiting = site.files.values();
  const work = async () => {
    for (const file of waiting) await add(file);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  const bytes = [...blobs.values()].reduce((sum, blob) => sum + blob.length, 0);
  log({
    level: 'info',
    message: `Compressed the files: ${(bytes / 1_000_000).toFixed(1)} MB with their compressed forms`,
  });
  const { title, contentSecurityPolicy } = site;
  const redirects = sortedRedirects(site);
  const identity = {
    files: sorted.map(([path, { type, hash: content }]) => [path, type, content]),
    ...{ contentSecurityPolicy, redirects },
  };
  return {
    hash: hash('sha256', JSON.stringify(identity), 'hex'),
    manifest: {
      ...{ version: 1, title, files: Object.fromEntries(sorted), contentSecurityPolicy },
      ...(redirects.length > 0 && { redirects: Object.fromEntries(redirects) }),
    },
    blobs,
  };
}

/** A path of the site or an address with https, in ASCII. `//` and `/\` would lead from a path to another host. */
const LOCATION = /^(?:\/(?!\/)|https:\/\/)[\x21-\x5b\x5d-\x7e]*$/;

/** The redirects by path. Throws for one that no response can have, which is a defect. */
function sortedRedirects({ redirects = {} }: BuiltSite): [from: string, to: string][] {
  const sorted = Object.entries(redirects).sort(([a], [b]) => (a < b ? -1 : 1));
  const wrong = sorted.find(([, to]) => !LOCATION.test(to));
  if (wrong) throw new Error(`The redirect from ${wrong[0]} leads to ${wrong[1]}.`);
  return sorted;
}

async function compressOnce(
  contentHash: string,
  content: Uint8Array,
  file: SiteFile,
): Promise<Compressed> {
  if (!isShared(file)) return compress(content, file.type, false);
  const known = await cachedCompression(contentHash);
  if (known) return known;
  const compressed = await compress(content, file.type, true);
  await cacheCompression(contentHash, compressed);
  return compressed;
}

/** Scripts and styles are the same in all sites; other contents with a hash in their name are not. */
function isShared({ immutable, type }: SiteFile): boolean {
  return immutable === true && /^text\/(?:javascript|css)/.test(type);
}

function addBlobs(
  blobs: Map<string, Uint8Array>,
  compressed: Compressed,
): NonNullable<ManifestEntry['codings']> {
  return Object.fromEntries(
    Object.entries(compressed).map(([coding, content]) => {
      const contentHash = hash('sha256', content, 'hex');
      blobs.set(contentHash, content);
      return [coding as Coding, { hash: contentHash, size: content.length }];
    }),
  );
}
