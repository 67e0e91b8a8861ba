import { createSecureContext, type SecureContext } from 'node:tls';
import type { CanonicalHost } from '../host.ts';
import { LruCache } from '../sites/lru-cache.ts';
import type { MaybePromise, SiteCache } from '../sites/site-cache.ts';
import type { HostCertificate, SiteSource } from '../sites/site-source.ts';
import { SingleFlight, withReadTimeout } from '../store-reads.ts';
import { CIPHERS } from './protocol.ts';

/** How often a certificate is read anew when sites change meanwhile. */
const MAX_READS = 3;

export interface HostContext {
  readonly projectId: string;
  readonly context: SecureContext;
}

/**
 * What hosts prove themselves with. Memory is asked first; then the read that is under way for the same host;
 * then the store: for the site, which memory may have, too, and for its certificate. Names without a site
 * or a certificate are remembered as sites are, so that scans do not come to the store twice.
 */
export class HostContexts {
  readonly #source: Pick<SiteSource, 'findCertificate'>;
  readonly #sites: SiteCache;
  readonly #contexts: LruCache<HostContext>;
  readonly #reads = new SingleFlight<HostContext | undefined>();
  /** Counts the invalidations. */
  #generation = 0;

  constructor(source: Pick<SiteSource, 'findCertificate'>, sites: SiteCache, maxContexts: number) {
    this.#source = source;
    this.#sites = sites;
    this.#contexts = new LruCache(maxContexts);
  }

  /** undefined for a host that has no certificate, or no longer serves. Rejects when the store is away. */
  find(host: CanonicalHost): MaybePromise<HostContext | undefined> {
    return this.#contexts.get(host) ?? this.#reads.read(host, () => this.#read(host));
  }

  /** Drops the contexts of projects, of all when there is no list; after the cache of sites has dropped its own. */
  invalidate(projectIds: ReadonlySet<string> | undefined): void {
    this.#generation++;
    this.#reads.detach();
    if (projectIds) this.#contexts.deleteWhere(({ projectId }) => projectIds.has(projectId));
    else this.#contexts.clear();
  }

  /** What was read before an invalidation may be of a host that was removed by it. */
  async #read(host: CanonicalHost): Promise<HostContext | undefined> {
    for (let reads = 1; ; reads++) {
      const generation = this.#generation;
      const found = await this.#readOnce(host);
      if (generation === this.#generation) {
        if (found) this.#contexts.set(host, found);
        return found;
      }
      if (reads === MAX_READS) throw new Error(`The site of ${host} changes all the time.`);
    }
  }

  async #readOnce(host: CanonicalHost): Promise<HostContext | undefined> {
    const site = await this.#sites.findSite(host);
    if (site?.secureOrigin === undefined) return undefined;
    const certificate = await withReadTimeout(this.#source.findCertificate(host));
    return certificate && { projectId: site.projectId, context: contextOf(certificate) };
  }
}

function contextOf({ chain, key }: HostCertificate): SecureContext {
  // No authorities: clients are not asked for certificates, and the default is to load all of the world's.
  return createSecureContext({ cert: chain, key, ca: [], ciphers: CIPHERS });
}
