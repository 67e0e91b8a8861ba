import type { Heading, Link, List, ListItem, Root } from 'mdast';
import { toString as textOf } from 'mdast-util-to-string';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import type { ImportedEntry, Note } from './imported-site.ts';
import type { Place } from './imported-value.ts';
import { resolvePath, type SourceFolder } from './source-folder.ts';

/** A table of contents. */
export interface Summary {
  readonly entries: readonly ImportedEntry[];
  /** The files of all its pages. */
  readonly pages: ReadonlySet<string>;
}

interface Reading {
  readonly folder: SourceFolder;
  readonly file: string;
  readonly notes: Note[];
  readonly pages: Set<string>;
}

/** Reads a `SUMMARY.md`: headings are groups, lists have pages, and lists in lists the pages below those. */
export async function readSummary(
  folder: SourceFolder,
  file: string,
  notes: Note[],
): Promise<Summary> {
  const at: Reading = { folder, file, notes, pages: new Set() };
  const tree: Root = unified()
    .use(remarkParse)
    .parse(await folder.read(file));
  const entries: ImportedEntry[] = [];
  let group: { heading: Heading; entries: ImportedEntry[] } | undefined;
  const end = () => {
    if (group) entries.push(groupOf(at, group.heading, group.entries));
  };
  for (const node of tree.children) {
    // The first heading is the title of the file.
    if (node.type === 'heading' && node.depth > 1) {
      end();
      group = { heading: node, entries: [] };
    } else if (node.type === 'list') (group?.entries ?? entries).push(...listOf(at, node));
  }
  end();
  return { entries, pages: at.pages };
}

const lineOf = (node: { position?: Root['position'] }) => node.position?.start.line;

function groupOf(at: Reading, heading: Heading, entries: ImportedEntry[]): ImportedEntry {
  const title = plainText(heading) || 'Pages';
  return { kind: 'group', title, entries, place: { file: at.file, line: lineOf(heading) } };
}

const plainText = (node: Heading | Link | ListItem['children'][number]) =>
  textOf(node, { includeHtml: false }).trim();

const listOf = (at: Reading, list: List): ImportedEntry[] =>
  list.children.flatMap((item) => itemOf(at, item));

function itemOf(at: Reading, item: ListItem): ImportedEntry[] {
  const place = { file: at.file, line: lineOf(item) };
  const [first] = item.children;
  if (first?.type === 'code') {
    const message = /builtin:openapi/.test(first.value)
      ? 'Pages of an OpenAPI document stand here: save the document in the folder as `openapi.yaml`, and the site has a reference of it.'
      : 'GitBook puts generated pages here: they are left out.';
    at.notes.push({ ...place, message });
    return [];
  }
  const link =
    first?.type === 'paragraph' ? first.children.find((one) => one.type === 'link') : undefined;
  const inner = item.children
    .filter((one) => one.type === 'list')
    .flatMap((one) => listOf(at, one));
  const own = link ? linkOf(at, link, place) : undefined;
  if (inner.length === 0) return own ? [own] : [];
  const title = (link && plainText(link)) || (first && plainText(first)) || 'Pages';
  if (own?.kind === 'page')
    return [{ kind: 'group', title, page: own.file, entries: inner, place }];
  return [{ kind: 'group', title, entries: own ? [own, ...inner] : inner, place }];
}

function linkOf(at: Reading, link: Link, place: Place): ImportedEntry | undefined {
  const title = plainText(link) || link.url;
  if (/^[a-z][a-z0-9+.-]*:/i.test(link.url)) return { kind: 'link', title, url: link.url, place };
  const [, path = '', anchor = ''] = /^([^?#]*)(?:\?[^#]*)?(#.*)?$/s.exec(link.url) ?? [];
  const file = resolvePath(decoded(path), at.file);
  if (file === undefined) {
    at.notes.push({ ...place, message: `“${title}” leads out of the folder: it is left out.` });
    return undefined;
  }
  if (anchor !== '') return { kind: 'link', title, url: file + anchor, place };
  at.pages.add(file);
  return { kind: 'page', file, title, place };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
