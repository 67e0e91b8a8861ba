import { isMap, isScalar, type Node } from 'yaml';
import type { SourceFiles } from '../build-log.ts';
import { hrefOf } from '../site/site-files.ts';
import { type ConfigReader, fileOf } from './config-reader.ts';
import { linkTarget } from './links/link-target.ts';
import { isPage } from './links/site-paths.ts';
import { type Address, readAddress } from './site-address.ts';

const MAX_LINKS = 10;
const MAX_TITLE = 100;
const MAX_ANNOUNCEMENT = 300;
export const MAX_ADDRESS = 1_000;

export interface Announcement {
  readonly text: string;
  /** A path of the site, percent-encoded, or an address; undefined for none. */
  readonly link: string | undefined;
}

interface ConfigLink {
  readonly title: string;
  /** A path of the site, percent-encoded, or an address. */
  readonly url: string;
}

export interface ConfigLinks {
  readonly header: readonly ConfigLink[];
  readonly footer: readonly ConfigLink[];
}

export const NO_LINKS: ConfigLinks = { header: [], footer: [] };

/** A path of the site that a configuration names. */
export interface NamedPath {
  /** Percent-decoded, without a slash at its end. */
  readonly path: string;
  readonly line: number;
  /** Whether nothing may be there: a redirect begins there. Otherwise something must. */
  readonly isFree: boolean;
}

/** What the links of a configuration are read with. */
export interface LinkReader {
  readonly reader: ConfigReader;
  /** Of the archive. */
  readonly files: SourceFiles;
  /** The paths of the site that were found so far. */
  readonly sitePaths: NamedPath[];
}

/** `announcement`: text, or `text` and `link`. */
export function announcementOf(
  links: LinkReader,
  node: Node | undefined,
): Announcement | undefined {
  const { reader } = links;
  if (!node) return undefined;
  if (!isMap(node)) {
    const text = reader.text(node, '`announcement`', MAX_ANNOUNCEMENT);
    return { text, link: undefined };
  }
  const at = reader.members(node, ['text', 'link'], '`announcement`');
  const text = at.get('text');
  if (!text) reader.problem('`announcement` needs a `text`.', node);
  const link = at.get('link');
  return {
    text: text ? reader.text(text, '`announcement.text`', MAX_ANNOUNCEMENT) : '',
    link: link && linkOf(links, link, '`announcement.link`'),
  };
}

/** `links`: `header` and `footer`, each a list of `title` and `url`. */
export function linksOf(links: LinkReader, node: Node | undefined): ConfigLinks {
  const { reader } = links;
  if (!node) return NO_LINKS;
  const at = reader.members(node, ['header', 'footer'], '`links`');
  const list = (place: 'header' | 'footer') => {
    const items = at.get(place);
    const name = `\`links.${place}\``;
    const all = items ? reader.items(items, name) : [];
    if (all.length > MAX_LINKS)
      reader.problem(`${name} has more than ${MAX_LINKS} links.`, all[MAX_LINKS]);
    return all.slice(0, MAX_LINKS).map((item) => titledLink(links, item));
  };
  return { header: list('header'), footer: list('footer') };
}

function titledLink(links: LinkReader, item: Node): ConfigLink {
  const { reader } = links;
  const at = reader.members(item, ['title', 'url'], 'A link');
  const title = at.get('title');
  const url = at.get('url');
  if (isMap(item) && (!title || !url)) reader.problem('A link needs a `title` and a `url`.', item);
  return {
    title: title ? reader.text(title, "A link's `title`", MAX_TITLE) : '',
    url: url ? linkOf(links, url, "A link's `url`") : '',
  };
}

const LINK_SCHEMES = ['https:', 'mailto:'];

/** An address, a path of the site or, as in the navigation, a page's file. */
export function linkOf({ reader, files, sitePaths }: LinkReader, node: Node, name: string): string {
  const wanted =
    'an address that begins with `https://` or `mailto:`, a path of the site such as `/guides/start`, or a page such as `guides/start.md`';
  const text = isScalar(node) ? String(node.value) : '';
  const page = pageAddress(files, text);
  if (page) {
    sitePaths.push({ path: page.path, line: reader.line(node), isFree: false });
    return page.href;
  }
  if (MARKDOWN_FILE.test(text)) {
    fileOf(reader, files, node, name, MARKDOWN_FILE, wanted);
    return '';
  }
  const address = addressAt(reader, node, { name, wanted, schemes: LINK_SCHEMES });
  if (!address) return '';
  if (address.path !== undefined)
    sitePaths.push({ path: address.path, line: reader.line(node), isFree: false });
  return address.href;
}

/** A path that is meant for the file of a page, with or without a fragment. */
const PAGE_FILE = /^[^:?#]*\.mdx?(?:[?#]|$)/i;

/** The same without either, and no path of the site, where a redirect may begin. */
const MARKDOWN_FILE = /^[^/:?#][^:?#]*\.mdx?$/i;

/** The address of a page that is named by its file, as in links of pages; undefined for all else. */
function pageAddress(
  files: SourceFiles,
  text: string,
): { readonly href: string; readonly path: string } | undefined {
  if (!PAGE_FILE.test(text)) return undefined;
  const pages = new Set([...files.keys()].filter(isPage));
  const target = linkTarget(text, '', { files: pages, references: [], sitePaths: new Set() });
  if (target.kind !== 'page') return undefined;
  const { path, anchor } = target;
  return { href: hrefOf(path) + (anchor && `#${encodeURI(anchor)}`), path };
}

interface WantedAddress {
  /** Of the value, and what it must be: for the problem. */
  readonly name: string;
  readonly wanted: string;
  /** Besides paths of the site. */
  readonly schemes: readonly string[];
}

/** The address in a configuration; undefined, with a problem, where it is none. */
export function addressAt(
  reader: ConfigReader,
  node: Node,
  { name, wanted, schemes }: WantedAddress,
): Address | undefined {
  const text = reader.text(node, name, MAX_ADDRESS);
  if (text === '') return undefined;
  const address = readAddress(text, schemes);
  if (!address) reader.problem(`${name} must be ${wanted}.`, node);
  return address;
}
