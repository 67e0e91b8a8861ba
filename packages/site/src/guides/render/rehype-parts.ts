import { slug } from 'github-slugger';
import type { Element, ElementContent, Root, RootContent } from 'hast';
import { toString as textOf } from 'hast-util-to-string';
import { visitElements } from '../../markdown/visit.ts';
import { element } from './elements.ts';

interface Heading {
  readonly depth: number;
  readonly id: string;
  readonly text: string;
}

/** The part of a page below a heading: the unit of search results. */
export interface Section {
  /** The heading; empty for the part before the first heading. */
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

export interface PageParts {
  readonly headings: Heading[];
  /** All possible fragments of links. */
  readonly ids: string[];
  readonly sections: Section[];
  /** The first paragraph, as plain text on one line; empty where there is none. */
  paragraph: string;
}

const depthOf = ({ tagName }: Element) => Number(/^h([1-6])$/.exec(tagName)?.[1] ?? 0);

/** The layout's own ids begin with this. */
const LAYOUT_PREFIX = 'layout-';

/** Keeps an author's ids, unless they could collide with those of the page or its scripts. */
export function rehypeIds() {
  return (tree: Root): void => {
    visitElements(tree, ({ tagName, properties, children }) => {
      if (tagName === 'a') properties.id ??= properties.name;
      // GitBook's ids of headings. A link without words has nothing to say.
      if (tagName === 'a' && children.length === 0 && properties.id) delete properties.href;
      // Names, and the ids of images, become members of `document`.
      delete properties.name;
      if (tagName === 'img' || String(properties.id).startsWith(LAYOUT_PREFIX))
        delete properties.id;
    });
  };
}

/** Collects the headings, ids and sections of a page. Runs after the slugs are set and before anything is added. */
export function rehypeParts(parts: PageParts) {
  return (tree: Root): void => {
    let unnamed = 0;
    const ids = new Set<string>();
    visitElements(tree, (node) => {
      const depth = depthOf(node);
      const { properties } = node;
      const isTaken = ids.has(String(properties.id));
      if (depth > 0) {
        // A heading of punctuation alone has no slug.
        if (isTaken || !properties.id) properties.id = `section-${++unnamed}`;
        // Headings with a class are for screen readers, such as that of the footnotes.
        const text = textOf(node).trim();
        if (!properties.className) parts.headings.push({ depth, id: String(properties.id), text });
      } else if (isTaken) delete properties.id;
      if (properties.id) ids.add(String(properties.id));
    });
    for (const id of ids) parts.ids.push(id);
    for (const section of sectionsOf(tree)) parts.sections.push(section);
    parts.paragraph = firstParagraph(tree);
  };
}

/** The text of the first paragraph that has any; images have none. */
function firstParagraph({ children }: Root): string {
  for (const node of children) {
    if (node.type !== 'element' || node.tagName !== 'p') continue;
    const text = onOneLine(textOf({ ...node, children: node.children.filter(isNoFootnote) }));
    if (text !== '') return text;
  }
  return '';
}

/** Whether a part of a paragraph is something else than the number of a footnote. */
function isNoFootnote(node: ElementContent): boolean {
  if (node.type !== 'element' || node.tagName !== 'sup') return true;
  const [link] = node.children;
  return link?.type !== 'element' || link.properties.dataFootnoteRef === undefined;
}

const onOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

function sectionsOf(tree: Root): Section[] {
  const sections = [{ id: '', heading: '', texts: [] as string[] }];
  const collect = (nodes: readonly RootContent[]) => {
    for (const node of nodes) {
      if (node.type === 'text') sections.at(-1)?.texts.push(node.value);
      if (node.type !== 'element') continue;
      const depth = depthOf(node);
      if (depth > 0 && depth <= 3) {
        sections.push({ id: String(node.properties.id), heading: textOf(node).trim(), texts: [] });
      } else if (CONTAINERS.has(node.tagName)) collect(node.children);
      else sections.at(-1)?.texts.push(textOf(node));
    }
  };
  collect(tree.children);
  return sections.map(({ id, heading, texts }) => ({
    id,
    heading,
    text: onOneLine(texts.join(' ')),
  }));
}

/** What holds blocks. Headings in them, as in steps and tabs, begin sections as well. */
const CONTAINERS = new Set('article blockquote details div figure li ol section ul'.split(' '));

/** Gives the parts of components the ids that their titles make, unless a heading or another part has them. */
export function rehypePartIds() {
  return (tree: Root): void => {
    const taken = takenIds(tree);
    visitElements(tree, ({ properties }) => {
      const { dataSlug } = properties;
      if (dataSlug === undefined) return;
      delete properties.dataSlug;
      const id = slug(String(dataSlug));
      if (!isFree(id, taken) || properties.id) return;
      taken.add(id);
      properties.id = id;
    });
  };
}

/**
 * Marks headings and fields with the fragments that Mintlify has for them, where those are others: `#oauth-2-0` for
 * `OAuth 2.0`, `#param-base-url` for a field `baseUrl`. So links to pages that were moved go on leading there.
 */
export function rehypeOtherIds() {
  return (tree: Root): void => {
    const taken = takenIds(tree);
    visitElements(tree, (node) => {
      const { dataField } = node.properties;
      delete node.properties.dataField;
      // The title needs none, and those with an id of their own have that alone.
      const isHeading = depthOf(node) > 1 && node.properties.id === slug(textOf(node));
      if (!isHeading && dataField === undefined) return;
      const id = isHeading ? dashed(textOf(node)) : `param-${dashed(words(String(dataField)))}`;
      if (!isFree(id, taken)) return;
      taken.add(id);
      node.children.unshift(element('span', { id }, []));
    });
  };
}

const dashed = (text: string) =>
  text
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');

/** `base Url` for `baseUrl`. */
const words = (name: string) => name.replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, ' ');

function takenIds(tree: Root): Set<string> {
  const taken = new Set<string>();
  visitElements(tree, ({ properties }) => {
    if (properties.id) taken.add(String(properties.id));
  });
  return taken;
}

const isFree = (id: string, taken: ReadonlySet<string>) =>
  id !== '' && !taken.has(id) && !id.startsWith(LAYOUT_PREFIX);
