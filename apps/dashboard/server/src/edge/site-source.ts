import type { Manifest } from '../deploys/artifact.ts';
import type { CanonicalHost } from './host.ts';

/** What is served at a host name. */
export interface Site {
  readonly projectId: string;
  readonly artifactHash: string;
  /** The origin by which the site wants to be known, such as `https://docs.example.com`. */
  readonly origin: string;
  /** One deploy's own address, not to be found by search engines. */
  readonly isPreview: boolean;
}

/**
 * All that the edge knows of the store: hosts, sites, contents. Calls reject when the store is away; the
 * edge goes on with what it remembers.
 */
export interface SiteSource {
  /** The site of a host; undefined when there is none. Its cost does not grow with the number of hosts. */
  findSite(host: CanonicalHost): Promise<Site | undefined>;
  /** undefined when it was pruned. */
  readManifest(artifactHash: string): Promise<Manifest | undefined>;
  /** undefined when it was pruned. */
  readBlob(hash: string): Promise<Uint8Array | undefined>;
  /**
   * The projects whose sites changed since a position, which is undefined at first, and the position now.
   * `projectIds` is undefined when that cannot be told: it is too long ago, or the store was put back to
   * another state meanwhile. Then everything may have changed.
   */
  changesAfter(
    position: string | undefined,
  ): Promise<{ position: string; projectIds: readonly string[] | undefined }>;
}
