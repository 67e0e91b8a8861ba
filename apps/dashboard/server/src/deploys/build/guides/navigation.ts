import type { SiteGroup } from '../site/frame.ts';
import type { DocsConfig } from './docs-config.ts';
import type { RenderedPage } from './render/render-page.ts';

/** The navigation of pages: as configured, or else all pages by path, with those of the root folder first. */
export function siteNavigation(
  config: DocsConfig,
  pages: readonly RenderedPage[],
): readonly SiteGroup[] {
  const byFile = new Map(pages.map((page) => [page.file, page]));
  if (!config.navigation) return byFolder(pages);
  return config.navigation.map((group) => ({
    title: group.title,
    pages: group.pages.flatMap(({ file, title }) => {
      const page = byFile.get(file);
      return page ? [{ title: title ?? page.title, path: page.path }] : [];
    }),
  }));
}

/** Pages that are in no list. */
export function unlistedPages(config: DocsConfig, pages: readonly RenderedPage[]): string[] {
  if (!config.navigation) return [];
  const listed = new Set(config.navigation.flatMap((group) => group.pages.map(({ file }) => file)));
  return pages.map(({ file }) => file).filter((file) => !listed.has(file));
}

function byFolder(pages: readonly RenderedPage[]): SiteGroup[] {
  const groups = new Map<string, { title: string; path: string }[]>();
  for (const { file, title, path } of pages) {
    const folder = file.includes('/') ? file.slice(0, file.indexOf('/')) : '';
    const group = groups.get(folder) ?? [];
    // A folder's own page comes before the pages in it.
    if (path === '/' || path === `/${folder}`) group.unshift({ title, path });
    else group.push({ title, path });
    groups.set(folder, group);
  }
  const own = groups.get('');
  const folders = [...groups].filter(([folder]) => folder !== '');
  return [
    ...(own ? [{ title: undefined, pages: own }] : []),
    ...folders.map(([folder, group]) => ({ title: nameOfFolder(folder), pages: group })),
  ];
}

const nameOfFolder = (folder: string) =>
  folder.charAt(0).toUpperCase() + folder.slice(1).replaceAll(/[-_]+/g, ' ');
