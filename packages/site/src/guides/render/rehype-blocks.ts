import type { Element, ElementContent, Properties, Root, Text } from 'hast';
import { toString as textOf } from 'hast-util-to-string';
import rehypeHighlight from 'rehype-highlight';
import { SKIP, visit } from 'unist-util-visit';

/** The kinds of notes, each with an outline of Lucide's icons (ISC licence). */
const NOTES: Record<string, { readonly name: string; readonly outline: string }> = {
  NOTE: {
    name: 'Note',
    outline: 'M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zM12 16v-4M12 8h.01',
  },
  TIP: {
    name: 'Tip',
    outline:
      'M15 14c.2-1 .7-1.7 1.5-2.5 1-.9 1.5-2.2 1.5-3.5A6 6 0 0 0 6 8c0 1 .2 2.2 1.5 3.5.7.7 1.3 1.5 1.5 2.5M9 18h6M10 22h4',
  },
  IMPORTANT: {
    name: 'Important',
    outline: 'M21 15a2 2 0 0 1-2 2H7l-4 4V5a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2zM12 7v2M12 13h.01',
  },
  WARNING: {
    name: 'Warning',
    outline:
      'm21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3M12 9v4M12 17h.01',
  },
  CAUTION: {
    name: 'Caution',
    outline: 'M7.86 2h8.28L22 7.86v8.28L16.14 22H7.86L2 16.14V7.86zM12 8v4M12 16h.01',
  },
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
  const note = NOTES[kind];
  if (note === undefined) return;
  first.value = first.value.slice(mark.length);
  quote.tagName = 'div';
  quote.properties = { className: ['note', `note-${kind.toLowerCase()}`] };
  const title = [icon(note.outline), text(note.name)];
  quote.children.unshift(element('p', { className: ['note-title'] }, title));
}

/** An icon, which the style draws in the colour of the text. */
function icon(outline: string): Element {
  const properties = { viewBox: '0 0 24 24', width: 18, height: 18, ariaHidden: 'true' };
  return element('svg', properties, [element('path', { d: outline }, [])]);
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
