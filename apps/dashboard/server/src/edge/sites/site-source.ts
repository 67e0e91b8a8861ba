import type { Manifest } from '../../deploys/artifact.ts';
import type { CanonicalHost } from '../host.ts';

/** The site of a host name. */
export interface Site {
  readonly projectId: string;
  /** Of what its address shows or leads to. */
  readonly artifactHash: string;
  /** Absent where it has none. */
  readonly versions?: SiteVersions | undefined;
  /** The prefix of all its paths, such as `/v2`, where it is one version of a site. */
  readonly base?: string | undefined;
  /** The site of the host, where it is one version of that. */
  readonly whole?: Site | undefined;
  /** The site's canonical origin, such as `https://docs.example.com`. */
  readonly origin: string;
  /** One deploy's own address, not to be found by search engines. */
  readonly isPreview: boolean;
  /** Nobody else's yet, as that of `dashboard dev`: pages of other origins may not read it. */
  readonly isDraft?: boolean | undefined;
  /** Programs may ask the site at `/mcp`. */
  readonly mcp: boolean;
  /** Readers may send requests to the API through the site, where the operator allows it. */
  readonly requestProxy: boolean;
  /** Another host is the site's own: requests are redirected there (301). The origin of that host. */
  readonly redirectOrigin?: string | undefined;
  /** There is a certificate: plain requests are redirected to https. The origin of this host over TLS. */
  readonly secureOrigin?: string | undefined;
  /** Strict-Transport-Security, as sent over TLS. */
  readonly hsts?: string | undefined;
}

/** The versions of a site, each below its name as a prefix. */
export interface SiteVersions {
  /** The one that the site's address leads to; undefined: it shows what has no version. */
  readonly standard: string | undefined;
  readonly all: readonly SiteVersion[];
}

export interface SiteVersion {
  readonly name: string;
  /** undefined: it is retired, and its addresses redirect. */
  readonly artifactHash: string | undefined;
}

/** In lists of projects that changed: what is of no project, the certificate of the platform's own hosts. */
export const ALL_PROJECTS = 'platform';

/** A host's certificate and private key. */
export interface HostCertificate {
  /** Differs for each certificate. */
  readonly id: string;
  /** PEM, the host's own certificate first. */
  readonly chain: string;
  /** PEM. */
  readonly key: string;
}

/**
 * The edge's narrow interface to the store: hosts, sites, contents. Calls reject when the store is unavailable; the
 * edge goes on with what is in its cache.
 */
export interface SiteSource {
  /** The site of a host; undefined when there is none. Its cost does not grow with the number of hosts. */
  findSite(host: CanonicalHost): Promise<Site | undefined>;
  /** undefined when it was pruned. */
  readManifest(artifactHash: string): Promise<Manifest | undefined>;
  /** undefined when it was pruned. */
  readBlob(hash: string): Promise<Uint8Array | undefined>;
  /** The name, such as `*.docs.example.com`, whose certificate is also for this host; undefined: it needs its own. */
  wildcardOf(host: CanonicalHost): string | undefined;
  /** undefined where the name, which may be a wildcard, has none. */
  findWildcardCertificate(name: string): Promise<HostCertificate | undefined>;
  /** undefined where the host has none, or no longer serves. */
  findCertificate(host: CanonicalHost): Promise<HostCertificate | undefined>;
  /** The key authorization of an HTTP-01 challenge under way (RFC 8555, section 8.3). */
  findHttpChallenge(host: CanonicalHost, token: string): Promise<string | undefined>;
  /** The key authorization of a TLS-ALPN-01 challenge under way (RFC 8737). */
  findTlsChallenge(host: CanonicalHost): Promise<string | undefined>;
  /**
   * The projects whose sites changed since a position, which is undefined at first, and the position now.
   * `projectIds` is undefined when this is unknown: it is too long ago, or the store was restored to an
   * earlier state. Then everything may have changed.
   */
  changesAfter(
    position: string | undefined,
  ): Promise<{ position: string; projectIds: readonly string[] | undefined }>;
}
