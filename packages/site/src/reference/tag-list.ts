import { type Html, html } from '@petstore/http/html.ts';
import { count, prefix } from '@petstore/service/text.ts';
import { hrefOf } from '../site/site-files.ts';
import type { TagAddress } from './addresses.ts';
import { firstSentence } from './first-sentence.ts';
import type { Page } from './page-parts.ts';

/** In letters: what the list of tags says of each. */
const MAX_SENTENCE = 200;

/** Tags as links to their pages, each with those that lie under it; nothing for none. */
export function tagList(page: Page, tags: readonly TagAddress[]): Html {
  if (tags.length === 0) return html``;
  return html`<ul class="ref-list">${tags.map((tag) => tagRow(page, tag))}</ul>
`;
}

export function tagRow(
  page: Page,
  { title, path, operations, description, children }: TagAddress,
): Html {
  const text = page.context.descriptions.plain(prefix(description, 4 * MAX_SENTENCE));
  const said = firstSentence(text, MAX_SENTENCE) || sizeText(operations.length, children.length);
  return html`<li><a href="${hrefOf(path)}"><b>${title}</b> <span>${said}</span></a>${tagList(page, children)}</li>
`;
}

/** `12 operations`; of a tag without any what lies under it. */
export const sizeText = (operations: number, children: number): string =>
  operations === 0 && children > 0 ? count(children, 'tag') : count(operations, 'operation');
