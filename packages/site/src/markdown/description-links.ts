import type { Definition, Link, LinkReference, Nodes, Root } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { visit } from 'unist-util-visit';
import { isNestedTooDeeply } from '../guides/render/safe-html.ts';
import { referencePaths } from '../reference/addresses.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { hrefOf, markdownPath } from '../site/site-files.ts';
import { decodeUri } from '../syntax/decode-uri.ts';
import { destination } from './markdown-text.ts';
import { readingBounds } from './reading-bounds.ts';

type Linker = (markdown: string) => string;

const known = new WeakMap<ReferenceContext, Linker>();

/**
 * A description whose links lead where those of the page lead: those to pages of the reference to their Markdown. A link
 * that leads nowhere becomes its text.
 */
export function linked(context: ReferenceContext, markdown: string): string {
  const link = known.get(context) ?? linker(context);
  known.set(context, link);
  return link(markdown);
}

/** Links with an address that is no web address; the parser tells whether they are links. */
const MAY_HAVE_LINK = /\](?:\(|:)\s*<?(?!https?:)|<a\s/i;

const WEB = /^(?:https?:|mailto:|tel:|\/\/)/i;

function linker({ addresses, descriptions }: ReferenceContext): Linker {
  const pages = new Map(
    [...referencePaths(addresses)].map((path) => [hrefOf(path), destination(markdownPath(path))]),
  );
  /** The address of a link in Markdown; undefined where it leads nowhere. */
  const resolve: Resolve = (href) => {
    if (WEB.test(href)) return href;
    const address = descriptions.linkTo(href);
    return address && (pages.get(hrefOf(pathOf(address))) ?? address);
  };
  const parser = unified().use(remarkParse).use(remarkGfm).freeze();
  const bounds = readingBounds();
  const made = new Map<string, string>();
  return (markdown) => {
    if (!MAY_HAVE_LINK.test(markdown)) return markdown;
    const found = made.get(markdown);
    if (found !== undefined) return found;
    const tree = bounds.problem(markdown) === undefined ? parser.parse(markdown) : undefined;
    const isRead = tree !== undefined && !isNestedTooDeeply(tree);
    const text = isRead ? withEdits(markdown, editsOf(tree, markdown, resolve)) : markdown;
    made.set(markdown, text);
    return text;
  };
}

/** The path of an address, decoded, so that it can be compared however it was written. */
const pathOf = (address: string): string => decodeUri(address.replace(/[?#].*$/s, ''));

type Resolve = (href: string) => string | undefined;

/** What stands in place of the letters from `start` to `end`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function editsOf(tree: Root, markdown: string, resolve: Resolve): Edit[] {
  const targets = new Map<string, string | undefined>();
  visit(tree, 'definition', ({ identifier, url }) => {
    if (!targets.has(identifier)) targets.set(identifier, resolve(url));
  });
  const edits: Edit[] = [];
  visit(tree, (node) => {
    const { start, end } = placeOf(node);
    const source = markdown.slice(start, end);
    switch (node.type) {
      case 'link':
        edits.push(...linkEdits(node, resolve(node.url)));
        break;
      case 'linkReference':
        if (targets.get(node.identifier) === undefined) edits.push(...linkEdits(node, undefined));
        break;
      case 'definition':
        edits.push({ start, end, text: definitionText(node, source, resolve(node.url)) });
        break;
      case 'html':
        edits.push({ start, end, text: htmlText(source, resolve) });
        break;
    }
  });
  return edits;
}

const placeOf = ({ position }: Nodes) => ({
  start: position?.start.offset ?? 0,
  end: position?.end.offset ?? 0,
});

/** What stands around a link's text, with its new address; nothing where it leads nowhere. */
function linkEdits(link: Link | LinkReference, address: string | undefined): Edit[] {
  const { start, end } = placeOf(link);
  const [first, last] = [link.children[0], link.children.at(-1)];
  if (first === undefined || last === undefined) return [];
  const [textStart, textEnd] = [placeOf(first).start, placeOf(last).end];
  if (address === undefined) {
    return [
      { start, end: textStart, text: '' },
      { start: textEnd, end, text: '' },
    ];
  }
  // An address in angle brackets, or alone, has no text besides itself.
  if (link.type !== 'link' || address === link.url) return [];
  return [{ start: textEnd, end, text: `](${written(address)}${titleText(link)})` }];
}

/** An address as a link's destination, which neither a space nor a bracket ends. */
const written = (address: string) => (/[\s()<>]/.test(address) ? destination(address) : address);

const titleText = ({ title }: Link | Definition) =>
  title ? ` "${title.replaceAll('"', '\\"')}"` : '';

function definitionText(node: Definition, source: string, address: string | undefined): string {
  if (address === undefined) return '';
  if (address === node.url) return source;
  const [label = ''] = /^\[(?:\\.|[^\]\\])*\]:/.exec(source) ?? [];
  return label === '' ? source : `${label} ${written(address)}${titleText(node)}`;
}

/** HTML whose elements `a` have their new addresses, or none. */
function htmlText(source: string, resolve: Resolve): string {
  return source.replace(/<a\s[^>]*>/gi, (tag) => {
    const [attribute = '', double, single, bare] =
      /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/i.exec(tag) ?? [];
    const href = double ?? single ?? bare;
    if (href === undefined) return tag;
    const address = resolve(href.replaceAll('&amp;', '&'));
    if (address === undefined) return '<a>';
    const value = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    return tag.replace(attribute, () => ` href="${value}"`);
  });
}

function withEdits(markdown: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    // What stands within a part that was changed already.
    if (start < at) continue;
    parts.push(markdown.slice(at, start), text);
    at = end;
  }
  return [...parts, markdown.slice(at)].join('');
}
