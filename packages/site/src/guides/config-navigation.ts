import { isMap, isScalar, type Node } from 'yaml';
import type { SourceFiles } from '../build-log.ts';
import { ICON_NAMES, iconNamed } from '../site/icons/icons.ts';
import { type ConfigReader, fileOf } from './config-reader.ts';
import { isNotFoundPage } from './links/site-paths.ts';
import { type LinkReader, linkOf } from './site-links.ts';

/** A tab of the navigation, or all of it where it has none. */
export interface ConfigTab {
  /** undefined where the navigation has no tabs. */
  readonly title: string | undefined;
  readonly icon: string | undefined;
  /** Its pages, those of OpenAPI documents, or a link to another place. */
  readonly content: readonly ConfigEntry[] | ReferenceTab | { readonly url: string };
}

/** The address of a reference, or `true` for all of them. */
interface ReferenceTab {
  readonly reference: string | true;
}

/** An entry of the navigation. */
export type ConfigEntry = ConfigPage | ConfigGroup | ConfigLinkEntry;

/** A page, by its file. */
export interface ConfigPage {
  readonly kind: 'page';
  /** `guides/start.md` */
  readonly file: string;
  /** The page's title in the navigation; undefined for the page's own title. */
  readonly title: string | undefined;
  readonly icon: string | undefined;
  /** It is published, and in no list. */
  readonly isHidden: boolean;
}

/** Entries under a heading. */
interface ConfigGroup {
  readonly kind: 'group';
  readonly title: string;
  readonly icon: string | undefined;
  /** The page that its heading leads to; undefined for none. */
  readonly page: ConfigPage | undefined;
  readonly entries: readonly ConfigEntry[];
}

interface ConfigLinkEntry {
  readonly kind: 'link';
  readonly title: string;
  readonly icon: string | undefined;
  /** A path of the site, percent-encoded, or an address. */
  readonly url: string;
}

/** How deep groups stand in groups. */
const MAX_LEVELS = 4;

const MAX_TABS = 10;

const MAX_TITLE = 100;

/** What the navigation is read with. */
interface NavigationReader extends LinkReader {
  /** The lines of the pages that were found so far, by their files. */
  readonly seen: Map<string, number>;
  /** The addresses of the references; none where there is one at most, by `openapi`. */
  readonly addresses: readonly string[];
}

/** `navigation`: a list of entries, or of tabs. */
export function navigationOf(
  links: LinkReader,
  node: Node | undefined,
  references: readonly { readonly address: string | undefined }[] = [],
): ConfigTab[] | undefined {
  const { reader } = links;
  if (!node) return undefined;
  const addresses = references.flatMap(({ address }) => address ?? []);
  const at = { ...links, seen: new Map<string, number>(), addresses };
  const items = reader.items(node, '`navigation`');
  const tabs = items.filter((item) => isMap(item) && item.has('tab'));
  if (tabs.length === 0) {
    const content = items.flatMap((item) => entryOf(at, item, 1));
    return [{ title: undefined, icon: undefined, content }];
  }
  const other = items.find((item) => !tabs.includes(item));
  if (other)
    reader.problem(
      'The navigation has tabs, so each of its entries needs a `tab`: its title.',
      other,
    );
  if (tabs.length > MAX_TABS)
    reader.problem(`The navigation has more than ${MAX_TABS} tabs.`, tabs[MAX_TABS]);
  const read = tabs.slice(0, MAX_TABS).map((item) => ({ item, tab: tabOf(at, item) }));
  const seen = new Set<string | true>();
  for (const { item, tab } of read) {
    const reference = referenceIn(tab);
    if (reference === undefined) continue;
    if (seen.has(reference))
      reader.problem(
        reference === true
          ? 'Two tabs have `reference`: keep one.'
          : `Two tabs have \`reference: ${reference}\`: keep one.`,
        item,
      );
    seen.add(reference);
  }
  return read.map(({ tab }) => tab);
}

function tabOf(at: NavigationReader, item: Node): ConfigTab {
  const { reader } = at;
  const members = reader.members(item, ['tab', 'icon', 'pages', 'reference', 'url'], 'A tab');
  const title = members.get('tab');
  const contents = ['pages', 'reference', 'url'].filter((key) => members.has(key));
  if (contents.length !== 1)
    reader.problem('A tab needs one of `pages`, `reference: true` and `url`.', item);
  const own = {
    title: title ? reader.text(title, "A tab's `tab`", MAX_TITLE) : '',
    icon: iconOf(reader, members.get('icon')),
  };
  const pages = members.get('pages');
  const reference = members.get('reference');
  const url = members.get('url');
  if (reference) {
    return { ...own, content: { reference: referenceOf(at, reference) } };
  }
  if (url) return { ...own, content: { url: linkOf(at, url, "A tab's `url`") } };
  const entries = pages ? entriesOf(at, pages, 1) : [];
  if (pages && !hasPage(entries)) reader.problem("A tab's `pages` must have a page.", pages);
  return { ...own, content: entries };
}

/** The reference that a tab is for; undefined for other tabs. */
const referenceIn = ({ content }: ConfigTab): string | true | undefined =>
  'reference' in content ? content.reference : undefined;

function referenceOf({ reader, addresses }: NavigationReader, node: Node): string | true {
  const value = isScalar(node) ? node.value : undefined;
  if (value === true) return true;
  if (addresses.length === 0) {
    reader.problem('`reference` must be `true`; a tab without it is left out.', node);
    return true;
  }
  const address = typeof value === 'number' ? String(value) : value;
  if (typeof address === 'string' && addresses.includes(address)) return address;
  reader.problem(
    typeof address === 'string'
      ? `There is no reference \`${address}\`${reader.didYouMean(address, addresses)}`
      : '`reference` must be `true` for all references, or the address of one; a tab without it is left out.',
    node,
  );
  return true;
}

/** Whether there is a page in entries that is not hidden: somewhere a tab has to lead. */
const hasPage = (entries: readonly ConfigEntry[]): boolean =>
  pagesOf(entries).some(({ isHidden }) => !isHidden);

/** The pages of entries in their order, those of groups included. */
export function pagesOf(entries: readonly ConfigEntry[]): readonly ConfigPage[] {
  return entries.flatMap((entry) => {
    if (entry.kind === 'page') return [entry];
    if (entry.kind === 'link') return [];
    return [...(entry.page ? [entry.page] : []), ...pagesOf(entry.entries)];
  });
}

const entriesOf = (at: NavigationReader, node: Node, level: number) =>
  at.reader.items(node, '`pages`').flatMap((item) => entryOf(at, item, level));

function entryOf(at: NavigationReader, item: Node, level: number): ConfigEntry[] {
  const { reader } = at;
  if (!isMap(item)) return pageOf(at, item, undefined);
  if (item.has('pages')) return groupOf(at, item, level);
  if (item.has('url')) return linkEntryOf(at, item);
  const members = reader.members(item, PAGE_KEYS, 'An entry of the navigation');
  const page = members.get('page');
  if (page) return pageOf(at, page, members);
  reader.problem(
    'An entry needs a `page` (`guides/start.md`), a `url` or, for a group, `pages`.',
    item,
  );
  return [];
}

const PAGE_KEYS = ['title', 'page', 'icon', 'hidden'];

function groupOf(at: NavigationReader, item: Node, level: number): ConfigGroup[] {
  const { reader } = at;
  const members = reader.members(item, ['title', 'pages', 'page', 'icon'], 'A group');
  const title = members.get('title');
  if (!title) reader.problem('A group needs a `title`.', item);
  if (level > MAX_LEVELS) {
    reader.problem(
      `Groups can be ${MAX_LEVELS} levels deep, and this one is deeper: move it up.`,
      item,
    );
    return [];
  }
  const page = members.get('page');
  const pages = members.get('pages');
  const [own] = page ? pageOf(at, page, undefined) : [];
  return [
    {
      kind: 'group',
      title: title ? reader.text(title, "A group's `title`", MAX_TITLE) : '',
      icon: iconOf(reader, members.get('icon')),
      page: own,
      entries: pages ? entriesOf(at, pages, level + 1) : [],
    },
  ];
}

function linkEntryOf(at: NavigationReader, item: Node): ConfigLinkEntry[] {
  const { reader } = at;
  const members = reader.members(item, ['title', 'url', 'icon'], 'A link of the navigation');
  const title = members.get('title');
  const url = members.get('url');
  if (!title) reader.problem('A link needs a `title` and a `url`.', item);
  return [
    {
      kind: 'link',
      title: title ? reader.text(title, "A link's `title`", MAX_TITLE) : '',
      icon: iconOf(reader, members.get('icon')),
      url: url ? linkOf(at, url, "A link's `url`") : '',
    },
  ];
}

/** The page of a file; `members` where more than the file is given. */
function pageOf(
  { reader, files, seen }: NavigationReader,
  page: Node,
  members: ReadonlyMap<string, Node> | undefined,
): ConfigPage[] {
  const file = pageFile(reader, files, page);
  if (file === undefined) return [];
  if (isNotFoundPage(file)) {
    reader.problem(`\`${file}\` is the page for missing paths, and is in no list.`, page);
    return [];
  }
  const earlier = seen.get(file);
  if (earlier !== undefined) {
    reader.problem(`\`${file}\` is in the navigation twice, before on line ${earlier}.`, page);
  }
  seen.set(file, reader.line(page));
  const title = members?.get('title');
  const hidden = members?.get('hidden');
  return [
    {
      ...{ kind: 'page', file },
      title: title && reader.text(title, '`title`', MAX_TITLE),
      icon: iconOf(reader, members?.get('icon')),
      isHidden: hidden !== undefined && isTrue(reader, hidden, '`hidden`'),
    },
  ];
}

const pageFile = (reader: ConfigReader, files: SourceFiles, node: Node) =>
  fileOf(reader, files, node, 'A page', /\.mdx?$/i, 'a Markdown file (.md or .mdx)');

function isTrue(reader: ConfigReader, node: Node, name: string): boolean {
  const value = isScalar(node) ? node.value : undefined;
  if (typeof value !== 'boolean') reader.problem(`${name} must be \`true\` or \`false\`.`, node);
  return value === true;
}

function iconOf(reader: ConfigReader, node: Node | undefined): string | undefined {
  if (!node) return undefined;
  const text = reader.text(node, '`icon`', 50);
  const icon = iconNamed(text);
  if (text === '' || icon !== undefined) return icon;
  reader.problem(`There is no icon \`${text}\`${reader.didYouMean(text, ICON_NAMES)}`, node);
  return undefined;
}
