import { hash } from 'node:crypto';
import { count, formatBytes } from '@petstore/service/text.ts';
import type { BuildLog } from '@petstore/site/build-log.ts';
import type { BuiltSite, SiteFile } from '@petstore/site/site/site-files.ts';
import type { Artifact, Coding, KeepBlob, ManifestEntry } from '../../artifact.ts';
import { type Compressed, cacheCompression, cachedCompression, compress } from './compress.ts';

/** Each takes some 300 kB of memory while it is compressed. */
const AT_ONCE = 8;

/**
 * Hashes and compresses the files of a site while they are made, so that few of them are in memory at once. Throws for
 * two files with the same path, which is a defect, and SiteLimitError.
 */
export async function makeArtifact(
  site: BuiltSite,
  keep: KeepBlob,
  log: BuildLog,
): Promise<Artifact> {
  const kept = new Set<string>();
  let bytes = 0;
  const keepOnce: KeepBlob = (contentHash, content) => {
    if (kept.has(contentHash)) return;
    kept.add(contentHash);
    bytes += content.length;
    return keep(contentHash, content);
  };
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
    entries.set(file.path, entry);
    const compressed = file.template ? {} : await compressOnce(contentHash, content, file);
    const codings = await keepCompressed(keepOnce, compressed);
    if (Object.keys(codings).length === 0) return keepOnce(contentHash, content);
    entries.set(file.path, { ...entry, codings, compressedOnly: true });
  };
  const waiting = site.files[Symbol.iterator]();
  const work = async () => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) await add(next.value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  log({
    level: 'info',
    message: `Made ${count(entries.size, 'file')}: ${formatBytes(bytes)} compressed`,
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

async function keepCompressed(
  keep: KeepBlob,
  compressed: Compressed,
): Promise<NonNullable<ManifestEntry['codings']>> {
  const codings: ManifestEntry['codings'] = {};
  for (const [coding, content] of Object.entries(compressed)) {
    const contentHash = hash('sha256', content, 'hex');
    await keep(contentHash, content);
    codings[coding as Coding] = { hash: contentHash, size: content.length };
  }
  return codings;
}
