import { PROXY_PATH } from '@petstore/site/request/proxy-format.ts';
import { FEEDBACK_PATH, READERS_PATH } from '@petstore/site/site/readers/readers-format.ts';
import type { Manifest } from '../../deploys/artifact.ts';
import type { Redirect } from '../../deploys/redirects.ts';
import { PATHS } from '../access/paths.ts';
import type { RequestTarget } from '../http/edge-request.ts';
import { MCP_PATH } from '../mcp/mcp-path.ts';
import { API_CATALOG, fileAt, redirectOf } from '../sites/manifest-paths.ts';
import {
  type HostRedirect,
  movedTo,
  type Site,
  type SiteVersion,
  type SiteVersions,
} from '../sites/site-source.ts';
import { addressIn } from './site-editions.ts';

/** Where a request leads on a site with versions. */
export type Located =
  /** To a path of one version. */
  | { readonly site: Site; readonly path: string }
  | { readonly redirect: Redirect }
  /** To a version that has a name of its own. */
  | { readonly elsewhere: HostRedirect; readonly rawPath: string }
  /** To a path of a version that is retired. */
  | { readonly retired: string };

/** What programs look for at the root of a host, or have been told once for all versions: the default version's. */
export const AT_ROOT: ReadonlySet<string> = new Set([
  ...['/robots.txt', '/sitemap.xml', '/llms.txt', '/llms-full.txt', API_CATALOG],
  ...['/openapi.json', '/openapi.yaml', MCP_PATH, PROXY_PATH, READERS_PATH, FEEDBACK_PATH],
  PATHS.link,
  // Registered with authorization servers as where readers come back to.
  ...['/_assets/oauth-callback.html', '/_assets/oauth-callback.js'],
]);

/**
 * Finds the version of a site that a path belongs to: that of its first segment, or else what the site's address shows. A
 * site whose default version has a prefix has nothing else at its root, so all other paths redirect to that.
 */
export function locate(
  site: Site,
  versions: SiteVersions,
  { path, rawPath }: RequestTarget,
): Located {
  const [, segment = ''] = path.split('/', 2);
  const version = versions.all.find(({ name }) => name === segment);
  if (version) {
    if (site.leadsVersions && version.origin !== undefined && version.artifactHash !== undefined) {
      // As it arrived, whatever of it was encoded.
      const end = rawPath.indexOf('/', 1);
      return { elsewhere: movedTo(version.origin), rawPath: end === -1 ? '/' : rawPath.slice(end) };
    }
    const inner = path.slice(segment.length + 1);
    // As a page of a site has no slash at its end.
    if (inner === '/') return { redirect: { status: 308, to: `/${segment}` } };
    if (version.artifactHash === undefined) return { retired: inner || '/' };
    return { site: shownAs(site, version), path: inner || '/' };
  }
  const defaultVersion = versions.all.find(({ name }) => name === versions.defaultVersion);
  if (!defaultVersion || AT_ROOT.has(path)) return { site: shownAs(site, defaultVersion), path };
  return { redirect: { status: 302, to: `/${defaultVersion.name}${path === '/' ? '' : rawPath}` } };
}

/** Where a path of a retired version leads: to the same page or file of the default one, or else to its start page. */
export function retiredRedirect(site: Site, manifest: Manifest, path: string): Redirect {
  const defaultVersion = site.versions?.defaultVersion;
  const base = defaultVersion === undefined ? undefined : `/${defaultVersion}`;
  // Two slashes at its beginning would lead to another host, where the default version is at the root.
  const isThere = !path.startsWith('//') && (fileAt(manifest, path) ?? redirectOf(manifest, path));
  return { status: 301, to: addressIn(base, isThere ? path : '/') };
}

/** The versions of each site as sites of their own, the same objects as long as the site is. */
const shown = new WeakMap<Site, Map<string | undefined, Site>>();

/** A site as one version of it; undefined: what has none. */
function shownAs(site: Site, version: SiteVersion | undefined): Site {
  const known = shown.get(site) ?? new Map<string | undefined, Site>();
  shown.set(site, known);
  const made = known.get(version?.name) ?? {
    ...site,
    ...(version?.artifactHash && {
      artifactHash: version.artifactHash,
      base: `/${version.name}`,
    }),
    whole: site,
  };
  known.set(version?.name, made);
  return made;
}
