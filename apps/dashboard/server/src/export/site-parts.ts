import { encodePath } from '../edge/http/edge-request.ts';
import type { SiteCache } from '../edge/sites/site-cache.ts';
import type { Site } from '../edge/sites/site-source.ts';
import { AT_ROOT, locate } from '../edge/versions/locate.ts';

/** What a site shows below one prefix. */
export interface SitePart {
  /** Its version, or the site itself. */
  readonly site: Site;
  /** `/v2`; empty at the root. */
  readonly base: string;
  /** Whether the part has a path of its own. */
  readonly has: (path: string) => boolean;
}

/** The parts of a site, those at the root first: itself where it has no versions, or else each version that is shown. */
export function partsOf(site: Site): SitePart[] {
  const { versions } = site;
  // A name of one version alone shows that at its root.
  if (!versions || site.only) return [{ site, base: '', has: () => true }];
  const names = new Set(versions.all.map(({ name }) => name));
  const root = shownAt(site, '/openapi.json');
  const isAtRoot =
    versions.defaultVersion === undefined
      ? // A version has all that begins with its name.
        (path: string) => !names.has(path.split('/', 2)[1] ?? '')
      : (path: string) => AT_ROOT.has(path) || path === '/404.html';
  return [
    ...(root ? [{ site: root, base: '', has: isAtRoot }] : []),
    ...versions.all.flatMap(({ name }): SitePart[] => {
      const shown = shownAt(site, `/${name}`);
      return shown ? [{ site: shown, base: `/${name}`, has: () => true }] : [];
    }),
  ];
}

/** The version of a site that a path belongs to, as the edge finds it; undefined where that redirects. */
function shownAt(site: Site, path: string): Site | undefined {
  if (!site.versions) return undefined;
  const located = locate(site, site.versions, {
    ...{ host: '' as never, path, rawPath: encodePath(path), query: '' },
  });
  return 'site' in located ? located.site : undefined;
}

/** The manifest of a part. Rejects with PrunedError where it is gone. */
export const manifestOf = async (cache: SiteCache, { site }: Pick<SitePart, 'site'>) =>
  cache.manifest(site.artifactHash);
