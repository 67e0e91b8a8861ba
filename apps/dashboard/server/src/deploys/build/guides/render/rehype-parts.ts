import type { Element, Root } from 'hast';
import { toString as textOf } from 'hast-util-to-string';
import { visit } from 'unist-util-visit';

interface Heading {
  readonly depth: number;
  readonly id: string;
  readonly text: string;
}

/** The stretch of a page below a heading: what the search finds. */
export interface Section {
  /** Of the heading; empty for what stands before the first. */
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

export interface PageParts {
  readonly headings: Heading[];
  /** All that can stand behind a `#`. */
  readonly ids: string[];
  readonly sections: Section[];
}

const depthOf = ({ tagName }: Element) => Number(/^h([1-6])$/.exec(tagName)?.[1] ?? 0);

/** Ids that begin so are the layout's. */
const LAYOUT_PREFIX = 'layout-';

/** An author's ids are kept unless they could be taken for something of the page or of its scripts. */
export function rehypeIds() {
  return (tree: Root): void => {
    visit(tree, 'element', ({ tagName, properties }) => {
      if (tagName === 'a') properties.id ??= properties.name;
      // Names and images' ids become members of `document`.
      delete properties.name;
      if (tagName === 'img' || String(properties.id).startsWith(LAYOUT_PREFIX))
        delete properties.id;
    });
  };
}

/** Collects the headings, ids and sections of a page. Runs after the slugs are given and before anything is put in. */
export function rehypeParts(parts: PageParts) {
  return (tree: Root): void => {
    let unnamed = 0;
    const ids = new Set<string>();
    visit(tree, 'element', (node) => {
      const depth = depthOf(node);
      const { properties } = node;
      const isTaken = ids.has(String(properties.id));
      if (depth > 0) {
        // A heading of signs alone has no slug.
        if (isTaken || !properties.id) properties.id = `section-${++unnamed}`;
        // Those with a class are for readers who see nothing, such as that of the footnotes.
        const text = textOf(node).trim();
        if (!properties.className) parts.headings.push({ depth, id: String(properties.id), text });
      } else if (isTaken) delete properties.id;
      if (properties.id) ids.add(String(properties.id));
    });
    for (const id of ids) parts.ids.push(id);
    for (const section of sectionsOf(tree)) parts.sections.push(section);
  };
}

function sectionsOf(tree: Root): Section[] {
  const sections = [{ id: '', heading: '', texts: [] as string[] }];
  for (const node of tree.children) {
    if (node.type !== 'element') continue;
    const depth = depthOf(node);
    if (depth > 0 && depth <= 3) {
      sections.push({ id: String(node.properties.id), heading: textOf(node).trim(), texts: [] });
    } else sections.at(-1)?.texts.push(textOf(node));
  }
  return sections.map(({ id, heading, texts }) => ({
    id,
    heading,
    text: texts.join(' ').replace(/\s+/g, ' ').trim(),
  }));
}
