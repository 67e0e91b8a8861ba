import type { Element, Root } from 'hast';
import { toString as textOf } from 'hast-util-to-string';
import { visitElements } from '../../markdown/visit.ts';

/** Attributes that name other elements by their ids. */
const NAMING = ['htmlFor', 'ariaDescribedBy', 'ariaLabelledBy', 'ariaControls'] as const;

/**
 * Makes a page a part of another one, with other such parts beside it: its title is taken out, its headings are below
 * those of the part, and its ids begin with the part's fragment.
 */
export function rehypeNote({
  anchor,
  onTitle,
}: {
  readonly anchor: string;
  readonly onTitle: (text: string) => void;
}) {
  const own = (id: unknown) => `${anchor}--${id}`;
  return (tree: Root): void => {
    const at = tree.children.findIndex(({ type }) => type === 'element');
    const first = tree.children[at] as Element | undefined;
    if (first?.tagName === 'h1') {
      onTitle(textOf(first).trim());
      tree.children.splice(at, 1);
    }
    visitElements(tree, (node) => {
      const { properties } = node;
      const [, depth] = /^h([1-6])$/.exec(node.tagName) ?? [];
      if (depth !== undefined) node.tagName = `h${Math.min(6, Math.max(4, Number(depth) + 2))}`;
      if (properties.id) properties.id = own(properties.id);
      // Radio buttons of one name are one choice.
      if (properties.name) properties.name = own(properties.name);
      if (typeof properties.href === 'string' && /^#./.test(properties.href))
        properties.href = `#${own(properties.href.slice(1))}`;
      for (const name of NAMING) {
        const ids = properties[name];
        if (Array.isArray(ids)) properties[name] = ids.map(own);
        else if (ids) properties[name] = own(ids) as string & string[];
      }
    });
  };
}
