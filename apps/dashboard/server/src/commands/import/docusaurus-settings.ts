import { count } from '@petstore/service/text.ts';
import type { Doc } from './docusaurus-docs.ts';
import { optionsOf } from './docusaurus-documents.ts';
import { leadsInto, navbarItems } from './docusaurus-navbar.ts';
import { isOutside } from './docusaurus-outside.ts';
import type { DocsInstance, Reading } from './docusaurus-reading.ts';
import { changelogPosts } from './docusaurus-static.ts';
import { type ImportedLink, type ImportedSite, isTab } from './imported-site.ts';
import type { ImportedValue } from './imported-value.ts';
import { resolvePath, type SourceFolder } from './source-folder.ts';

// All of a Docusaurus configuration but its docs and its navigation.

/** `--ifm-color-primary` of the style sheet that the preset names. */
export async function colorOf({ folder, config }: Reading): Promise<string | undefined> {
  const preset = optionsOf(config.get('presets'), /^(?:classic|@docusaurus\/preset-classic)$/)[0];
  const custom = preset?.get('theme')?.get('customCss');
  const path = custom?.text ?? custom?.items[0]?.text;
  const file = path === undefined ? undefined : resolvePath(path, '');
  if (file === undefined || !folder.files.has(file)) return undefined;
  const [, color] =
    /--ifm-color-primary:\s*(#(?:[0-9a-f]{6}|[0-9a-f]{3}))\s*;/i.exec(await folder.read(file)) ??
    [];
  return color;
}

export function faviconOf(value: ImportedValue | undefined, files: ReadonlySet<string>) {
  const file = value?.text?.replace(/^\/+/, '');
  return file !== undefined && files.has(file) && /\.(?:svg|png|ico)$/i.test(file)
    ? file
    : undefined;
}

export function logoOf(
  logo: ImportedValue | undefined,
  files: ReadonlySet<string>,
): ImportedSite['logo'] {
  const fileAt = (key: string) => {
    const file = logo?.get(key)?.text?.replace(/^\/+/, '');
    return file !== undefined && files.has(file) && /\.(?:svg|png)$/i.test(file) ? file : undefined;
  };
  const light = fileAt('src');
  return light === undefined ? undefined : { light, dark: fileAt('srcDark') ?? light };
}

export function announcementOf(bar: ImportedValue | undefined): ImportedSite['announcement'] {
  const html = bar?.get('content')?.text;
  if (html === undefined) return undefined;
  const [, link] = /href=["']([^"']+)["']/.exec(html) ?? [];
  const text = html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text === '' ? undefined : { text, link };
}

export function headerOf(
  { config, notes }: Reading,
  docs: readonly Doc[],
  navigation: ImportedSite['navigation'],
): ImportedLink[] {
  const tabs = navigation
    .filter(isTab)
    .flatMap(({ content }) => (Array.isArray(content) ? [content] : []));
  return navbarItems(config).flatMap((item): ImportedLink[] => {
    const type = item.get('type')?.text;
    // A tab, or a part of every site.
    if (type === 'docSidebar' || type === 'search') return [];
    if (tabs.some((content) => leadsInto(item, content, docs))) return [];
    if (type !== undefined && !['doc', 'dropdown', 'default'].includes(type)) {
      const message = `An item \`${type}\` of the navbar is left out.`;
      notes.push({ ...item.place, message });
      return [];
    }
    const inner = item.get('items')?.items ?? [];
    return inner.length > 0 ? inner.flatMap((one) => linkOf(one, docs)) : linkOf(item, docs);
  });
}

export function footerOf(footer: ImportedValue | undefined, docs: readonly Doc[]): ImportedLink[] {
  return (footer?.get('links')?.items ?? []).flatMap((one) => {
    const inner = one.get('items')?.items ?? [];
    return inner.length > 0 ? inner.flatMap((item) => linkOf(item, docs)) : linkOf(one, docs);
  });
}

function linkOf(item: ImportedValue, docs: readonly Doc[]): ImportedLink[] {
  const doc = docs.find(({ id }) => id === item.get('docId')?.text);
  const url = doc?.file ?? (item.get('to') ?? item.get('href'))?.text;
  if (url === undefined) return [];
  // Both ways are usual for a path of the site.
  const isPath = !doc && !/^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(url);
  const { place } = item;
  const title = (item.get('label') ?? item.get('aria-label'))?.text ?? hostName(url);
  return [{ kind: 'link', title, url: isPath ? `/${url}` : url, place }];
}

/** What an icon without a label leads to. */
function hostName(url: string): string {
  const [, host] = /^https?:\/\/(?:www\.)?([^/]+)/i.exec(url) ?? [];
  return host === 'github.com' ? 'GitHub' : (host ?? url);
}

export function editUrlOf(options: ImportedValue | undefined): string | undefined {
  const text = options?.get('editUrl')?.text?.replace(/\/+$/, '');
  if (!text?.startsWith('https://')) return undefined;
  // Docs that were beside the folder of the site are there still.
  const base = isOutside(options?.get('path')?.text ?? '') ? text.replace(/\/[^/]+$/, '') : text;
  return `${base}/{path}`;
}

/** The versions by their folders, where no file lists them. */
export function versionFolders({ files }: SourceFolder): string[] {
  const names = [...files].flatMap(
    (file) => /^versioned_docs\/version-([^/]+)\//.exec(file)?.[1] ?? [],
  );
  return [...new Set(names)].reverse();
}

/** Other versions of the docs, newest first as `versions.json` has them. */
function tellVersions({ folder, notes }: Reading, names: readonly string[]): void {
  const [newest] = names;
  if (newest === undefined) return;
  const message = `The current docs are carried over, to where Docusaurus had ${newest}. Left out: ${names.slice(0, 5).join(', ')}${names.length > 5 ? `, and ${count(names.length - 5, 'older version')}` : ''}. Each can be a version of the site: put its pages into a folder of their own, and deploy that with \`--version ${newest}\`.`;
  const file = ['versioned_docs', 'versions.json'].find((name) =>
    [...folder.files].some((one) => one.startsWith(name)),
  );
  notes.push({ file: file ?? 'versions.json', line: undefined, message });
}

export function tellLeftOut(
  at: Reading,
  instances: readonly DocsInstance[],
  versions: readonly string[],
): void {
  const { folder, config, notes } = at;
  const has = (start: string) => [...folder.files].some((file) => file.startsWith(start));
  const tell = (file: string, message: string) => notes.push({ file, line: undefined, message });
  if (has('blog/'))
    tell(
      'blog',
      'Sites have no blog: its posts are left out. Keep it where it is, and link to it.',
    );
  const posts = changelogPosts(folder).length;
  if (posts > 0)
    tell(
      'changelog',
      `${count(posts, 'post')} of the folder: each is a note of the site's changelog.`,
    );
  tellVersions(at, versions);
  if (has('i18n/'))
    tell('i18n', 'Translations are left out: deploy each language to a project of its own.');
  if (has('src/pages/'))
    tell(
      'src/pages',
      'Pages that are programs are left out: the first page of the navigation is the start page.',
    );
  const theme = config.get('themeConfig');
  const advice: readonly (readonly [ImportedValue | undefined, string])[] = [
    [config.get('scripts'), '`scripts` are not carried over: sites load no scripts of others.'],
    [theme?.get('algolia'), '`algolia` is not carried over: sites have a search of their own.'],
    [theme?.get('footer')?.get('copyright'), 'The footer has links only: `copyright` is left out.'],
    ...instances.flatMap(({ options }) =>
      ['remarkPlugins', 'rehypePlugins'].map(
        (key) => [options?.get(key), `\`${key}\` are programs, which are not run.`] as const,
      ),
    ),
  ];
  for (const [value, message] of advice) if (value) notes.push({ ...value.place, message });
}
