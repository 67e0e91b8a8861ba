import type { PageVersion, PageVersions } from '@petstore/site/site/versions/page-versions.ts';
import { compareVersions, versionState } from '../../deploys/versions/version-order.ts';
import { encodePath } from '../http/edge-request.ts';
import type { MaybePromise, SiteCache } from '../sites/site-cache.ts';
import type { Site, SiteVersions } from '../sites/site-source.ts';
import { PagePlaces, type Places } from './page-places.ts';

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

  constructor(cache: SiteCache) {
    this.#places = new PagePlaces(cache);
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
function shownVersions({ whole }: Site, { standard, all }: SiteVersions): ShownVersion[] {
  const named = all.flatMap(({ name, artifactHash }) =>
    artifactHash === undefined ? [] : [{ name, artifactHash }],
  );
  named.sort((one, other) => compareVersions(one.name, other.name));
  const unversioned =
    standard === undefined && whole ? [{ name: undefined, artifactHash: whole.artifactHash }] : [];
  return [...unversioned, ...named];
}

function editionOf(
  { base }: Site,
  { standard: standardName }: SiteVersions,
  path: string,
  shown: readonly ShownVersion[],
  places: readonly Places[],
): PageEdition {
  const all = shown.map(({ name }, at): PageVersion => {
    const hasPage = places[at]?.has(path) ?? false;
    return {
      title: name ?? UNVERSIONED,
      state: name === undefined ? 'default' : versionState(name, standardName),
      href: addressIn(name === undefined ? undefined : `/${name}`, hasPage ? path : '/'),
      hasPage,
    };
  });
  const at = (prefix: string | undefined) => {
    const index = shown.findIndex(
      ({ name }) => (name === undefined ? undefined : `/${name}`) === prefix,
    );
    return all[index];
  };
  const current = at(base);
  const standard = at(standardName === undefined ? undefined : `/${standardName}`);
  if (!current || !standard)
    throw new Error(`The versions of a site lack ${base ?? 'its default'}.`);
  const isElsewhere = current !== standard && standard.hasPage;
  return {
    versions: { all, current, standard },
    canonical: isElsewhere ? standard.href : undefined,
  };
}

/** The address of a path below a prefix, percent-encoded; the start page is at the prefix itself. */
export function addressIn(base: string | undefined, path: string): string {
  if (!base) return encodePath(path);
  return path === '/' ? base : base + encodePath(path);
}
