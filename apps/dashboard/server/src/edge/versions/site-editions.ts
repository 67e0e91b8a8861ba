import type { PageVersion, PageVersions } from '@petstore/site/site/versions/page-versions.ts';
import { compareVersions, versionState } from '../../deploys/versions/version-order.ts';
import { encodePath } from '../http/edge-request.ts';
import type { MaybePromise } from '../sites/site-cache.ts';
import type { Site, SiteVersions } from '../sites/site-source.ts';
import type { PagePlaces, Places } from './page-places.ts';

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
  readonly #places: PagePlaces;

  constructor(places: PagePlaces) {
    this.#places = places;
  }

  /** Of a page by its path in its version. Rejects as the cache does. */
  of(site: Site, versions: SiteVersions, path: string): MaybePromise<PageEdition> {
    const shown = shownVersions(site, versions);
    const places = shown.map(({ artifactHash }) => this.#places.known(artifactHash));
    return places.every((found) => found !== undefined)
      ? editionOf(site, versions, path, shown, places)
      : this.#read(shown).then((read) => editionOf(site, versions, path, shown, read));
  }

  /** One manifest after the other: fifty large ones at once would take a gigabyte. */
  async #read(shown: readonly ShownVersion[]): Promise<Places[]> {
    const places: Places[] = [];
    for (const { artifactHash } of shown) places.push(await this.#places.read(artifactHash));
    return places;
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
  { standard, all }: SiteVersions,
): ShownVersion[] {
  const named = all.flatMap(({ name, artifactHash }) =>
    artifactHash === undefined ? [] : [{ name, artifactHash }],
  );
  const whole = host ?? only?.whole;
  named.sort((one, other) => compareVersions(one.name, other.name));
  const unversioned =
    standard === undefined && whole ? [{ name: undefined, artifactHash: whole.artifactHash }] : [];
  return [...unversioned, ...named];
}

function editionOf(
  site: Site,
  { standard: standardName, all: known }: SiteVersions,
  path: string,
  shown: readonly ShownVersion[],
  places: readonly Places[],
): PageEdition {
  const currentName = site.only?.name ?? site.base?.slice(1);
  const all = shown.map(({ name }, at): PageVersion => {
    const hasPage = places[at]?.has(path) ?? false;
    const own = known.find((version) => version.name === name)?.origin;
    const page = hasPage ? path : '/';
    return {
      title: name ?? UNVERSIONED,
      state: name === undefined ? 'default' : versionState(name, standardName),
      href: hrefOf(site, { name, own, isCurrent: name === currentName }, page),
      hasPage,
    };
  });
  const at = (name: string | undefined) => all[shown.findIndex((one) => one.name === name)];
  const current = at(currentName);
  const standard = at(standardName);
  if (!current || !standard)
    throw new Error(`The versions of a site lack ${currentName ?? 'its default'}.`);
  const isElsewhere = current !== standard && standard.hasPage;
  return {
    versions: { all, current, standard },
    canonical: isElsewhere ? standard.href : undefined,
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
