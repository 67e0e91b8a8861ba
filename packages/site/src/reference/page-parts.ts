import { type Html, html } from '@petstore/http/html.ts';
import { prefix } from '@petstore/service/text.ts';
import { hrefOf } from '../site/site-files.ts';
import { wordBreaks } from '../site/word-breaks.ts';
import { toJson } from '../syntax/exact-text.ts';
import type { ReferenceContext } from './reference-context.ts';

/** A page while it is written. */
export interface Page {
  readonly context: ReferenceContext;
  /** A JSON pointer to what the page is about, for warnings. */
  readonly place: string;
  readonly ids: Set<string>;
  /**
   * How many more letters of schemas the page shows, the last `kept` of them for small ones that no other page has. What
   * comes after them is named and not shown.
   */
  readonly room: { left: number; readonly kept: number };
}

/** The ids that a page's frame and its sections have. */
const RESERVED = /^(?:layout|site|search|panel|docs|ref)-/;

const MAX_ID = 120;

/** In letters: names and titles. Longer ones are no names. */
export const MAX_NAME = 200;

/**
 * The letters of schemas in all pages of a site's documents. They repeat what others have, so with very many pages each shows
 * less of them.
 */
const ALL_LETTERS = 30_000_000;

/** Starts a page with at most so many letters of schemas. */
export function startPage(context: ReferenceContext, place: string, letters: number): Page {
  const pages = context.checked.operations.length + context.addresses.models.length;
  const share = Math.floor((context.share * ALL_LETTERS) / Math.max(1, pages));
  const left = Math.min(letters, share);
  return { context, place, ids: new Set(), room: { left, kept: Math.floor(left / 4) } };
}

/** An id that nothing else in the page has: the name; where that is taken the other name, or it gets a number. */
export function claimId({ ids }: Page, name: string, otherwise = name): string {
  const [wanted, other] = [idOf(name), idOf(otherwise)];
  let id = ids.has(wanted) ? other : wanted;
  for (let count = 2; ids.has(id); count += 1) id = `${other}-${count}`;
  ids.add(id);
  return id;
}

function idOf(name: string): string {
  const id = prefix(name.replace(/\s+/g, '_'), MAX_ID).toWellFormed();
  return RESERVED.test(id) ? `_${id}` : id;
}

/** A link within the page. */
export const fragment = (id: string): string => `#${encodeURIComponent(id)}`;

/** A section with its heading. `mark` stands beside the heading. */
export function section(
  page: Page,
  id: string,
  title: string,
  content: Html | readonly Html[],
  mark: Html = html``,
): Html {
  return html`<section class="ref-section"><h2 id="${claimId(page, id)}">${title}${mark}</h2>
${content}</section>
`;
}

export const REQUIRED = html` <em class="ref-must">required</em>`;

/** A box of an accordion: `label` is always seen, `content` on demand. One without content is only its label. */
export function box(label: Html, content: Html, isOpen = false, id?: string): Html {
  const own = id === undefined ? '' : html` id="${id}"`;
  if (content.text === '') return html`<p class="ref-box"${own}>${label}</p>`;
  return html`<details class="ref-box"${own}${isOpen ? html` open` : ''}><summary>${label}</summary>
${content}</details>
`;
}

/** Boxes that belong together; nothing for none. */
export function boxes(all: readonly Html[]): Html {
  return all.length === 0 ? html`` : html`<div class="ref-boxes">${all}</div>`;
}

/** The level of headings in descriptions that stand below the page's title alone. */
export const TOP_HEADING = 2;

/** A description as blocks; nothing for an empty one. `top`: the level of its highest headings. */
export function textBlock({ context, place }: Page, markdown: string, top?: number): Html {
  if (markdown.trim() === '') return html``;
  return html`<div class="ref-text">${context.descriptions.block(markdown, place, top)}</div>`;
}

/** How many letters of one value are shown. */
const MAX_VALUE = 200;

/** A value of the document as code: a string as it is, anything else as JSON with every digit. */
export function valueCode(value: unknown): Html {
  const text = valueText(value);
  if (text === '') return html`<code>""</code>`;
  return text.length > MAX_VALUE
    ? html`<code>${prefix(text, MAX_VALUE)}…</code>`
    : html`<code>${text}</code>`;
}

const valueText = (value: unknown) =>
  typeof value === 'string' ? value : toJson(value, 0).trimEnd();

/** Warns of values that `valueCode` cuts. `name`: `A default`. */
export function warnOfLong({ context, place }: Page, name: string, values: readonly unknown[]) {
  if (!values.some((value) => value !== undefined && valueText(value).length > MAX_VALUE)) return;
  context.warn(
    `${name} is longer than ${MAX_VALUE} characters: the page shows its beginning at most.`,
    place,
  );
}

/** A link to the page of a model, where it has one. */
export function modelLink({ context }: Pick<Page, 'context'>, name: string): Html {
  const path = context.addresses.model(name);
  const text = wordBreaks(name);
  return path === undefined ? text : html`<a href="${hrefOf(path)}">${text}</a>`;
}

/** A link to another place on the web; other addresses stay text. */
export function outsideLink(url: string, text = url): Html {
  const isAddress = /^(?:https?|mailto):/i.test(url);
  const isOfSite = /^\/(?![/\\])/.test(url);
  if (isOfSite) return html`<a href="${url}">${text}</a>`;
  return isAddress ? html`<a href="${url}" rel="noopener noreferrer">${text}</a>` : html`${text}`;
}
