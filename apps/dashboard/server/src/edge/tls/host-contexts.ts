import { createSecureContext, type SecureContext } from 'node:tls';
import { SingleFlight } from '@petstore/service/single-flight.ts';
import { LRUCache } from 'lru-cache';
import type { CanonicalHost } from '../host.ts';
import { Invalidations } from '../invalidations.ts';
import type { MaybePromise, SiteCache } from '../sites/site-cache.ts';
import { ALL_PROJECTS, type HostCertificate, type SiteSource } from '../sites/site-source.ts';
import { CIPHERS } from './protocol.ts';

type CertificateSource = Pick<
  SiteSource,
  'findServedCertificate' | 'findPlatformCertificate' | 'platformCertificateOf'
>;

/** How often a read is repeated when sites change meanwhile. */
const MAX_READS = 3;

export interface HostContext {
  /** undefined: the certificate is for hosts of all projects. */
  readonly projectId: string | undefined;
  readonly context: SecureContext;
}

/**
 * The certificates of hosts, ready for handshakes. A look-up tries memory; then it joins a read for the same host that
 * is in flight; then it reads the site, from the cache of sites, and its certificate from the store. Names without a
 * site are cached there, so that a scan reads the store once.
 */
export class HostContexts {
  readonly #source: CertificateSource;
  readonly #sites: SiteCache;
  readonly #contexts: LRUCache<string, HostContext>;
  readonly #reads = new SingleFlight<HostContext | undefined>();
  readonly #invalidations = new Invalidations();

  constructor(source: CertificateSource, sites: SiteCache, maxContexts: number) {
    this.#source = source;
    this.#sites = sites;
    this.#contexts = new LRUCache({ maxSize: maxContexts, sizeCalculation: () => 1 });
  }

  /** undefined for a host that has no certificate, or no longer serves. Rejects when the store is unavailable. */
  find(host: CanonicalHost): MaybePromise<HostContext | undefined> {
    const platform = this.#source.platformCertificateOf(host);
    const name = platform ?? this.#sites.cachedSite(host)?.wildcard ?? host;
    const known = this.#contexts.get(name);
    if (known) return known;
    return platform === undefined
      ? this.#reads.read(host, () => this.#read(host, () => this.#readOfSite(host)))
      : this.#reads.read(platform, () => this.#read(platform, () => this.#readPlatform(platform)));
  }

  /** Drops the contexts of projects, of all when there is no list. Call it after the site cache's own. */
  invalidate(projectIds: ReadonlySet<string> | undefined): void {
    this.#invalidations.add(projectIds);
    this.#reads.detach();
    this.#contexts.forEach(({ projectId }, host) => {
      if (!projectIds || projectIds.has(projectId ?? ALL_PROJECTS)) this.#contexts.delete(host);
    });
  }

  /** A read from before an invalidation of its project may be of a host that was removed by it. */
  async #read(
    name: string,
    readOnce: () => Promise<NamedContext | undefined>,
  ): Promise<HostContext | undefined> {
    for (let reads = 1; ; reads++) {
      const mark = this.#invalidations.now();
      const found = await readOnce();
      const projectId = found && (found.context.projectId ?? ALL_PROJECTS);
      if (!this.#invalidations.concern(mark, projectId)) {
        if (found) this.#contexts.set(found.name, found.context);
        return found?.context;
      }
      if (reads === MAX_READS) throw new Error(`The site of ${name} changes all the time.`);
    }
  }

  async #readPlatform(name: string): Promise<NamedContext | undefined> {
    const certificate = await this.#source.findPlatformCertificate(name);
    return (
      certificate && { name, context: { projectId: undefined, context: contextOf(certificate) } }
    );
  }

  /** Made-up hosts of a wildcard, which no memory has, cost one read of the site and share one context. */
  async #readOfSite(host: CanonicalHost): Promise<NamedContext | undefined> {
    const site = await this.#sites.findSite(host);
    if (site?.secureOrigin === undefined) return undefined;
    const { projectId, wildcard } = site;
    if (wildcard === undefined) return this.#readOwn(host, projectId);
    const known = this.#contexts.get(wildcard);
    if (known) return { name: wildcard, context: known };
    const found = await this.#reads.read(wildcard, () =>
      this.#read(wildcard, () => this.#readOwn(wildcard, projectId)),
    );
    return found && { name: wildcard, context: found };
  }

  async #readOwn(name: string, projectId: string): Promise<NamedContext | undefined> {
    const certificate = await this.#source.findServedCertificate(name);
    return certificate && { name, context: { projectId, context: contextOf(certificate) } };
  }
}

interface NamedContext {
  /** The host, or the wildcard that it is of. */
  readonly name: string;
  readonly context: HostContext;
}

function contextOf({ chain, key }: HostCertificate): SecureContext {
  // No CAs: clients send no certificates, and the default would load all root certificates.
  return createSecureContext({ cert: chain, key, ca: [], ciphers: CIPHERS });
}
