import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Manifest } from '../../deploys/artifact.ts';
import { pagesOf } from '../../deploys/site-changes.ts';
import type { SiteCache } from '../sites/site-cache.ts';

/** Memory for the paths of all versions together, in bytes: fifty versions of 20,000 pages take half of it. */
const MAX_BYTES = 16_000_000;
const ENTRY_BYTES = 300;

/**
 * Which pages each artifact has. A page asks this of all versions of its site, and their manifests would take fifty times
 * the memory of one.
 */
export class PagePaths {
  readonly #cache: SiteCache;
  readonly #known = new LRUCache<string, PathSet>({ maxSize: MAX_BYTES });

  constructor(cache: SiteCache) {
    this.#cache = cache;
  }

  /** The paths of an artifact's pages, and those that it redirects; undefined: `read` has them. */
  known(artifactHash: string): PathSet | undefined {
    return this.#known.get(artifactHash);
  }

  /** Rejects as the cache does. */
  async read(artifactHash: string): Promise<PathSet> {
    const known = this.known(artifactHash);
    if (known) return known;
    const manifest = await this.#cache.manifest(artifactHash);
    // Another page may have waited for the same manifest.
    return this.known(artifactHash) ?? this.#keep(artifactHash, manifest);
  }

  #keep(artifactHash: string, manifest: Manifest): PathSet {
    const paths = new PathSet([...pagesOf(manifest), ...Object.keys(manifest.redirects ?? {})]);
    this.#known.set(artifactHash, paths, { size: ENTRY_BYTES + paths.bytes });
    return paths;
  }
}

/** A set of paths, in eight bytes each: the first 48 bits of each path's SHA-256. A collision is most unlikely. */
export class PathSet {
  readonly #marks: Float64Array;

  constructor(paths: readonly string[]) {
    this.#marks = Float64Array.from(paths, markOf).sort();
  }

  get bytes(): number {
    return this.#marks.byteLength;
  }

  has(path: string): boolean {
    const wanted = markOf(path);
    let [from, to] = [0, this.#marks.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#marks[middle] ?? 0) < wanted) from = middle + 1;
      else to = middle;
    }
    return this.#marks[from] === wanted;
  }
}

/** 48 bits, which a number has room for. */
const markOf = (path: string) => hash('sha256', path, 'buffer').readUIntBE(0, 6);
