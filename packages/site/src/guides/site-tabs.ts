import type { SiteEntry, SitePage, SiteTab } from '../site/navigation.ts';
import { pagesIn } from '../site/navigation.ts';
import { hrefOf } from '../site/site-files.ts';
import type { ConfigEntry, ConfigPage, ConfigTab } from './config-navigation.ts';
import type { DocsConfig } from './docs-config.ts';
import type { RenderedPage } from './render/render-page.ts';

/**
 * The navigation with the titles and icons of its pages: as configured, or else all pages by path. `pages` are those
 * that lists may have, and `overview` is the path of the reference, which gets a tab where others have one.
 */
export function siteTabs(
  { navigation }: DocsConfig,
  pages: readonly RenderedPage[],
  overview: string | undefined,
): readonly SiteTab[] {
  if (!navigation) return [guides({ title: undefined, icon: undefined }, byFolder(pages))];
  const byFile = new Map(pages.map((page) => [page.file, page]));
  const tabs = navigation.flatMap((tab) => siteTab(tab, byFile, overview));
  const isTabbed = navigation.some(({ title }) => title !== undefined);
  const hasReference = tabs.some(({ part }) => part === 'reference');
  if (!isTabbed || hasReference || overview === undefined) return tabs;
  // Many sites call their guides to the API so.
  const isTaken = tabs.some(({ title }) => title === REFERENCE);
  return [
    ...tabs,
    reference({ title: isTaken ? 'Reference' : REFERENCE, icon: undefined }, overview),
  ];
}

const REFERENCE = 'API reference';

type Heading = Pick<SiteTab, 'title' | 'icon'>;

function siteTab(
  { title, icon, content }: ConfigTab,
  byFile: ReadonlyMap<string, RenderedPage>,
  overview: string | undefined,
): SiteTab[] {
  const heading = { title, icon };
  if (content === 'reference') return overview === undefined ? [] : [reference(heading, overview)];
  if ('url' in content) return [{ ...heading, href: content.url, part: undefined, entries: [] }];
  return [guides(heading, siteEntries(content, byFile))];
}

function guides(heading: Heading, entries: readonly SiteEntry[]): SiteTab {
  const [first] = pagesIn(entries);
  return { ...heading, href: hrefOf(first?.path ?? '/'), part: 'guides', entries };
}

const reference = (heading: Heading, overview: string): SiteTab => ({
  ...heading,
  ...{ href: hrefOf(overview), part: 'reference', entries: [] },
});

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
