import { urlHost } from '@petstore/service/listen.ts';
import type { Config } from './config.ts';

/** The URLs of things in the browser. */
export interface Addresses {
  /** The dashboard's own origin. */
  readonly dashboard: string;
  /** Whether browsers reach it over TLS that ends at a proxy, which need not say so. */
  readonly isTlsElsewhere: boolean;
  /** The origin of a project's site. */
  site(slug: string): string;
  /** The origin that shows one deploy, by its id, or a branch, by its label. */
  preview(slug: string, shown: string): string;
  /** The origin of a custom host that has a certificate. */
  domain(hostname: string): string;
  /** The origin of a custom host that has none yet. */
  domainWithoutTls(hostname: string): string;
}

/** The ports in use: the configured ones, or those that the system picked for 0. */
export interface Ports {
  readonly dashboard: number;
  readonly edge: number;
  readonly edgeHttps: number;
}

export function addressesOf(
  { host, publicUrl, platformHost, domain, edge }: Config,
  ports: Ports,
): Addresses {
  const dashboard = publicUrl ?? `http://${urlHost(host)}:${ports.dashboard}`;
  const sites = new URL(edge.publicUrl ?? `http://${platformHost}:${ports.edge}`);
  const httpsPort = edge.httpsPublicPort ?? ports.edgeHttps;
  const originOf = (hostname: string) =>
    new URL(`${sites.protocol}//${hostname}${sites.port && `:${sites.port}`}`).origin;
  const originAt = (label: string) => originOf(`${label}.${platformHost}`);
  return {
    dashboard,
    isTlsElsewhere: dashboard.startsWith('https:') && domain === undefined,
    site: originAt,
    preview: (slug, shown) => originAt(`${slug}${PREVIEW_MARK}${shown}`),
    // The URL class leaves port 443 out.
    domain: (hostname) => new URL(`https://${hostname}:${httpsPort}`).origin,
    domainWithoutTls: originOf,
  };
}

/** Separates a slug from what follows in a preview's host name; neither of the two contains it. */
export const PREVIEW_MARK = '--';
