import type { Element, ElementContent } from 'hast';
import { toString as contentOf } from 'hast-util-to-string';
import { visitElements } from '../../../markdown/visit.ts';
import { element } from '../elements.ts';

/** Whether a table is GitBook's way to write cards. */
export const isCardTable = ({ properties }: Element): boolean => properties.dataView === 'cards';

const isElement = (node: ElementContent): node is Element => node.type === 'element';

function all(children: readonly ElementContent[], tagName: string): Element[] {
  const found: Element[] = [];
  visitElements({ type: 'root', children: [...children] }, (node) => {
    if (node.tagName === tagName) found.push(node);
  });
  return found;
}

/** A card of each row. The table's head says which of the columns are hidden, lead somewhere, or have the picture. */
export function cardsOfTable(children: readonly ElementContent[]): ElementContent[] {
  const head = all(children, 'th');
  const rows = all(children, 'tr').map((row) =>
    row.children.filter((cell): cell is Element => isElement(cell) && cell.tagName === 'td'),
  );
  const cards = rows.filter((cells) => cells.length > 0).map((cells) => card(cells, head));
  return [element('div', { className: ['columns', 'columns-2'] }, cards)];
}

function card(cells: readonly Element[], head: readonly Element[]): Element {
  const shown: ElementContent[] = [];
  let href: string | undefined;
  let cover: ElementContent | undefined;
  for (const [at, cell] of cells.entries()) {
    const { properties = {} } = head[at] ?? {};
    const [link] = all(cell.children, 'a');
    const isTarget = properties.dataCardTarget !== undefined;
    const isCover = properties.dataCardCover !== undefined;
    if (isTarget) href = String(link?.properties.href ?? '');
    else if (isCover) cover ??= pictureOf(cell, link);
    else if (properties.dataHidden === undefined && contentOf(cell).trim() !== '')
      shown.push(element('p', {}, inline(cell.children)));
  }
  const [first, ...rest] = shown;
  const title = first && isElement(first) ? first.children : [];
  const linked =
    href === undefined || href === ''
      ? title
      : [element('a', { className: ['card-link'], href }, unlinked(title))];
  return element('div', { className: ['card'] }, [
    ...(cover ? [cover] : []),
    element('p', { className: ['card-title'] }, linked),
    ...rest,
  ]);
}

function pictureOf(cell: Element, link: Element | undefined): ElementContent | undefined {
  const [image] = all(cell.children, 'img');
  const src = image?.properties.src ?? link?.properties.href;
  return src === undefined ? undefined : element('img', { src, alt: '' }, []);
}

/** A cell's text without the headings and paragraphs in it. */
function inline(children: readonly ElementContent[]): ElementContent[] {
  return children.flatMap((node) =>
    isElement(node) && /^(?:h[1-6]|p|div)$/.test(node.tagName)
      ? [...inline(node.children), { type: 'text', value: ' ' } as const]
      : [node],
  );
}

/** No link is within another one. */
function unlinked(children: readonly ElementContent[]): ElementContent[] {
  return children.flatMap((node) => {
    if (!isElement(node)) return [node];
    const inner = unlinked(node.children);
    return node.tagName === 'a' ? inner : [{ ...node, children: inner }];
  });
}
