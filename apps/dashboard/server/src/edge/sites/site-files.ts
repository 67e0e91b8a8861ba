import { LRUCache } from 'lru-cache';
import type { Manifest, ManifestEntry } from '../../deploys/artifact.ts';
import type { CanonicalHost } from '../host.ts';
import { NOT_FOUND_PAGE, type PreparedFile, prepareFile } from './prepared-file.ts';
import type { MaybePromise, SiteCache } from './site-cache.ts';
import type { Site } from './site-source.ts';

/** Memory for all prepared files together, and for one of them: mostly its headers. */
const MAX_PREPARED_BYTES = 32_000_000;
const PREPARED_BYTES = 6_000;

/** The result of looking up a path on a site. */
export type FoundResource =
  | FoundFile
  /** A text of the edge's own. */
  | { readonly kind: 'text'; readonly text: string }
  /** The file is at another path. */
  | { readonly kind: 'redirect'; readonly path: string }
  | { readonly kind: 'notFound' };

export interface FoundFile {
  readonly kind: 'file';
  readonly file: PreparedFile;
}

const NOT_FOUND: FoundResource = { kind: 'notFound' };
const NOINDEX_ROBOTS: FoundResource = { kind: 'text', text: 'User-agent: *\nDisallow: /' };

/** Finds the files of sites, and caches each prepared file. */
export class SiteFiles {
  readonly #cache: SiteCache;
  readonly #prepared = new LRUCache<string, FoundFile>({ maxSize: MAX_PREPARED_BYTES });

  constructor(cache: SiteCache) {
    this.#cache = cache;
  }

  /** The file prepared for a host and path, as long as the host has the same site. */
  cached(host: CanonicalHost, site: Site, path: string): FoundFile | undefined {
    // A host has no slash and a path begins with one, so the key is unambiguous.
    const prepared = this.#prepared.get(host + path);
    return prepared?.file.site === site ? prepared : undefined;
  }

  /**
   * The prepared file of a path; otherwise the result of the site's manifest, and where the manifest has nothing, the
   * site's not-found page. Rejects as the cache does.
   */
  find(host: CanonicalHost, site: Site, path: string): MaybePromise<FoundResource> {
    const prepared = this.cached(host, site, path);
    if (prepared) return prepared;
    if (site.isPreview && path === '/robots.txt') return NOINDEX_ROBOTS;
    const manifest = this.#cache.manifest(site.artifactHash);
    return manifest instanceof Promise
      ? manifest.then((read) => this.#findIn(host, site, read, path))
      : this.#findIn(host, site, manifest, path);
  }

  #findIn(
    host: CanonicalHost,
    site: Site,
    manifest: Manifest,
    path: string,
  ): MaybePromise<FoundResource> {
    const entry = fileAt(manifest, path);
    if (entry) return this.#prepare(host, site, manifest, path, entry);
    const canonical = canonicalPath(path);
    if (canonical !== undefined && fileAt(manifest, canonical))
      return { kind: 'redirect', path: canonical };
    return fileAt(manifest, NOT_FOUND_PAGE) ? this.find(host, site, NOT_FOUND_PAGE) : NOT_FOUND;
  }

  #prepare(
    host: CanonicalHost,
    site: Site,
    manifest: Manifest,
    path: string,
    entry: ManifestEntry,
  ): MaybePromise<FoundResource> {
    const keep = (size: number): FoundResource => {
      const file = prepareFile(site, manifest, path, entry, size);
      const found = { kind: 'file', file } as const;
      this.#prepared.set(host + path, found, { size: PREPARED_BYTES });
      return found;
    };
    if (!entry.template) return keep(entry.size);
    const content = this.#cache.content(entry.hash, site.origin);
    return content instanceof Promise
      ? content.then(({ length }) => keep(length))
      : keep(content.length);
  }
}

function fileAt({ files }: Manifest, path: string): ManifestEntry | undefined {
  return Object.hasOwn(files, path) ? files[path] : undefined;
}

/** A path without its `index.html` or last slash; undefined where it has neither. */
function canonicalPath(path: string): string | undefined {
  const folder = path.endsWith('/index.html') ? path.slice(0, -'index.html'.length) : path;
  if (folder === '/') return path === '/' ? undefined : '/';
  return folder.endsWith('/') ? folder.slice(0, -1) : undefined;
}
