import { prefix } from '@petstore/service/text.ts';
import MiniSearch from 'minisearch';
import type { BuildLog } from '../build-log.ts';
import type { RenderedPage } from '../guides/render/render-page.ts';
import type { OperationSummary } from '../openapi/openapi-types.ts';
import { INDEX_OPTIONS } from './browser/search-terms.js';
import { asset } from './reference-files.ts';
import { hrefOf, type SiteFile, TYPES } from './site-files.ts';

/** How many letters of a section are stored to be shown; all of them are searched. */
const EXCERPT = 2_000;

interface Entry {
  readonly id: number;
  readonly title: string;
  /** The place: the page's title, or the operation's path. */
  readonly page: string;
  /** Words that are searched but not shown. */
  readonly names: string;
  readonly text: string;
  readonly excerpt: string;
  readonly href: string;
  /** For operations. */
  readonly method: string;
}

/**
 * How much of a site is searched: the browser loads the whole index, and an index of 20 MB of text would take gigabytes
 * to make.
 */
const MAX_LETTERS = 4_000_000;
const MAX_ENTRIES = 30_000;

/**
 * The index of a site's operations, and of its pages, by section. The same content gives the same file. The part beyond
 * its limits is left out, which is logged.
 */
export function searchIndex(
  site: {
    readonly pages: readonly RenderedPage[];
    readonly operations: readonly OperationSummary[];
    readonly referencePath: string;
  },
  log: BuildLog,
): SiteFile {
  const index = new MiniSearch<Entry>(INDEX_OPTIONS);
  const entries = [
    ...site.pages.flatMap(pageEntries),
    ...site.operations.map((operation) => operationEntry(operation, site.referencePath)),
  ];
  let left = MAX_LETTERS;
  let isCut = entries.length > MAX_ENTRIES;
  for (const [id, entry] of entries.slice(0, MAX_ENTRIES).entries()) {
    const text = prefix(entry.text, Math.max(0, left));
    if (text.length < entry.text.length) isCut = true;
    index.add({ ...entry, text, id });
    left -= text.length;
  }
  if (isCut) {
    const message = `There is more text than the search can hold: it finds the first ${MAX_LETTERS / 1_000_000} million letters and ${MAX_ENTRIES.toLocaleString('en')} sections and operations; of what follows, titles alone or nothing.`;
    log({ level: 'warning', message });
  }
  return asset('search', 'json', TYPES.json, JSON.stringify(index));
}

type NewEntry = Omit<Entry, 'id'>;

function pageEntries({ title, description, path, sections }: RenderedPage): NewEntry[] {
  const [opening, ...others] = sections;
  // The text directly below the title belongs to the page, and is not a section.
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
  return { ...given, names: '', excerpt: prefix(given.text, EXCERPT), method: '' };
}
