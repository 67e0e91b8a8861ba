import { truncate } from '@petstore/service/text.ts';
import { isIgnored } from '@petstore/site/guides/ignored-files.ts';
import {
  isImage,
  isPage,
  pagePath,
  reservedPaths,
} from '@petstore/site/guides/links/site-paths.ts';
import { derivedAddress } from '@petstore/site/guides/references-config.ts';
import { readAddress } from '@petstore/site/guides/site-address.ts';
import { referencePath } from '@petstore/site/reference/addresses.ts';
import { ICON_NAMES, iconNamed } from '@petstore/site/site/icons/icons.ts';
import { stringify } from 'yaml';
import { documentAddresses } from './document-addresses.ts';
import {
  type ImportedDocument,
  type ImportedEntry,
  type ImportedLink,
  type ImportedRedirect,
  type ImportedSite,
  type ImportedTab,
  isTab,
  type Note,
} from './imported-site.ts';
import type { Place } from './imported-value.ts';
import { fitRedirects } from './redirects.ts';
import type { SourceFolder } from './source-folder.ts';

/** The limits of a docs.yaml. */
const MAX_LEVELS = 4;
const MAX_TABS = 10;
const MAX_TITLE = 100;
const MAX_LINKS = 10;
const MAX_ANNOUNCEMENT = 300;

/** The content of a docs.yaml, and what was counted in it. */
export interface MadeConfig {
  readonly yaml: string;
  readonly pages: number;
  readonly tabs: number;
  readonly redirects: number;
}

interface Making {
  readonly folder: SourceFolder;
  readonly notes: Note[];
  /** The paths of the site: its pages and images. */
  readonly paths: ReadonlySet<string>;
  /** Where redirects begin. */
  readonly redirected: ReadonlySet<string>;
  /** Pages that are in the navigation already. */
  readonly listed: Set<string>;
  /** By the files of the documents. None where there is one at most. */
  readonly addresses: ReadonlyMap<string, string>;
}

/**
 * Makes the docs.yaml of a site. What does not fit into one is left out, with a note: pages that are not there or are
 * listed twice, links that lead nowhere, icons that are not in the set, and what is beyond the limits.
 */
export function makeConfig(site: ImportedSite, folder: SourceFolder, notes: Note[]): MadeConfig {
  const ignore = [...(site.ignore ?? []), ...takenFiles(site, folder, notes)];
  const copies = [...(site.changes ?? new Map()).keys()];
  const files = new Set([...folder.files, ...copies].filter((file) => !isIgnored(file, ignore)));
  const paths = sitePaths(files);
  const documents = fitDocuments(site.documents ?? [], notes);
  const addresses = documentAddresses(documents);
  const named = documents.map(({ file }) => ({ address: addresses.get(file) }));
  for (const path of reservedPaths(named)) paths.add(path);
  for (const address of addresses.values()) paths.add(referencePath(address));
  for (const path of site.referencePaths ?? []) paths.add(path);
  const moved = documents.flatMap(({ file, route }) =>
    route ? [{ from: route.path, to: referencePath(addresses.get(file)), place: route.place }] : [],
  );
  const redirects = fitRedirects([...site.redirects, ...moved], paths, notes);
  const redirected = new Set(redirects.map(({ from }) => from));
  const at = {
    ...{ folder: { ...folder, files }, notes, paths, redirected, addresses },
    listed: new Set<string>(),
  };
  const navigation = navigationOf(at, site.navigation);
  const header = linksOf(at, site.header ?? []);
  const footer = linksOf(at, site.footer ?? []);
  const links = { ...(header.length && { header }), ...(footer.length && { footer }) };
  const config = {
    title: truncate(site.title, 200),
    ...documentMembers(documents, addresses),
    ...themeOf(site),
    ...(site.logo && {
      logo: site.logo.light === site.logo.dark ? site.logo.light : { ...site.logo },
    }),
    ...(site.favicon && site.favicon !== 'favicon.svg' && { favicon: site.favicon }),
    ...announcementOf(at, site.announcement),
    ...(navigation.length > 0 && { navigation }),
    ...(Object.keys(links).length > 0 && { links }),
    ...(site.editUrl && { edit: { url: site.editUrl } }),
    ...(redirects.length > 0 && { redirects: redirectMembers(redirects) }),
    ...(site.variables?.size && { variables: Object.fromEntries(site.variables) }),
    ...(ignore.length > 0 && { ignore }),
    // The other products publish pages whose links lead nowhere.
    onBrokenLinks: 'warn',
  };
  return {
    yaml: stringify(config, { lineWidth: 0, aliasDuplicateObjects: false }),
    pages: at.listed.size,
    tabs: navigation.filter((one) => typeof one === 'object' && 'tab' in one).length,
    redirects: redirects.length,
  };
}

/** The most documents of a docs.yaml. */
const MAX_DOCUMENTS = 50;

function fitDocuments(
  all: readonly ImportedDocument[],
  notes: Note[],
): readonly ImportedDocument[] {
  const [first, ...others] = all.slice(MAX_DOCUMENTS);
  if (first)
    notes.push({
      ...{ file: first.file, line: undefined },
      message: `A site can have ${MAX_DOCUMENTS} OpenAPI documents: this one${others.length > 0 ? ` and ${others.length} more` : ''} are left out.`,
    });
  return all.slice(0, MAX_DOCUMENTS);
}

function documentMembers(
  documents: readonly ImportedDocument[],
  addresses: ReadonlyMap<string, string>,
): object {
  const [first, second] = documents;
  if (!first) return {};
  if (!second) return { openapi: first.file };
  const references = documents.map(({ file, title }) => {
    const address = addresses.get(file);
    return {
      openapi: file,
      ...(title && { title: truncate(title, MAX_TITLE) }),
      ...(address !== derivedAddress(file) && { address }),
    };
  });
  return { references };
}

/** Files at addresses that every site has itself, such as `robots.txt`. */
function takenFiles(site: ImportedSite, folder: SourceFolder, notes: Note[]): string[] {
  const documents = site.documents ?? [];
  const reserved = reservedPaths(documents.map(() => ({})));
  const taken = [...folder.files].filter(
    (file) =>
      reserved.has(`/${file}`) && !isPage(file) && !documents.some((one) => one.file === file),
  );
  for (const file of taken) {
    const message = 'Every site has one of its own: the file is left out.';
    notes.push({ file, line: undefined, message });
  }
  return taken;
}

function themeOf({ color, font }: ImportedSite): object {
  const colors = typeof color === 'object' ? { colors: color } : color && { color };
  const theme = { ...colors, ...(font && { fonts: { body: font } }) };
  return Object.keys(theme).length > 0 ? { theme } : {};
}

/** The paths of a site's pages and images. The start page is there in any case. */
function sitePaths(files: ReadonlySet<string>): Set<string> {
  const paths = new Set(['/']);
  for (const file of files) {
    if (isPage(file)) paths.add(pagePath(file, files));
    else if (isImage(file)) paths.add(`/${file}`);
  }
  return paths;
}

type Written = string | Record<string, unknown>;

function navigationOf(at: Making, navigation: ImportedSite['navigation']): Written[] {
  const tabs = navigation.filter(isTab);
  if (tabs.length === 0) return entriesOf(at, navigation as readonly ImportedEntry[], 1);
  if (tabs.length <= MAX_TABS) return tabs.flatMap((tab) => tabOf(at, tab));
  at.notes.push({
    ...(tabs[MAX_TABS] as ImportedTab).place,
    message: `A site can have ${MAX_TABS} tabs, and this one has ${tabs.length}: they are groups of one list. Put some together in docs.yaml to have tabs again.`,
  });
  return entriesOf(at, tabs.flatMap(groupOfTab), 1);
}

function groupOfTab({ content, ...tab }: ImportedTab): ImportedEntry[] {
  if ('reference' in content) return [];
  if ('url' in content) return [{ kind: 'link', ...tab, url: content.url }];
  return [{ kind: 'group', ...tab, entries: content }];
}

function tabOf(at: Making, { title, icon, content, place }: ImportedTab): Written[] {
  const head = { tab: titleOf(at, title, place), ...iconOf(at, icon, place) };
  if ('reference' in content) {
    const { reference } = content;
    const address = reference === true ? undefined : at.addresses.get(reference);
    return [{ ...head, reference: address ?? true }];
  }
  if ('url' in content) {
    const url = urlOf(at, content.url, title, place);
    return url === undefined ? [] : [{ ...head, url }];
  }
  const pages = entriesOf(at, content, 1);
  if (pages.some(hasShownPage)) return [{ ...head, pages }];
  at.notes.push({ ...place, message: `The tab “${title}” has no page: it is left out.` });
  return [];
}

/** Whether an entry is a page, or has one, that is not hidden. */
function hasShownPage(entry: Written): boolean {
  if (typeof entry === 'string') return true;
  const { pages, page, hidden } = entry;
  return (page !== undefined && hidden !== true) || ((pages as Written[]) ?? []).some(hasShownPage);
}

const entriesOf = (at: Making, entries: readonly ImportedEntry[], level: number): Written[] =>
  entries.flatMap((entry) => {
    if (entry.kind === 'page') return pageOf(at, entry);
    if (entry.kind === 'group') return groupOf(at, entry, level);
    const url = urlOf(at, entry.url, entry.title, entry.place);
    const { title, icon, place } = entry;
    if (url === undefined) return [];
    return [{ title: titleOf(at, title, place), url, ...iconOf(at, icon, place) }];
  });

function pageOf(at: Making, page: Extract<ImportedEntry, { kind: 'page' }>): Written[] {
  const { file, title, icon, isHidden = false, place } = page;
  if (!claim(at, file, place)) return [];
  const more = {
    ...(title && { title: titleOf(at, title, place) }),
    ...iconOf(at, icon, place),
    ...(isHidden && { hidden: true }),
  };
  return [Object.keys(more).length > 0 ? { page: file, ...more } : file];
}

function groupOf(
  at: Making,
  group: Extract<ImportedEntry, { kind: 'group' }>,
  level: number,
): Written[] {
  const { title, icon, page, entries, place } = group;
  const own = page !== undefined && claim(at, page, place) ? page : undefined;
  if (level > MAX_LEVELS) {
    const message = `Groups can be ${MAX_LEVELS} levels deep: the entries of “${title}” are in the group above it.`;
    at.notes.push({ ...place, message });
    return [...(own ? [{ page: own, title }] : []), ...entriesOf(at, entries, level)];
  }
  const pages = entriesOf(at, entries, level + 1);
  const head = { title: titleOf(at, title, place), ...iconOf(at, icon, place) };
  if (pages.length === 0) return own ? [{ page: own, ...head }] : [];
  return [{ ...head, ...(own && { page: own }), pages }];
}

/** Whether a page is there and was not listed before: it is then. */
function claim({ folder, notes, listed }: Making, file: string, place: Place): boolean {
  if (!folder.files.has(file)) {
    notes.push({ ...place, message: `There is no page \`${file}\`: the entry is left out.` });
    return false;
  }
  if (!isPage(file)) {
    const message = `\`${file}\` is no Markdown page (.md, .mdx): the entry is left out.`;
    notes.push({ ...place, message });
    return false;
  }
  if (listed.has(file)) {
    const message = `\`${file}\` is in the navigation twice: a page is at one place of it, here its first one.`;
    notes.push({ ...place, message });
    return false;
  }
  listed.add(file);
  return true;
}

function titleOf({ notes }: Making, title: string, place: Place): string {
  if (title.length <= MAX_TITLE) return title;
  const message = `A title has at most ${MAX_TITLE} characters: “${title}” is cut.`;
  notes.push({ ...place, message });
  return truncate(title, MAX_TITLE);
}

function iconOf({ notes }: Making, icon: string | undefined, place: Place): { icon?: string } {
  if (icon === undefined) return {};
  const name = iconNamed(icon);
  if (name !== undefined) return { icon: name };
  const message = `There is no icon \`${icon}\` in the set of ${ICON_NAMES.length}: the entry has none. Choose one of docs/guides.md, or an emoji.`;
  notes.push({ ...place, message });
  return {};
}

/** An address as docs.yaml takes it; undefined, with a note, for one that it does not. */
function urlOf(
  { notes, paths, redirected, folder }: Making,
  url: string,
  title: string,
  place: Place,
): string | undefined {
  const [file = ''] = url.split('#');
  if (/\.mdx?$/i.test(file) && folder.files.has(file)) return url;
  const address = readAddress(url, ['https:', 'mailto:']);
  if (!address) {
    const message = `The link “${title}” leads to \`${url}\`: links lead to a path of the site, or to an address that begins with https:// or mailto:. It is left out.`;
    notes.push({ ...place, message });
    return undefined;
  }
  const { path } = address;
  if (path === undefined || paths.has(path) || redirected.has(path)) return url;
  const message = `The link “${title}” leads to \`${url}\`, which the site does not have: it is left out.`;
  notes.push({ ...place, message });
  return undefined;
}

function linksOf(at: Making, links: readonly ImportedLink[]): Written[] {
  const fitting = links.flatMap(({ title, url, place }) => {
    const found = urlOf(at, url, title, place);
    return found === undefined ? [] : [{ title: titleOf(at, title, place), url: found, place }];
  });
  const [first, ...others] = fitting.slice(MAX_LINKS);
  if (first) {
    const message = `${MAX_LINKS} links fit beside each other: ${[first, ...others].map(({ title }) => `“${title}”`).join(', ')} ${others.length > 0 ? 'are' : 'is'} left out.`;
    at.notes.push({ ...first.place, message });
  }
  return fitting.slice(0, MAX_LINKS).map(({ title, url }) => ({ title, url }));
}

function announcementOf(at: Making, announcement: ImportedSite['announcement']): object {
  if (!announcement) return {};
  const text = truncate(announcement.text, MAX_ANNOUNCEMENT);
  const { link } = announcement;
  const place = { file: 'docs.yaml', line: undefined };
  const url = link === undefined ? undefined : urlOf(at, link, 'announcement', place);
  return { announcement: url === undefined ? text : { text, link: url } };
}

function redirectMembers(redirects: readonly ImportedRedirect[]): Record<string, unknown> {
  return Object.fromEntries(
    redirects.map(({ from, to, isTemporary = false }) => [
      from,
      isTemporary ? { to, status: 302 } : to,
    ]),
  );
}
