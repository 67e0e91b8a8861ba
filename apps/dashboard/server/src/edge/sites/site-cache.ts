import { LRUCache } from 'lru-cache';
import type { Manifest } from '../../deploys/artifact.ts';
import type { CanonicalHost } from '../host.ts';
import { SingleFlight, withReadTimeout } from '../store-reads.ts';
import type { Site, SiteSource } from './site-source.ts';

/** The limits of the cache. */
export interface CacheLimits {
  /** Hosts that have a site; one takes some 500 bytes: measured. */
  readonly hosts: number;
  /** Hosts without a site: counted apart, so that a flood of made-up hosts evicts no real one. */
  readonly unknownHosts: number;
  readonly manifestBytes: number;
  readonly contentBytes: number;
  /** Hosts whose keys and certificates are ready for handshakes; one takes some 45 kB: measured. */
  readonly contexts: number;
}

export const DEFAULT_LIMITS: CacheLimits = {
  hosts: 200_000,
  unknownHosts: 10_000,
  manifestBytes: 64_000_000,
  contentBytes: 64_000_000,
  contexts: 3_000,
};

/** Memory of one file in a manifest, with the hashes of its codings: measured, rounded up. */
const MANIFEST_FILE_BYTES = 700;

/** Memory of an entry besides its content. */
const ENTRY_BYTES = 300;

/** How often a look-up is repeated when sites change meanwhile. */
const MAX_LOOK_UPS = 3;

/**
 * Up to this size contents are kept as strings: Node sends headers and a string as one, and from 16 KiB
 * on it has to find memory for that.
 */
const MAX_STRING_BYTES = 14 * 1024;

/** The content of a file: a string has a character, up to U+00FF, for each byte. */
export type Content = string | Buffer;

/** The store names an artifact that it no longer has. */
export class PrunedError extends Error {}

/** A value, or the promise of one. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * The cache in front of the store. A look-up tries memory first, at once; then it joins a read of the same key that
 * is in flight; then it reads the store. Entries have no age: the store reports what has changed, and manifests and
 * contents are named by their hash and never change. When the store is unavailable, the cache goes on serving; what
 * is not in memory rejects.
 */
export class SiteCache {
  readonly #source: SiteSource;
  readonly #hosts: LRUCache<string, Site>;
  /** The same hosts by project, so that a change costs what it changes and not what memory holds. */
  readonly #hostsOfProject = new Map<string, Set<string>>();
  readonly #unknownHosts: LRUCache<string, true>;
  readonly #manifests: LRUCache<string, Manifest>;
  readonly #contents: LRUCache<string, Content>;
  readonly #siteReads = new SingleFlight<Site | undefined>();
  readonly #manifestReads = new SingleFlight<Manifest>();
  readonly #contentReads = new SingleFlight<Content>();
  /** Counts the invalidations. */
  #generation = 0;

  constructor(source: SiteSource, limits: CacheLimits) {
    this.#source = source;
    // Not `max`, which allocates for as many at once.
    this.#hosts = new LRUCache({
      maxSize: limits.hosts,
      sizeCalculation: () => 1,
      dispose: ({ projectId }, host) => this.#forgetHost(projectId, host),
    });
    this.#unknownHosts = new LRUCache({ max: limits.unknownHosts });
    this.#manifests = new LRUCache({ maxSize: limits.manifestBytes });
    this.#contents = new LRUCache({ maxSize: limits.contentBytes });
  }

  /** The site of a host, from memory alone. */
  cachedSite(host: CanonicalHost): Site | undefined {
    return this.#hosts.get(host);
  }

  /** The site of a host: the same object until the host is invalidated. */
  findSite(host: CanonicalHost): MaybePromise<Site | undefined> {
    const site = this.cachedSite(host);
    if (site) return site;
    if (this.#unknownHosts.get(host)) return undefined;
    return this.#siteReads.read(host, () => this.#readSite(host));
  }

  /** Rejects with PrunedError where the store no longer has it. */
  manifest(artifactHash: string): MaybePromise<Manifest> {
    return (
      this.#manifests.get(artifactHash) ??
      this.#manifestReads.read(artifactHash, () => this.#readManifest(artifactHash))
    );
  }

  /** The content of that hash, from memory alone. */
  cachedContent(hash: string, origin: string | undefined): Content | undefined {
    return this.#contents.get(contentName(hash, origin));
  }

  /**
   * The content of that hash; that of a template for an origin, which is put in. Rejects with
   * PrunedError where the store no longer has it.
   */
  content(hash: string, origin?: string): MaybePromise<Content> {
    const name = contentName(hash, origin);
    return (
      this.#contents.get(name) ??
      this.#contentReads.read(name, () => this.#readContent(hash, origin, name))
    );
  }

  /**
   * Evicts the sites of projects, of all when there is no list, before it returns: a look-up from now on starts a new
   * read. Hosts without a site are evicted too: a project may have been given one.
   */
  invalidate(projectIds: ReadonlySet<string> | undefined): void {
    this.#generation++;
    this.#siteReads.detach();
    this.#unknownHosts.clear();
    if (!projectIds) this.#hosts.clear();
    for (const projectId of projectIds ?? []) {
      for (const host of this.#hostsOfProject.get(projectId) ?? []) this.#hosts.delete(host);
    }
  }

  /** Evicts the site of a host. */
  evict(host: CanonicalHost): void {
    this.#hosts.delete(host);
  }

  /** A result from before an invalidation may be stale: it is not cached, and read again a few times. */
  async #readSite(host: CanonicalHost): Promise<Site | undefined> {
    for (let lookUps = 1; ; lookUps++) {
      const generation = this.#generation;
      const site = await withReadTimeout(this.#source.findSite(host));
      if (generation === this.#generation) {
        if (site) this.#keepSite(host, site);
        else this.#unknownHosts.set(host, true);
        return site;
      }
      if (lookUps === MAX_LOOK_UPS) return site;
    }
  }

  #keepSite(host: CanonicalHost, site: Site): void {
    this.#hosts.set(host, site);
    const hosts = this.#hostsOfProject.get(site.projectId);
    if (hosts) hosts.add(host);
    else this.#hostsOfProject.set(site.projectId, new Set([host]));
  }

  #forgetHost(projectId: string, host: string): void {
    const hosts = this.#hostsOfProject.get(projectId);
    hosts?.delete(host);
    if (hosts?.size === 0) this.#hostsOfProject.delete(projectId);
  }

  async #readManifest(artifactHash: string): Promise<Manifest> {
    const manifest = await withReadTimeout(this.#source.readManifest(artifactHash));
    if (!manifest) throw new PrunedError(`There is no artifact ${artifactHash}.`);
    const files = Object.keys(manifest.files).length;
    this.#manifests.set(artifactHash, manifest, {
      size: ENTRY_BYTES + files * MANIFEST_FILE_BYTES,
    });
    return manifest;
  }

  async #readContent(hash: string, origin: string | undefined, name: string): Promise<Content> {
    const bytes = await withReadTimeout(this.#source.readBlob(hash));
    if (!bytes) throw new PrunedError(`There is no content ${hash}.`);
    const content = toContent(bytes, origin);
    this.#contents.set(name, content, { size: ENTRY_BYTES + content.length });
    return content;
  }
}

function contentName(hash: string, origin: string | undefined): string {
  return origin === undefined ? hash : `${hash} ${origin}`;
}

function toContent(bytes: Uint8Array, origin: string | undefined): Content {
  let content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (origin !== undefined) {
    // By bytes, whatever the text's encoding: the mark and the origin are ASCII.
    content = Buffer.from(content.toString('latin1').replaceAll('{{origin}}', origin), 'latin1');
  }
  return content.length <= MAX_STRING_BYTES ? content.toString('latin1') : content;
}
