import type { SearchRow } from '../../src/search/search-row.ts';
import { addressOf } from '../dom.ts';
import { type Child, element } from '../panel/dom.ts';
import { marked, stretch } from './marks.ts';

/** What stands for a kind where an operation has its method. */
const SIGNS: Readonly<Record<string, string>> = { page: '¶', tag: '/', model: '{}', place: '=' };

/** A result as an option of the list. */
export function resultRow(row: SearchRow, id: string, terms: readonly string[]): HTMLAnchorElement {
  const { kind, title, context, href, method, isDeprecated, api, excerpt } = row;
  const line = (name: string, children: Child[]) =>
    element('span', { class: `search-${name}` }, ...children);
  const badge = method
    ? element('span', { class: `method method-${method.toLowerCase()}` }, method)
    : element('span', { class: 'search-sign', 'aria-hidden': 'true' }, SIGNS[kind] ?? '#');
  return element(
    'a',
    { id, class: 'search-result', role: 'option', tabindex: '-1', href: addressOf(href) },
    badge,
    element(
      'span',
      { class: `search-text search-${kind}` },
      line('title', [
        element('b', {}, ...marked(title, terms)),
        isDeprecated ? element('small', {}, 'deprecated') : undefined,
        api ? element('small', { class: 'search-api' }, api.title) : undefined,
      ]),
      line('context', marked(context, terms)),
      line('excerpt', marked(stretch(excerpt, terms), terms)),
    ),
  );
}
