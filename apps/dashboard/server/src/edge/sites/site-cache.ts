import { concurrencyLimit } from '@petstore/service/concurrency-limit.ts';
import { SingleFlight } from '@petstore/service/single-flight.ts';
import { LRUCache } from 'lru-cache';
import type { Manifest } from '../../deploys/artifact.ts';
import type { CanonicalHost } from '../host.ts';
import { Invalidations } from '../invalidations.ts';
import { type ContentSource, templateKey } from './content-source.ts';
import {
  bytesOf,
  type Content,
  type Forms,
  fillTemplate,
  type PackedContent,
  type Template,
  toContent,
  unpack,
} from './forms.ts';
import type { Site, SiteSource } from './site-source.ts';

/** The limits of the cache. */
export interface CacheLimits {
  /** Hosts that have a site; one takes some 500 bytes: measured. */
  readonly hosts: number;
  /** Hosts that show nothing: counted apart, so that a flood of made-up hosts evicts no real one. */
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

/**
 * The largest template that is compressed, as a part of the memory for contents: what does not stay in memory would be
 * compressed for each request.
 */
const COMPRESSED_PART = 1 / 4;

/** Contents that are made at a time out of what is stored, and those waiting: each takes some of the processor's time. */
const MAX_RUNNING = 4;
const MAX_WAITING = 500;

/** How often a look-up is repeated when sites change meanwhile. */
const MAX_LOOK_UPS = 3;

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
  /** Below a wildcard a host without a site has a certificate all the same. */
  readonly #unknownHosts: LRUCache<string, { readonly site: Site | undefined }>;
  readonly #manifests: LRUCache<string, Manifest>;
  readonly #contents: LRUCache<string, Forms>;
  readonly #siteReads = new SingleFlight<Site | undefined>();
  readonly #manifestReads = new SingleFlight<Manifest>();
  readonly #contentReads = new SingleFlight<Forms>();
  readonly #maxCompressed: number;
  readonly #limited = concurrencyLimit(
    MAX_RUNNING,
    MAX_WAITING,
    () => new Error('Too many contents are waiting to be unpacked or filled in.'),
  );
  readonly #invalidations = new Invalidations();

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
    this.#maxCompressed = limits.contentBytes * COMPRESSED_PART;
  }

  /** The site of a host, from memory alone. */
  cachedSite(host: CanonicalHost): Site | undefined {
    return this.#hosts.get(host);
  }

  /** The site of a host: the same object until the host is invalidated. */
  findSite(host: CanonicalHost): MaybePromise<Site | undefined> {
    const site = this.cachedSite(host);
    if (site) return site;
    const unknown = this.#unknownHosts.get(host);
    if (unknown) return unknown.site;
    return this.#siteReads.read(host, () => this.#readSite(host));
  }

  /** Rejects with PrunedError where the store no longer has it. */
  manifest(artifactHash: string): MaybePromise<Manifest> {
    return (
      this.#manifests.get(artifactHash) ??
      this.#manifestReads.read(artifactHash, () => this.#readManifest(artifactHash))
    );
  }

  /** A content, from memory alone. */
  cachedContent({ key, form }: ContentSource): Content | undefined {
    return this.#contents.get(key)?.[form];
  }

  /** A content. Rejects with PrunedError where the store no longer has it. */
  content(source: ContentSource): MaybePromise<Content> {
    const of = (forms: Forms): Content => {
      // A template is always compressed in the same way, so a form that was there is there again.
      const content = forms[source.form];
      if (content === undefined) throw new Error(`The content ${source.key} has no such form.`);
      return content;
    };
    const forms = this.#contents.get(source.key);
    if (forms) return of(forms);
    const { key, hash, template, packed } = source;
    if (template) return this.#filled(source, template).then(of);
    const read = packed
      ? () => this.#limited(() => this.#unpackContent(key, packed))
      : () => this.#readContent(key, hash);
    return this.#contentReads.read(key, read).then(of);
  }

  /** All forms of a template, which is stored without a coding or packed. Rejects with PrunedError where the store no longer has it. */
  template(stored: ContentSource, template: Template): MaybePromise<Forms> {
    const key = templateKey(stored.hash, template);
    return this.#contents.get(key) ?? this.#filled({ ...stored, key }, template);
  }

  /**
   * Evicts the sites of projects, of all when there is no list, before it returns: a look-up from now on starts a new
   * read. Hosts without a site are evicted too: a project may have been given one.
   */
  invalidate(projectIds: ReadonlySet<string> | undefined): void {
    this.#invalidations.add(projectIds);
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

  /** A result from before an invalidation of its project is stale: it is not cached, and read again a few times. */
  async #readSite(host: CanonicalHost): Promise<Site | undefined> {
    for (let lookUps = 1; ; lookUps++) {
      const mark = this.#invalidations.now();
      const site = await this.#source.findSite(host);
      if (!this.#invalidations.concern(mark, site?.projectId)) {
        if (site && !site.isEmpty) this.#keepSite(host, site);
        else this.#unknownHosts.set(host, { site });
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
    const manifest = await this.#source.readManifest(artifactHash);
    if (!manifest) throw new PrunedError(`There is no artifact ${artifactHash}.`);
    const files = Object.keys(manifest.files).length;
    this.#manifests.set(artifactHash, manifest, {
      size: ENTRY_BYTES + files * MANIFEST_FILE_BYTES,
    });
    return manifest;
  }

  #filled({ key, hash, packed }: ContentSource, template: Template): Promise<Forms> {
    return this.#contentReads.read(key, () =>
      this.#limited(async () => {
        const bytes = packed
          ? await unpack(await this.#readBlob(packed.hash), packed)
          : await this.#readBlob(hash);
        return this.#keepContent(key, await fillTemplate(bytes, template, this.#maxCompressed));
      }),
    );
  }

  async #readContent(key: string, hash: string): Promise<Forms> {
    return this.#keepContent(key, { identity: toContent(await this.#readBlob(hash)) });
  }

  async #unpackContent(key: string, packed: PackedContent): Promise<Forms> {
    const bytes = await unpack(await this.#readBlob(packed.hash), packed);
    return this.#keepContent(key, { identity: toContent(bytes) });
  }

  async #readBlob(hash: string): Promise<Uint8Array> {
    const bytes = await this.#source.readBlob(hash);
    if (!bytes) throw new PrunedError(`There is no content ${hash}.`);
    return bytes;
  }

  #keepContent(key: string, forms: Forms): Forms {
    this.#contents.set(key, forms, { size: ENTRY_BYTES + bytesOf(forms) });
    return forms;
  }
}
