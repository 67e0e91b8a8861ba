import type { PreviewBar } from '@petstore/site/site/preview-bar.ts';
import type { Analytics } from '@petstore/site/site/readers/own-analytics.ts';
import type { Manifest } from '../../deploys/artifact.ts';
import type { HourCounts } from '../../readers/counted.ts';
import type { SiteAccess } from '../access/site-access.ts';
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
  /** The one of `versions` that the host shows, without a prefix: it is a name of that version alone. */
  readonly only?: OnlyVersion | undefined;
  /** Versions that have a name of their own are shown there alone: their paths on this host lead there. */
  readonly leadsVersions?: boolean | undefined;
  /** The site's canonical origin, such as `https://docs.example.com`. */
  readonly origin: string;
  /** One deploy's own address, not to be found by search engines. */
  readonly isPreview: boolean;
  /** A preview of what is not live, which its pages say; undefined: what it shows is live. */
  readonly notLive?: NotLive | undefined;
  /** It is private, and this is how visitors are let in; undefined: anyone may read it. */
  readonly access?: SiteAccess | undefined;
  /** Nobody else's yet, as that of `dashboard dev`: pages of other origins may not read it. */
  readonly isDraft?: boolean | undefined;
  /** Programs may ask the site at `/mcp`. */
  readonly mcp: boolean;
  /** Readers may send requests to the API through the site, where the operator allows it. */
  readonly requestProxy: boolean;
  /** What its readers do is counted, and its pages ask them whether they were helpful. */
  readonly countsReaders?: boolean | undefined;
  /** A script of analytics that its owner chose. */
  readonly analytics?: Analytics | undefined;
  /** All requests are redirected, to a name of the same project. */
  readonly redirect?: HostRedirect | undefined;
  /** There is a certificate: plain requests are redirected to https. The origin of this host over TLS. */
  readonly secureOrigin?: string | undefined;
  /** Strict-Transport-Security, as sent over TLS. */
  readonly hsts?: string | undefined;
  /** The name, such as `*.docs.example.com`, whose certificate the host has; undefined: one of its own. */
  readonly wildcard?: string | undefined;
  /** Its name is one of those below a wildcard, where not every name shows something. */
  readonly isBelowWildcard?: boolean | undefined;
  /** Nothing is shown here: a host of a wildcard, or of a version, that does not exist. There is a certificate. */
  readonly isEmpty?: boolean | undefined;
  /** Its requests are counted under this id: the host moves here, or away. */
  readonly countedAs?: string | undefined;
}

/** What the pages of a preview say of it. */
export interface NotLive extends Omit<PreviewBar, 'live'> {
  /** What is live where the deploy would be; undefined: nothing. */
  readonly live: LiveSite | undefined;
}

/** What is live, without versions or as one of them. */
export interface LiveSite {
  readonly origin: string;
  /** Its prefix, where it is a version below one. */
  readonly base: string | undefined;
  readonly artifactHash: string;
}

/** Where all requests to a host are redirected; their query is kept. */
export interface HostRedirect {
  readonly origin: string;
  /** Without a slash at its end, such as `/v2`; empty: the root. */
  readonly path: string;
  /** The path of the request follows. */
  readonly keepPath: boolean;
  readonly status: 301 | 302 | 308;
}

/** The same path at another origin. */
export const movedTo = (origin: string): HostRedirect => ({
  ...{ origin, path: '', keepPath: true, status: 301 },
});

/** The address that a request leads to, without its query. The path begins with a slash, so nothing in it can change the origin in front of it. */
export function addressAt({ origin, path, keepPath }: HostRedirect, rawPath: string): string {
  if (!keepPath) return origin + (path || '/');
  // The start page of a version is at its prefix itself.
  return origin + path + (rawPath === '/' && path !== '' ? '' : rawPath);
}

/** The versions of a site, each below its name as a prefix. */
export interface SiteVersions {
  /** The one that the site's address leads to; undefined: it shows what has no version. */
  readonly defaultVersion: string | undefined;
  readonly all: readonly SiteVersion[];
}

interface OnlyVersion {
  readonly name: string;
  /** Of the site that has all versions: its origin, and what its address shows. */
  readonly whole: Pick<Site, 'origin' | 'artifactHash'>;
}

export interface SiteVersion {
  readonly name: string;
  /** undefined: it is retired, and its addresses redirect. */
  readonly artifactHash: string | undefined;
  /** That of a name of its own, where it is shown without a prefix. */
  readonly origin?: string | undefined;
}

/** In lists of projects that changed: the certificates of the installation's own names, which sites of all projects use. */
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
  /**
   * The name, such as `*.docs.example.com`, of the installation's own certificate that is for this host as well;
   * undefined: the host needs one of its own.
   */
  platformCertificateOf(host: CanonicalHost): string | undefined;
  /** The certificate of such a name; undefined where there is none. */
  findPlatformCertificate(name: string): Promise<HostCertificate | undefined>;
  /** Of a host, or of a wildcard by its name; undefined where there is none, or it no longer serves. */
  findServedCertificate(name: string): Promise<HostCertificate | undefined>;
  /** The key authorization of an HTTP-01 challenge under way (RFC 8555, section 8.3). */
  findHttpChallenge(host: CanonicalHost, token: string): Promise<string | undefined>;
  /** The key authorization of a TLS-ALPN-01 challenge under way (RFC 8737). */
  findTlsChallenge(host: CanonicalHost): Promise<string | undefined>;
  /** Adds requests for sites, by what they are counted as. Absent where nobody asks how many there were. */
  addRequests?(counts: ReadonlyMap<string, number>): Promise<void>;
  /** Adds what readers did in an hour to what is known of it. Absent where nobody asks. */
  addReaders?(counts: HourCounts): Promise<void>;
  /**
   * The projects whose sites changed since a position, which is undefined at first, and the position now.
   * `projectIds` is undefined when this is unknown: it is too long ago, or the store was restored to an
   * earlier state. Then everything may have changed.
   */
  changesAfter(
    position: string | undefined,
  ): Promise<{ position: string; projectIds: readonly string[] | undefined }>;
}
