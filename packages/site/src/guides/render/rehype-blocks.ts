import type { Element, ElementContent, Properties, Root, Text } from 'hast';
import { toString as textOf } from 'hast-util-to-string';
import rehypeHighlight from 'rehype-highlight';
import { SKIP, visit } from 'unist-util-visit';

const NOTES: Record<string, string> = {
  NOTE: 'Note',
  TIP: 'Tip',
  IMPORTANT: 'Important',
  WARNING: 'Warning',
  CAUTION: 'Caution',
};

/** Quotes that begin with `[!NOTE]` become notes, as on GitHub. */
export function rehypeNotes() {
  return (tree: Root): void => {
    visit(tree, 'element', (node) => {
      if (node.tagName === 'blockquote') asNote(node);
    });
  };
}

/** Decorates a page's blocks: tables and code scroll in boxes of their own, and headings get links. */
export function rehypeBlocks() {
  return (tree: Root): void => {
    visit(tree, 'element', (node, index, parent) => {
      if (!parent || index === undefined) return undefined;
      const { tagName } = node;
      if (tagName === 'table') {
        parent.children[index] = tableBox(node);
        return SKIP;
      }
      if (tagName === 'pre') {
        parent.children[index] = codeBox(node);
        return SKIP;
      }
      if (tagName === 'input')
        node.properties.ariaLabel = node.properties.checked ? 'Done' : 'To do';
      if (/^h[2-6]$/.test(tagName)) linkToItself(node);
      return undefined;
    });
  };
}

const element = (tagName: string, properties: Properties, children: ElementContent[]): Element => ({
  type: 'element',
  tagName,
  properties,
  children,
});

const text = (value: string): Text => ({ type: 'text', value });

/** Boxes that scroll must be reachable by keyboard. */
function tableBox(table: Element): Element {
  const properties = { className: ['table-box'], tabIndex: 0, role: 'group', ariaLabel: 'Table' };
  return element('div', properties, [table]);
}

function codeBox(pre: Element): Element {
  const [code] = pre.children;
  const classes = code?.type === 'element' ? code.properties.className : undefined;
  const language = (Array.isArray(classes) ? classes : [])
    .map(String)
    .find((name) => name.startsWith('language-'))
    ?.slice('language-'.length);
  pre.properties.tabIndex = 0;
  const head = element('div', { className: ['code-head'] }, [
    element('span', {}, language ? [text(language)] : []),
  ]);
  return element('div', { className: ['code-box'] }, [head, pre]);
}

function asNote(quote: Element): void {
  const paragraph = quote.children.find((child) => child.type === 'element');
  const first = paragraph?.children[0];
  if (paragraph?.tagName !== 'p' || first?.type !== 'text') return;
  const [mark = '', kind = ''] = /^\[!([A-Z]+)\][ \t]*(?:\n|$)/.exec(first.value) ?? [];
  const name = NOTES[kind];
  if (name === undefined) return;
  first.value = first.value.slice(mark.length);
  quote.tagName = 'div';
  quote.properties = { className: ['note', `note-${kind.toLowerCase()}`] };
  quote.children.unshift(element('p', { className: ['note-title'] }, [text(name)]));
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
const MOST_HIGHLIGHTED = 50_000;

/** Highlights code whose language is given and supported. */
export function rehypeCode() {
  const highlight = rehypeHighlight({ detect: false });
  return (tree: Root, file: Parameters<typeof highlight>[1]): void => {
    visit(tree, 'element', (node) => {
      if (node.tagName !== 'code' || !node.properties.className) return;
      if (textOf(node).length > MOST_HIGHLIGHTED) delete node.properties.className;
    });
    highlight(tree, file);
  };
}
