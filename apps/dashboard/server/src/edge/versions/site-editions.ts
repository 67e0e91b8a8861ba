import type { PageVersion, PageVersions } from '@petstore/site/site/versions/page-versions.ts';
import { compareVersions, versionState } from '../../deploys/versions/version-order.ts';
import { encodePath } from '../http/edge-request.ts';
import type { MaybePromise } from '../sites/site-cache.ts';
import type { Site, SiteVersions } from '../sites/site-source.ts';
import type { PagePaths, PathSet } from './path-sets.ts';

/** What a page says of the versions of its site. */
export interface PageEdition {
  readonly versions: PageVersions;
  /** The address of the page that search engines should list in its place, without the origin; undefined: itself. */
  readonly canonical: string | undefined;
}

/** What a site without a version is called. */
const UNVERSIONED = 'Latest';

/** Says of each page of a versioned site where the other versions have it. */
export class SiteEditions {
  readonly #pages: PagePaths;

  constructor(pages: PagePaths) {
    this.#pages = pages;
  }

  /** Of a page by its path in its version. Rejects as the cache does. */
  of(site: Site, versions: SiteVersions, path: string): MaybePromise<PageEdition> {
    const shown = shownVersions(site, versions);
    const pathSets = shown.map(({ artifactHash }) => this.#pages.known(artifactHash));
    return pathSets.every((found) => found !== undefined)
      ? editionOf(site, versions, path, shown, pathSets)
      : this.#read(shown).then((read) => editionOf(site, versions, path, shown, read));
  }

  /** One manifest after the other: fifty large ones at once would take a gigabyte. */
  async #read(shown: readonly ShownVersion[]): Promise<PathSet[]> {
    const pathSets: PathSet[] = [];
    for (const { artifactHash } of shown) pathSets.push(await this.#pages.read(artifactHash));
    return pathSets;
  }
}

interface ShownVersion {
  /** undefined: what has no version. */
  readonly name: string | undefined;
  readonly artifactHash: string;
}

/** The newest first; what has no version before all others. */
function shownVersions(
  { whole: host, only }: Site,
  { defaultVersion, all }: SiteVersions,
): ShownVersion[] {
  const named = all.flatMap(({ name, artifactHash }) =>
    artifactHash === undefined ? [] : [{ name, artifactHash }],
  );
  const whole = host ?? only?.whole;
  named.sort((one, other) => compareVersions(one.name, other.name));
  const unversioned =
    defaultVersion === undefined && whole
      ? [{ name: undefined, artifactHash: whole.artifactHash }]
      : [];
  return [...unversioned, ...named];
}

function editionOf(
  site: Site,
  { defaultVersion: defaultName, all: known }: SiteVersions,
  path: string,
  shown: readonly ShownVersion[],
  pathSets: readonly PathSet[],
): PageEdition {
  const currentName = site.only?.name ?? site.base?.slice(1);
  const all = shown.map(({ name }, at): PageVersion => {
    const hasPage = pathSets[at]?.has(path) ?? false;
    const own = known.find((version) => version.name === name)?.origin;
    const page = hasPage ? path : '/';
    return {
      title: name ?? UNVERSIONED,
      state: name === undefined ? 'default' : versionState(name, defaultName),
      href: hrefOf(site, { name, own, isCurrent: name === currentName }, page),
      hasPage,
    };
  });
  const at = (name: string | undefined) => all[shown.findIndex((one) => one.name === name)];
  const current = at(currentName);
  const defaultVersion = at(defaultName);
  if (!current || !defaultVersion)
    throw new Error(`The versions of a site lack ${currentName ?? 'its default'}.`);
  const isElsewhere = current !== defaultVersion && defaultVersion.hasPage;
  return {
    versions: { all, current, standard: defaultVersion },
    canonical: isElsewhere ? defaultVersion.href : undefined,
  };
}

/** The address of a page in a version: on the same host without an origin. */
function hrefOf(
  site: Site,
  {
    name,
    own,
    isCurrent,
  }: { name: string | undefined; own: string | undefined; isCurrent: boolean },
  page: string,
): string {
  // A version that its host shows is at the root there.
  if (site.only && isCurrent) return encodePath(page);
  if (own !== undefined) return own + encodePath(page);
  return (
    (site.only?.whole.origin ?? '') + addressIn(name === undefined ? undefined : `/${name}`, page)
  );
}

/** The address of a path below a prefix, percent-encoded; the start page is at the prefix itself. */
export function addressIn(base: string | undefined, path: string): string {
  if (!base) return encodePath(path);
  return path === '/' ? base : base + encodePath(path);
}
