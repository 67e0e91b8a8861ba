import { LRUCache } from 'lru-cache';
import type { Manifest } from '../../deploys/artifact.ts';
import { pagesOf } from '../../deploys/site-changes.ts';
import type { MaybePromise, SiteCache } from '../sites/site-cache.ts';

/** Memory for the paths of all versions together, in bytes, and for one path: measured, rounded up. */
const MAX_BYTES = 16_000_000;
const PATH_BYTES = 120;

/**
 * Which pages each artifact has. A page asks this of all versions of its site, and their manifests would take fifty times
 * the memory of one.
 */
export class PagePlaces {
  readonly #cache: SiteCache;
  readonly #places = new LRUCache<string, ReadonlySet<string>>({ maxSize: MAX_BYTES });

  constructor(cache: SiteCache) {
    this.#cache = cache;
  }

  /** The paths of an artifact's pages, and those that it redirects. Rejects as the cache does. */
  of(artifactHash: string): MaybePromise<ReadonlySet<string>> {
    const known = this.#places.get(artifactHash);
    if (known) return known;
    const manifest = this.#cache.manifest(artifactHash);
    return manifest instanceof Promise
      ? manifest.then((read) => this.#keep(artifactHash, read))
      : this.#keep(artifactHash, manifest);
  }

  #keep(artifactHash: string, manifest: Manifest): ReadonlySet<string> {
    const places = new Set([...pagesOf(manifest), ...Object.keys(manifest.redirects ?? {})]);
    this.#places.set(artifactHash, places, { size: 1 + places.size * PATH_BYTES });
    return places;
  }
}
