import MiniSearch from 'minisearch';
import { TYPES } from '../media-types.ts';
import type { OperationSummary } from '../openapi-types.ts';
import { asset } from '../reference-site.ts';
import type { SiteFile } from '../site-file.ts';

import { INDEX_OPTIONS } from './browser/search-terms.js';
import { hrefOf } from './page-path.ts';
import type { RenderedPage } from './render-page.ts';

/** Letters of a section that are kept to be shown; the whole is searched. */
const EXCERPT = 2_000;

interface Entry {
  readonly id: number;
  readonly title: string;
  /** Where it is: the page's title, or the operation's path. */
  readonly page: string;
  /** Words that are found but not shown. */
  readonly names: string;
  readonly text: string;
  readonly excerpt: string;
  readonly href: string;
  /** Of operations. */
  readonly method: string;
}

/** The index of a site's pages, by section, and of its operations. The same content gives the same file. */
export function searchIndex(site: {
  readonly pages: readonly RenderedPage[];
  readonly operations: readonly OperationSummary[];
  readonly referencePath: string;
}): SiteFile {
  const index = new MiniSearch<Entry>(INDEX_OPTIONS);
  const entries = [
    ...site.pages.flatMap(pageEntries),
    ...site.operations.map((operation) => operationEntry(operation, site.referencePath)),
  ];
  index.addAll(entries.map((entry, id) => ({ ...entry, id })));
  return asset('search', 'json', TYPES.json, JSON.stringify(index));
}

type NewEntry = Omit<Entry, 'id'>;

function pageEntries({ title, description, path, sections }: RenderedPage): NewEntry[] {
  const [opening, ...others] = sections;
  // What stands below the title is the page, and not a section of it.
  const isTitle = others[0]?.heading === title;
  const first = isTitle ? others.shift() : undefined;
  const text = [description, opening?.text, first?.text].filter(Boolean).join(' ');
  return [
    entry({ title, page: '', text, href: hrefOf(path) }),
    ...others.map(({ id, heading, text }) =>
      entry({ title: heading, page: title, text, href: `${hrefOf(path)}#${encodeURI(id)}` }),
    ),
  ];
}

function operationEntry(operation: OperationSummary, referencePath: string): NewEntry {
  const { method, path, title, tag = '', description, id, anchor } = operation;
  return {
    ...entry({
      title,
      page: path,
      text: description,
      href: `${referencePath}#${encodeURI(anchor)}`,
    }),
    names: `${method} ${id} ${tag}`,
    method,
  };
}

function entry(given: Pick<Entry, 'title' | 'page' | 'text' | 'href'>): NewEntry {
  return { ...given, names: '', excerpt: given.text.slice(0, EXCERPT), method: '' };
}
