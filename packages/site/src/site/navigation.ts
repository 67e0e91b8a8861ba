// The list of a site's guides, with the titles that are known once the pages are rendered.

/** A tab of the site, or all of its guides where it has none. */
export interface SiteTab {
  /** undefined where the site has no tabs. */
  readonly title: string | undefined;
  readonly icon: string | undefined;
  /** Where it leads: a path, percent-encoded, or an address. */
  readonly href: string;
  /** What its pages are; undefined for a link to another place. */
  readonly part: 'guides' | 'reference' | undefined;
  /** The address of the reference that it is for; undefined for all of them. */
  readonly reference?: string | undefined;
  /** Its guides. */
  readonly entries: readonly SiteEntry[];
}

export type SiteEntry = SitePage | SiteGroup | SiteEntryLink;

export interface SitePage {
  readonly kind: 'page';
  readonly title: string;
  /** A name of an icon, or an emoji; undefined for none. */
  readonly icon: string | undefined;
  readonly path: string;
}

/** Entries under a heading. */
export interface SiteGroup {
  readonly kind: 'group';
  readonly title: string;
  readonly icon: string | undefined;
  /** The page that its heading leads to; undefined for none. */
  readonly page: SitePage | undefined;
  readonly entries: readonly SiteEntry[];
}

interface SiteEntryLink {
  readonly kind: 'link';
  readonly title: string;
  readonly icon: string | undefined;
  /** A path, percent-encoded, or an address. */
  readonly url: string;
}

/** Where a page is in the list. */
export interface Position {
  readonly tab: SiteTab;
  /** The groups around it, the outermost first. */
  readonly groups: readonly SiteGroup[];
  readonly previous: SitePage | undefined;
  readonly next: SitePage | undefined;
}

const positions = new WeakMap<readonly SiteTab[], ReadonlyMap<string, Position>>();

/** Where the page with a path is; undefined where no list has it. Previous and next pages are of the same tab. */
export function positionOf(tabs: readonly SiteTab[], path: string): Position | undefined {
  const known = positions.get(tabs) ?? new Map(tabs.flatMap((tab) => [...positionsIn(tab)]));
  positions.set(tabs, known);
  return known.get(path);
}

function* positionsIn(tab: SiteTab): Generator<[path: string, Position]> {
  const listed = [...walk(tab.entries, [])];
  for (const [at, { page, groups }] of listed.entries()) {
    const [previous, next] = [listed[at - 1]?.page, listed[at + 1]?.page];
    yield [page.path, { tab, groups, previous, next }];
  }
}

function* walk(
  entries: readonly SiteEntry[],
  groups: readonly SiteGroup[],
): Generator<{ readonly page: SitePage; readonly groups: readonly SiteGroup[] }> {
  for (const entry of entries) {
    if (entry.kind === 'page') yield { page: entry, groups };
    if (entry.kind !== 'group') continue;
    const inner = [...groups, entry];
    if (entry.page) yield { page: entry.page, groups: inner };
    yield* walk(entry.entries, inner);
  }
}

/** The first page of entries, in groups as well, and whether it is the only one; undefined where there is none. */
export function firstPageIn(
  entries: readonly SiteEntry[],
): { readonly page: SitePage; readonly isOnly: boolean } | undefined {
  // Not all of them: a list asks for each of its groups, on every page.
  const pages = walk(entries, []);
  const first = pages.next();
  if (first.done) return undefined;
  return { page: first.value.page, isOnly: pages.next().done === true };
}

/** The pages of entries in their order, those of groups included. */
export function pagesIn(entries: readonly SiteEntry[]): SitePage[] {
  return [...walk(entries, [])].map(({ page }) => page);
}

/** The icons that the list of a site shows. */
export function iconsOf(tabs: readonly SiteTab[]): string[] {
  const inEntries = (entries: readonly SiteEntry[]): (string | undefined)[] =>
    entries.flatMap((entry) => [
      entry.icon,
      ...(entry.kind === 'group' ? inEntries(entry.entries) : []),
    ]);
  const all = tabs.flatMap(({ icon, entries }) => [icon, ...inEntries(entries)]);
  return all.filter((icon) => icon !== undefined);
}
