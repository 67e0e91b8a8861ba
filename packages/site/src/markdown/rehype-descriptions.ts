import { truncate } from '@petstore/service/text.ts';
import type { Element, ElementContent, Root } from 'hast';
import { isImage } from '../guides/links/site-paths.ts';
import type { Rule } from '../rules.ts';
import { hrefOf } from '../site/site-files.ts';
import { SKIP, visitElements } from './visit.ts';

/** The letters of scripts that are written from right to left. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Whose marks, borders or columns stand on the side on which their text begins. Styles do that for other blocks. */
const DIRECTED = new Set(['ul', 'ol', 'blockquote', 'table']);

/** Gives lists, quotes and tables the direction of their own script. Texts without such a script need nothing. */
export function directBlocks(tree: Root, markdown: string): void {
  if (!RIGHT_TO_LEFT.test(markdown)) return;
  visitElements(tree, ({ tagName, properties }) => {
    if (DIRECTED.has(tagName)) properties.dir = 'auto';
  });
}

export interface DescriptionParts {
  /** The level of the highest headings. */
  readonly top: number;
  /** The address of a link that is no web address; undefined for none, and then its text alone is shown. */
  readonly resolveLink: (href: string) => string | undefined;
  /** The images of the archive. */
  readonly files: ReadonlySet<string>;
  readonly warn: (message: string, rule: Rule) => void;
}

/**
 * Fits a description into a page that has more of them: headings below the page's own, no ids, links that lead somewhere,
 * and no image of another host. It runs after the sanitizer.
 */
export function fitDescription(tree: Root, parts: DescriptionParts): void {
  const levels = headingLevels(tree, parts.top);
  visitElements(tree, (node, index, parent) => {
    const { tagName, properties } = node;
    delete properties.id;
    delete properties.name;
    node.tagName = levels.get(tagName) ?? tagName;
    if (tagName === 'a' && !isLink(node, parts)) {
      parent.children.splice(index, 1, ...node.children);
      // What stood in the link is visited next.
      return [SKIP, index];
    }
    if (tagName === 'img') {
      const isLinked = parent.type === 'element' && parent.tagName === 'a';
      parent.children[index] = image(node, parts, isLinked);
      return SKIP;
    }
    return undefined;
  });
}

/** The levels that a text uses, one below the other, so that none is skipped. */
function headingLevels(tree: Root, top: number): ReadonlyMap<string, string> {
  const used = new Set<string>();
  visitElements(tree, ({ tagName }) => {
    if (/^h[1-6]$/.test(tagName)) used.add(tagName);
  });
  return new Map([...used].sort().map((name, at) => [name, `h${Math.min(6, top + at)}`]));
}

/** Whether a link leads somewhere. Where it does, it gets its address. */
function isLink({ properties }: Element, { resolveLink, warn }: DescriptionParts): boolean {
  const { href } = properties;
  if (typeof href !== 'string') return false;
  if (/^(?:https?:|mailto:|tel:|\/\/)/i.test(href)) {
    properties.rel = ['noopener', 'noreferrer'];
    return true;
  }
  const resolved = resolveLink(href);
  properties.href = resolved;
  if (resolved === undefined && href.startsWith('/')) {
    warn(
      `The link \`${truncate(href, MAX_QUOTED)}\` leads to no page of the site: its text alone is shown. Write its whole address.`,
      'link',
    );
  }
  return resolved !== undefined;
}

/** The kinds that have no scripts and no links of their own. */
const DATA = /^data:image\/(?:avif|gif|jpeg|png|webp);base64,[A-Za-z0-9+/=]+$/i;

/** In letters of an image within a text: it is repeated in every page that has the text. */
const MAX_DATA = 40_000;

/** In letters of an address that a warning quotes. */
const MAX_QUOTED = 200;

/** The image, or what stands for it: a link, or text where it stands in a link already. */
function image(
  node: Element,
  { files, warn }: DescriptionParts,
  isLinked: boolean,
): ElementContent {
  const { src, alt } = node.properties;
  const label = typeof alt === 'string' && alt.trim() !== '' ? alt : undefined;
  Object.assign(node.properties, { alt: label ?? '', loading: 'lazy', decoding: 'async' });
  const text = (value: string): ElementContent => ({ type: 'text', value });
  if (typeof src !== 'string') return text(label ?? '');
  if (/^data:/i.test(src)) {
    if (src.length <= MAX_DATA && DATA.test(src)) return node;
    warn(
      `An image within the text is larger than ${MAX_DATA / 1_000} kB or of a kind that is not shown: it was left out.`,
      'image',
    );
    return text(label ?? '');
  }
  if (/^(?:https?:)?\/\//i.test(src)) {
    warn(
      `\`${truncate(src, MAX_QUOTED)}\` is on another site, which pages load nothing from: it became a link. Put the image into the archive.`,
      'image',
    );
    if (isLinked) return text(label ?? src);
    const properties = { href: src, rel: ['noopener', 'noreferrer'] };
    return { type: 'element', tagName: 'a', properties, children: [text(label ?? src)] };
  }
  const file = fileOf(src);
  if (file !== undefined && files.has(file) && isImage(file)) {
    node.properties.src = hrefOf(`/${file}`);
    return node;
  }
  warn(
    `The image \`${truncate(src, MAX_QUOTED)}\` is not in the archive: its text alone is shown.`,
    'image',
  );
  return text(label ?? '');
}

/** The path of an image from the archive's root; undefined for an address that is none. */
function fileOf(src: string): string | undefined {
  try {
    const { pathname } = new URL(src, 'http://archive/');
    return decodeURIComponent(pathname).slice(1).normalize('NFC');
  } catch {
    return undefined;
  }
}
