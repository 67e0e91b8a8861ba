import type { Element, ElementContent, Root } from 'hast';
import { toString as textOf } from 'hast-util-to-string';
import rehypeHighlight from 'rehype-highlight';
import { SKIP, visitElements } from '../../markdown/visit.ts';
import { breakable } from '../../site/word-breaks.ts';
import { hasLineNumbers, lineElements, type MarkedCode, markedCode } from './code-lines.ts';
import { codeTitle, languageOf } from './code-meta.ts';
import { element, NOTES, noteBox, text } from './elements.ts';

/** Quotes that begin with `[!NOTE]` become notes, as on GitHub. */
export function rehypeNotes() {
  return (tree: Root): void => {
    visitElements(tree, (node) => {
      if (node.tagName === 'blockquote') asNote(node);
    });
  };
}

/** Decorates a page's blocks: tables and code scroll in boxes of their own, and headings get links. */
export function rehypeBlocks() {
  return (tree: Root): void => {
    let heading: string | undefined;
    visitElements(tree, (node, index, parent) => {
      const { tagName } = node;
      if (/^h[1-6]$/.test(tagName)) heading = textOf(node);
      if (tagName === 'table') {
        parent.children[index] = tableBox(node, heading);
        return SKIP;
      }
      if (tagName === 'pre') {
        parent.children[index] = codeBox(node);
        return SKIP;
      }
      if (tagName === 'input' && node.properties.type === 'checkbox')
        node.properties.ariaLabel = node.properties.checked ? 'Done' : 'To do';
      if (/^h[2-6]$/.test(tagName)) linkToItself(node);
      return undefined;
    });
  };
}

/** In letters: the shortest text of a cell that needs room for a few words in a line. */
const SENTENCE = 40;

/** Boxes that scroll must be reachable by keyboard. `heading`: that of the part of the page which the table is in. */
function tableBox(table: Element, heading: string | undefined): Element {
  visitElements(table, (cell) => {
    if (cell.tagName === 'td' && textOf(cell).length >= SENTENCE)
      cell.properties.className = ['cell-text'];
    if (cell.tagName === 'code') cell.children = cell.children.flatMap(withBreaks);
  });
  const ariaLabel = heading ? `Table: ${heading}` : 'Table';
  const properties = { className: ['table-box'], tabIndex: 0, role: 'group', ariaLabel };
  return element('div', properties, [table]);
}

/** Long names in cells break where their parts begin, or else one makes its column as wide as a phone. */
function withBreaks(node: ElementContent): ElementContent[] {
  if (node.type !== 'text') return [node];
  return breakable(node.value).flatMap((part, at) => [
    ...(at === 0 ? [] : [element('wbr', {}, [])]),
    text(part),
  ]);
}

/** Code with its title, or else its language, above it. */
function codeBox(pre: Element): Element {
  const code = pre.children.find((child) => child.type === 'element');
  const meta = String(code?.properties.dataMeta ?? '');
  const title = codeTitle(meta);
  const language = languageOf(code);
  if (code) delete code.properties.dataMeta;
  pre.properties.tabIndex = 0;
  if (/(?:^|\s)wrap(?:\s|$)/.test(meta))
    pre.properties.className = [pre.properties.className ?? [], 'code-wrap'].flat() as string[];
  const height = pre.properties.dataDiagram;
  delete pre.properties.dataDiagram;
  const head = element('div', { className: ['code-head'] }, [
    title === ''
      ? element('span', {}, language ? [text(language)] : [])
      : element('span', { className: ['code-title'] }, [text(title)]),
  ]);
  if (height === undefined) return element('div', { className: ['code-box'] }, [head, pre]);
  // An attribute, since the policy of pages knows no styles in elements.
  const space = { className: ['diagram-space'], height: String(height), ariaHidden: 'true' };
  return element('div', { className: ['code-box', 'diagram'] }, [
    ...[head, element('svg', space, []), pre],
  ]);
}

function asNote(quote: Element): void {
  const paragraph = quote.children.find((child) => child.type === 'element');
  const first = paragraph?.children[0];
  if (paragraph?.tagName !== 'p' || first?.type !== 'text') return;
  const [mark = '', kind = ''] = /^\[!([A-Z]+)\][ \t]*(?:\n|$)/.exec(first.value) ?? [];
  if (!Object.hasOwn(NOTES, kind)) return;
  first.value = first.value.slice(mark.length);
  const { tagName, properties, children } = noteBox(kind, '', quote.children);
  Object.assign(quote, { tagName, properties, children });
}

/** For the pointer only. By keyboard, readers use the page's list of headings. */
function linkToItself(heading: Element): void {
  const { id, className } = heading.properties;
  if (typeof id !== 'string' || className !== undefined) return;
  const properties = {
    className: ['anchor'],
    href: `#${encodeURI(id)}`,
    ariaHidden: 'true',
    tabIndex: -1,
  };
  heading.children.push(element('a', properties, [text('#')]));
}

/** The most letters of a block. Longer blocks are data, not examples, and take seconds. */
const MAX_HIGHLIGHTED = 50_000;

/** One for all pages: compiling the languages takes longer than most pages do. */
const highlight = rehypeHighlight({ detect: false, aliases: { markdown: ['mdx'] } });

/** Highlights code whose language is given and supported, and marks and numbers its lines. */
export function rehypeCode() {
  return (tree: Root, file: Parameters<typeof highlight>[1]): void => {
    const marked: { readonly code: Element; readonly kinds: MarkedCode['kinds'] }[] = [];
    visitElements(tree, (node, _, parent) => {
      if (node.tagName !== 'code') return;
      const isBlock = parent.type === 'element' && parent.tagName === 'pre';
      const source = textOf(node);
      if (source.length > MAX_HIGHLIGHTED) delete node.properties.className;
      if (!isBlock || source.length > MAX_HIGHLIGHTED) return;
      const meta = String(node.properties.dataMeta ?? '');
      const { code, kinds } = markedCode(source, meta);
      if (code !== source) node.children = [text(code)];
      if (hasLineNumbers(meta)) parent.properties.className = ['code-numbered'];
      if (kinds.size > 0 || hasLineNumbers(meta)) marked.push({ code: node, kinds });
    });
    highlight(tree, file);
    for (const { code, kinds } of marked)
      code.children = lineElements(code.children as never, kinds);
  };
}
