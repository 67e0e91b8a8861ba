import { type Html, html } from '@petstore/http/html.ts';
import {
  firstPageIn,
  pagesIn,
  positionOf,
  type SiteEntry,
  type SiteGroup,
  type SitePage,
  type SiteTab,
} from './navigation.ts';
import { hrefOf } from './site-files.ts';

/** Where all guides are listed, for lists that have only those around the current page. */
export const ALL_PAGES = '/_site/pages';

/** How many entries of a tab each of its pages lists. */
const MAX_ENTRIES = 150;

/** Of more, how many entries of a group are listed: those around the current page. */
const MAX_NEAR = 75;

interface Reader {
  /** The path of the page that the list is for. */
  readonly current: string;
  /** The groups around that page. */
  readonly open: ReadonlySet<SiteGroup>;
  /** Whether the list has only the groups around the page, and of others the first page. */
  readonly isCut: boolean;
}

/**
 * The guides of a tab, for the list at a page's side. Of a large one, a page has the groups around it alone, so that
 * its weight does not grow with the site: of another group it has the first page, from which a script takes the others.
 */
export function guideList(tabs: readonly SiteTab[], tab: SiteTab, current: string): Html {
  const position = positionOf(tabs, current);
  const groups = position?.tab === tab ? position.groups : [];
  const { entries, pages } = countsOf(tab);
  const isCut = entries > MAX_ENTRIES;
  return html`${entryLists(tab.entries, { current, open: new Set(groups), isCut })}${isCut ? html`<ul><li><a href="${ALL_PAGES}">All ${pages.toLocaleString('en')} pages</a></li></ul>` : ''}`;
}

/** All guides, in lists as a text has them. */
export function wholeGuideList(tabs: readonly SiteTab[]): Html[] {
  return tabs
    .filter(({ entries }) => entries.length > 0)
    .map(
      ({ title, entries }) =>
        html`${title === undefined ? '' : html`<h2>${title}</h2>`}${plainList(entries)}`,
    );
}

function plainList(entries: readonly SiteEntry[]): Html {
  return html`<ul>${entries.map((entry) => html`<li>${plainItem(entry)}</li>`)}</ul>\n`;
}

function plainItem(entry: SiteEntry): Html {
  const { kind, title } = entry;
  if (kind === 'page') return html`<a href="${hrefOf(entry.path)}">${title}</a>`;
  if (kind === 'link') return html`<a href="${entry.url}">${title}</a>`;
  const { page, entries } = entry;
  const heading = page ? plainItem({ ...page, title }) : html`${title}`;
  return html`${heading}${plainList(entries)}`;
}

interface Counts {
  readonly entries: number;
  readonly pages: number;
}

const counts = new WeakMap<SiteTab, Counts>();

/** Of a tab, which every page of it asks for. */
function countsOf(tab: SiteTab): Counts {
  const count = (entries: readonly SiteEntry[]): number =>
    entries.reduce(
      (sum, entry) => sum + 1 + (entry.kind === 'group' ? count(entry.entries) : 0),
      0,
    );
  const known = counts.get(tab) ?? {
    entries: count(tab.entries),
    pages: pagesIn(tab.entries).length,
  };
  counts.set(tab, known);
  return known;
}

/** The outermost groups, and between them what is in none. */
function entryLists(entries: readonly SiteEntry[], reader: Reader): Html[] {
  const lists: Html[] = [];
  let alone: Html[] = [];
  const end = () => {
    if (alone.length > 0) lists.push(html`<ul>${alone}</ul>\n`);
    alone = [];
  };
  for (const entry of near(entries, reader)) {
    if (entry.kind !== 'group') {
      alone.push(item(entry, reader));
      continue;
    }
    end();
    lists.push(section(entry, reader));
  }
  end();
  return lists;
}

/** An outermost group: open, unless there are too many entries for that. */
function section(group: SiteGroup, reader: Reader): Html {
  const isOpen = !reader.isCut || reader.open.has(group);
  return html`<div class="nav-group nav-section">${groupParts(group, reader, isOpen)}</div>\n`;
}

function item(entry: SiteEntry, reader: Reader): Html {
  if (entry.kind === 'page') return html`<li>${pageLink(entry, reader.current)}</li>`;
  if (entry.kind === 'link') return html`<li><a href="${entry.url}">${iconed(entry)}</a></li>`;
  const isOpen = reader.open.has(entry);
  return html`<li class="nav-group">${groupParts(entry, reader, isOpen)}</li>`;
}

/** A group's heading is what opens it, or a link to its page with a switch beside it. */
function groupParts(group: SiteGroup, reader: Reader, isOpen: boolean): Html {
  const { title, page } = group;
  const own = page && pageLink({ ...page, title, icon: group.icon }, reader.current);
  const summary = page
    ? html`<summary class="nav-switch" aria-label="${`Pages of ${title}`}"></summary>`
    : html`<summary>${iconed(group)}</summary>`;
  const first = reader.isCut && !isOpen ? firstPageIn([group]) : undefined;
  const isElsewhere = first !== undefined && !first.isOnly;
  const more = isElsewhere ? html` data-more="${hrefOf(first.page.path)}"` : '';
  const listed = isElsewhere ? shown(first.page, page) : near(group.entries, reader);
  if (own && group.entries.length === 0) return own;
  return html`${own ?? ''}<details${isOpen ? html` open` : ''}${more}>${summary}<ul>${listed.map((entry) => item(entry, reader))}${isElsewhere ? html`<li><a href="${ALL_PAGES}">All pages</a></li>` : ''}</ul></details>`;
}

/** Of a group whose pages are fetched later: its first page, unless its heading leads there. */
const shown = (first: SitePage, page: SitePage | undefined): SiteEntry[] => (page ? [] : [first]);

/** The entries, or of very many those around the current page. */
function near(
  entries: readonly SiteEntry[],
  { current, open, isCut }: Reader,
): readonly SiteEntry[] {
  if (!isCut || entries.length <= MAX_NEAR) return entries;
  const at = entries.findIndex((entry) =>
    entry.kind === 'group' ? open.has(entry) : entry.kind === 'page' && entry.path === current,
  );
  const start = Math.max(0, Math.min(at - (MAX_NEAR - 1) / 2, entries.length - MAX_NEAR));
  return entries.slice(start, start + MAX_NEAR);
}

function pageLink(page: SitePage, current: string): Html {
  return html`<a href="${hrefOf(page.path)}"${page.path === current ? html` aria-current="page"` : ''}>${iconed(page)}</a>`;
}

/** A title, with its icon before it. */
export function iconed({ title, icon }: { title: string; icon: string | undefined }): Html {
  if (icon === undefined) return html`${title}`;
  const mark = /^[a-z]/.test(icon)
    ? html`<span class="nav-icon" data-icon="${icon}" aria-hidden="true"></span>`
    : html`<span class="nav-icon" aria-hidden="true">${icon}</span>`;
  return html`${mark}<span>${title}</span>`;
}
