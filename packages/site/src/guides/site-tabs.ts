import { REFERENCE_LIST } from '../reference/addresses.ts';
import { type ListedReference, referenceHome } from '../site/frame.ts';
import type { SiteEntry, SitePage, SiteTab } from '../site/navigation.ts';
import { pagesIn } from '../site/navigation.ts';
import { hrefOf } from '../site/site-files.ts';
import type { ConfigEntry, ConfigPage, ConfigTab } from './config-navigation.ts';
import type { DocsConfig } from './docs-config.ts';
import type { RenderedPage } from './render/render-page.ts';

/**
 * The navigation with the titles and icons of its pages: as configured, or else all pages by path. `pages` are those
 * that lists may have. References without a tab get one together, where there are tabs.
 */
export function siteTabs(
  { navigation }: DocsConfig,
  pages: readonly RenderedPage[],
  references: readonly ListedReference[],
): readonly SiteTab[] {
  if (!navigation) return [guides({ title: undefined, icon: undefined }, byFolder(pages))];
  const byFile = new Map(pages.map((page) => [page.file, page]));
  const tabs = navigation.flatMap((tab) => siteTab(tab, byFile, references));
  const isTabbed = navigation.some(({ title }) => title !== undefined);
  const isIn = (address: string | undefined) => (tab: SiteTab) =>
    tab.part === 'reference' && (tab.reference === undefined || tab.reference === address);
  const hasAll = references.every(({ addresses }) => tabs.some(isIn(addresses.address)));
  if (!isTabbed || hasAll) return tabs;
  // Many sites call their guides to the API so.
  const isTaken = tabs.some(({ title }) => title === REFERENCE);
  return [
    ...tabs,
    ...referenceTab(
      { title: isTaken ? 'Reference' : REFERENCE, icon: undefined },
      true,
      references,
    ),
  ];
}

const REFERENCE = REFERENCE_LIST.title;

type Heading = Pick<SiteTab, 'title' | 'icon'>;

function siteTab(
  { title, icon, content }: ConfigTab,
  byFile: ReadonlyMap<string, RenderedPage>,
  references: readonly ListedReference[],
): SiteTab[] {
  const heading = { title, icon };
  if ('reference' in content) return referenceTab(heading, content.reference, references);
  if ('url' in content) return [{ ...heading, href: content.url, part: undefined, entries: [] }];
  return [guides(heading, siteEntries(content, byFile))];
}

function guides(heading: Heading, entries: readonly SiteEntry[]): SiteTab {
  const [first] = pagesIn(entries);
  return { ...heading, href: hrefOf(first?.path ?? '/'), part: 'guides', entries };
}

/** A tab for a reference by its address, or for all of them; none where there is none. */
function referenceTab(
  heading: Heading,
  reference: string | true,
  references: readonly ListedReference[],
): SiteTab[] {
  const address = reference === true ? undefined : reference;
  const path =
    address === undefined
      ? referenceHome(references)
      : references.find(({ addresses }) => addresses.address === address)?.addresses.overview;
  if (path === undefined) return [];
  const tab = { href: hrefOf(path), part: 'reference', entries: [] } as const;
  return [{ ...heading, ...tab, ...(address !== undefined && { reference: address }) }];
}

function siteEntries(
  entries: readonly ConfigEntry[],
  byFile: ReadonlyMap<string, RenderedPage>,
): SiteEntry[] {
  return entries.flatMap((entry): SiteEntry[] => {
    if (entry.kind === 'link') return [entry];
    if (entry.kind === 'page') return listedPage(entry, byFile);
    const [page] = entry.page ? listedPage(entry.page, byFile) : [];
    const inner = siteEntries(entry.entries, byFile);
    if (inner.length === 0 && !page) return [];
    return [{ ...entry, page, entries: inner }];
  });
}

/** None where the page is hidden. */
function listedPage(
  { file, title, icon }: ConfigPage,
  byFile: ReadonlyMap<string, RenderedPage>,
): SitePage[] {
  const page = byFile.get(file);
  return page ? [entryOf(page, { title, icon })] : [];
}

function entryOf(
  { title, path, settings }: RenderedPage,
  given: { readonly title?: string | undefined; readonly icon?: string | undefined } = {},
): SitePage {
  return {
    ...{ kind: 'page', path },
    title: given.title ?? settings.sidebarTitle ?? title,
    icon: given.icon ?? settings.icon,
  };
}

/** All pages by path: those of the root folder, and a group for each other folder there. */
function byFolder(pages: readonly RenderedPage[]): SiteEntry[] {
  const folderOf = ({ file }: RenderedPage) =>
    file.includes('/') ? file.slice(0, file.indexOf('/')) : '';
  const folders = Map.groupBy(pages, folderOf);
  const entriesIn = (folder: string) => {
    const all = folders.get(folder) ?? [];
    const isOwn = ({ path }: RenderedPage) => path === '/' || path === `/${folder}`;
    // A folder's own page comes before the pages in it.
    return [...all.filter(isOwn), ...all.filter((page) => !isOwn(page))].map((page) =>
      entryOf(page),
    );
  };
  const named = [...folders.keys()].filter((folder) => folder !== '');
  return [
    ...entriesIn(''),
    ...named.map(
      (folder): SiteEntry => ({
        ...{ kind: 'group', title: nameOfFolder(folder) },
        ...{ icon: undefined, page: undefined, entries: entriesIn(folder) },
      }),
    ),
  ];
}

const nameOfFolder = (folder: string) =>
  folder.charAt(0).toUpperCase() + folder.slice(1).replaceAll(/[-_]+/g, ' ');
