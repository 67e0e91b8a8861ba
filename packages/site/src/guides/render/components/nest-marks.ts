import { didYouMean } from '@petstore/service/nearest.ts';
import type {
  Html,
  Nodes,
  Paragraph,
  Parents,
  PhrasingContent,
  Root,
  RootContent,
  Text,
} from 'mdast';
import type { Position } from 'unist';
import type { Rule } from '../../../rules.ts';
import {
  COMPONENT_NAMES,
  type ComponentKind,
  componentKind,
  INLINE_HTML,
  isHtml,
  VOID,
} from './component-names.ts';
import {
  type Attributes,
  type AttributeValue,
  type Mark,
  type OpenMark,
  readLiteral,
  readMark,
} from './read-mark.ts';
import type { MarkNode } from './syntax.ts';

/** A component of a page, whichever way it was written. */
export interface ComponentNode {
  type: 'guideComponent';
  /** Of the kinds of components; of an element of HTML its tag; undefined for an unknown component and a fragment. */
  kind: ComponentKind | undefined;
  html: string | undefined;
  /** As its author wrote it. */
  name: string;
  attributes: Attributes;
  children: RootContent[];
  position?: Position | undefined;
  data?: undefined;
}

declare module 'mdast' {
  interface RootContentMap {
    guideComponent: ComponentNode;
  }
  interface PhrasingContentMap {
    guideComponent: ComponentNode;
  }
}

export interface NestOptions {
  /** Tells what is left out or wrong, on the first line of a place. */
  readonly warn: (rule: Rule, message: string, position: Position | undefined) => void;
  /** The values of names in braces. */
  readonly variables: Readonly<Record<string, AttributeValue>>;
  /** What replaces a component that stands for the content of a file, or undefined where it stands for none. */
  readonly include: (component: ComponentNode) => RootContent[] | undefined;
  /** Reads an attribute that is Markdown. */
  readonly parse: (markdown: string) => RootContent[];
}

/** Makes components of the marks in a page, in each list, quote, cell and paragraph for itself. */
export function nestMarks(tree: Root, options: NestOptions): void {
  const nesting = new Nesting(options);
  // The innermost ones first. Paragraphs are taken apart by what has them.
  for (const parent of parentsIn(tree).reverse()) {
    if (parent.type === 'paragraph') continue;
    const children = parent.children as RootContent[];
    parent.children = (
      FLOW.has(parent.type) ? nesting.flow(children) : nesting.pair(children, false)
    ) as never;
  }
}

/** A node and all in it that have children, each before what is in it. */
function parentsIn(node: Nodes, found: Parents[] = []): Parents[] {
  if (!('children' in node)) return found;
  found.push(node);
  for (const child of node.children) parentsIn(child, found);
  return found;
}

const FLOW = new Set(['root', 'blockquote', 'listItem', 'footnoteDefinition']);

/** A component whose end is not reached yet. */
interface Opened {
  readonly node: MarkNode | undefined;
  readonly mark: OpenMark | undefined;
  readonly items: RootContent[];
}

class Nesting {
  readonly #options: NestOptions;

  constructor(options: NestOptions) {
    this.#options = options;
  }

  /** The blocks of a page, or of a list's item and the like. */
  flow(children: readonly RootContent[]): RootContent[] {
    const blocks = children.flatMap((child): RootContent[] => {
      if (child.type === 'html') return splitHtml(child);
      if (child.type !== 'paragraph') return [child];
      if (!child.children.some(isMark)) return [child];
      return paragraphs(this.pair(child.children, true), child);
    });
    return this.pair(blocks, false);
  }

  /**
   * Makes components of the marks among siblings. `isText`: marks without a partner stay, since it may be in another
   * paragraph.
   */
  pair(children: readonly RootContent[], isText: boolean): RootContent[] {
    if (!children.some(isMark)) return [...children];
    const root: Opened = { node: undefined, mark: undefined, items: [] };
    const stack: Opened[] = [root];
    const top = () => stack.at(-1) ?? root;
    let leaf: OpenMark | undefined;
    const drop = () => {
      const { node, mark, items } = stack.pop() as Opened;
      if (!node || !mark) return;
      if (isText) top().items.push(node, ...items);
      else top().items.push(...this.#unclosed(node, mark, items));
    };
    for (const node of children) {
      if (!isMark(node)) {
        top().items.push(node);
        leaf = undefined;
        continue;
      }
      const mark = readMark(node.value);
      if (mark.kind === 'open') {
        const isLeaf = mark.isLeaf || (mark.spelling === 'tag' && VOID.has(mark.name));
        if (isLeaf) top().items.push(...this.#component(node, mark, [], isText));
        else stack.push({ node, mark, items: [] });
        leaf = mark;
      } else if (mark.kind === 'close') {
        const at = stack.findLastIndex((opened) => opened.mark && isClosedBy(opened.mark, mark));
        if (at > 0) {
          while (stack.length - 1 > at) drop();
          const { node: start, mark: own, items } = stack.pop() as Required<Opened>;
          if (start && own) {
            start.position = span(start, node);
            top().items.push(...this.#component(start, own, items, isText));
          }
        } else if (isText) top().items.push(node);
        else if (!(mark.spelling === 'directive' && leaf?.spelling === 'directive'))
          this.#options.warn(
            'component',
            `\`${node.value.trim()}\` ends nothing that begins before it: remove it, or write its beginning.`,
            node.position,
          );
        leaf = undefined;
      } else top().items.push(...this.#code(node, mark));
    }
    while (stack.length > 1) drop();
    return root.items;
  }

  /** A component without an end: it is one without content, or it goes as far as what is around it. */
  #unclosed(node: MarkNode, mark: OpenMark, items: RootContent[]): RootContent[] {
    const kind = componentKind(mark.name, mark.spelling);
    const isAlone = kind ? kind.mayBeAlone : mark.spelling === 'block';
    if (isAlone) return [...this.#component(node, mark, [], false), ...items];
    this.#options.warn(
      'component',
      `\`${short(node.value)}\` is not closed: write \`${endOf(mark)}\` after what belongs to it.`,
      node.position,
    );
    return this.#component(node, mark, items, false);
  }

  #component(
    node: MarkNode,
    mark: OpenMark,
    children: RootContent[],
    isText: boolean,
  ): RootContent[] {
    const { name, spelling } = mark;
    const { warn } = this.#options;
    const kind = componentKind(name, spelling);
    const html = spelling === 'tag' && isHtml(name) && !kind ? name : undefined;
    for (const unread of mark.unread) {
      if (NOT_SHOWN.has(unread.toLowerCase()) || kind?.name === 'contents') continue;
      warn(
        'left-out',
        `\`${short(unread)}\` of \`${startOf(mark)}\` is program code, which is never run: it was left out. Write text, a number, or true or false.`,
        node.position,
      );
    }
    const made: ComponentNode = {
      type: 'guideComponent',
      ...{ kind, html, name, position: node.position },
      attributes: this.#values(mark, node.position),
      children,
    };
    const included = this.#options.include(made);
    if (included) return included;
    if (!kind && !html && name !== '') {
      const what = spelling === 'tag' ? 'component' : spelling;
      warn(
        'component',
        `The ${what} \`${startOf(mark)}\` is unknown${didYouMean(name, COMPONENT_NAMES)} ${children.length > 0 ? 'What is in it is shown without it.' : 'It was left out.'}`,
        node.position,
      );
    }
    if (isText && kind && !kind.isInline) made.children = paragraphs(children);
    if (kind?.name === 'code') return withMeta(made);
    const { caption } = made.attributes;
    if (kind?.name === 'frame' && typeof caption === 'string') {
      const children = this.#options.parse(caption);
      made.children.push({ ...made, kind: { name: 'caption' }, attributes: {}, children });
    }
    return [made];
  }

  /** The attributes, with the values of variables. */
  #values({ attributes, name, spelling }: OpenMark, position: Position | undefined): Attributes {
    // Nothing of it is shown.
    if (componentKind(name, spelling)?.name === 'contents') return {};
    const { variables, warn } = this.#options;
    const values = Object.entries(attributes).flatMap(([key, value]) => {
      if (typeof value !== 'object' || Array.isArray(value)) return [[key, value] as const];
      const { variable } = value as { variable: string };
      if (Object.hasOwn(variables, variable)) return [[key, variables[variable]] as const];
      warn(
        'left-out',
        `\`${key}={${variable}}\` of \`<${name}>\` is program code, which is never run: it was left out. Write its value.`,
        position,
      );
      return [];
    });
    return Object.fromEntries(values) as Attributes;
  }

  #code(node: MarkNode, mark: Exclude<Mark, { kind: 'open' | 'close' }>): RootContent[] {
    const { warn, variables } = this.#options;
    const { position } = node;
    if (mark.kind !== 'expression') return [];
    const text = (value: string): Text[] => [{ type: 'text', value, position }];
    const value = readLiteral(mark.code);
    const known =
      typeof value === 'object' && 'variable' in value ? variables[value.variable] : value;
    if (typeof known === 'string' || typeof known === 'number') return text(String(known));
    if (known !== undefined) return [];
    const isName = /^[\w$.]+$/.test(mark.code);
    warn(
      'left-out',
      `\`{${short(mark.code)}}\` is program code, which is never run: ${isName ? 'it is shown as it is written. Write its value, or `\\{` for a brace' : 'it was left out. Write what it should say'}.`,
      position,
    );
    return isName ? text(node.value) : [];
  }
}

/** Attributes that no page shows: how things look, what feeds and programs need. */
const NOT_SHOWN = new Set(['style', 'rss', 'key', 'ref', 'classname']);

const isMark = (node: Nodes): node is MarkNode => node.type === 'guideMark';

const startOf = ({ spelling, name, colons }: OpenMark) =>
  ({ tag: `<${name}>`, block: `{% ${name} %}`, directive: `${':'.repeat(colons)}${name}` })[
    spelling
  ];

const endOf = ({ spelling, name, colons }: OpenMark) =>
  ({ tag: `</${name}>`, block: `{% end${name} %}`, directive: ':'.repeat(colons) })[spelling];

function isClosedBy(open: OpenMark, close: Extract<Mark, { kind: 'close' }>): boolean {
  if (open.spelling !== close.spelling) return false;
  return open.spelling === 'directive' ? open.colons === close.colons : open.name === close.name;
}

/** The beginning of what a message speaks of. */
export function short(source: string): string {
  const line = source.trim().split('\n', 1)[0] ?? '';
  const isWhole = line.length <= 60 && line === source.trim();
  return isWhole ? line : `${line.slice(0, 60).trimEnd()} …`;
}

function span(start: MarkNode, end: MarkNode): Position | undefined {
  if (!start.position || !end.position) return start.position;
  return { start: start.position.start, end: end.position.end };
}

/** Whether a node stands for itself, between paragraphs. */
function isBlock(node: RootContent): boolean {
  if (node.type === 'guideMark') return true;
  if (node.type !== 'guideComponent') return BLOCKS.has(node.type);
  if (node.html !== undefined) return !INLINE_HTML.has(node.html);
  return node.kind !== undefined && !node.kind.isInline;
}

/** What a snippet may put among words. */
const BLOCKS = new Set('paragraph heading list code blockquote table thematicBreak'.split(' '));

const isSpace = (node: RootContent) => node.type === 'text' && node.value.trim() === '';

/** Text between blocks as paragraphs. */
function paragraphs(items: readonly RootContent[], { position }: Partial<Paragraph> = {}) {
  const blocks: RootContent[] = [];
  let run: RootContent[] = [];
  const flush = () => {
    const words = trimmed(run);
    const [only] = words;
    // An unknown component alone stands for itself.
    if (words.length === 1 && only?.type === 'guideComponent' && !only.kind && !only.html)
      blocks.push(only);
    else if (words.length > 0)
      blocks.push({ type: 'paragraph', children: words as PhrasingContent[], position });
    run = [];
  };
  for (const item of items) {
    if (!isBlock(item)) run.push(item);
    else {
      flush();
      blocks.push(item);
    }
  }
  flush();
  return blocks;
}

function trimmed(run: readonly RootContent[]): RootContent[] {
  const first = run.findIndex((node) => !isSpace(node) && node.type !== 'break');
  const last = run.findLastIndex((node) => !isSpace(node) && node.type !== 'break');
  if (first === -1) return [];
  return run.slice(first, last + 1).map((node, at, all) => {
    if (node.type !== 'text') return node;
    let { value } = node;
    if (at === 0) value = value.trimStart();
    if (at === all.length - 1) value = value.trimEnd();
    return { ...node, value };
  });
}

const HTML_MARK = /<\/?\p{Lu}(?:"[^"]*"|'[^']*'|\{[^{}]*\}|[^<>"'{}])*>|\{%[\s\S]*?%\}/gu;

/** HTML of which components are parts, piece by piece. */
function splitHtml(node: Html): RootContent[] {
  const { value, position } = node;
  if (/^<(?:!|pre\b|script\b|style\b|textarea\b)/i.test(value)) return [node];
  const pieces: RootContent[] = [];
  let at = 0;
  for (const { 0: mark, index } of value.matchAll(HTML_MARK)) {
    if (index > at) pieces.push({ type: 'html', value: value.slice(at, index), position });
    pieces.push({ type: 'guideMark', value: mark, position });
    at = index + mark.length;
  }
  if (at < value.length) pieces.push({ type: 'html', value: value.slice(at), position });
  return pieces;
}

/** The code in `{% code %}`, with what the block says about it. */
function withMeta({ attributes, children }: ComponentNode): RootContent[] {
  const { title, linenumbers, overflow } = attributes;
  const meta = [
    ...(typeof title === 'string' ? [`title=${JSON.stringify(title)}`] : []),
    ...(String(linenumbers) === 'true' ? ['lineNumbers'] : []),
    ...(overflow === 'wrap' ? ['wrap'] : []),
  ];
  for (const child of children)
    if (child.type === 'code') child.meta = [child.meta ?? '', ...meta].join(' ').trim();
  return children;
}
