import type { Element, Root } from 'hast';
import { visit } from 'unist-util-visit';

const HEADING = /^h([1-6])$/;

/**
 * A page whose front matter has its title begins with that. Headings of the first level further down are then below
 * it, and so all headings are one level lower. A page that begins with one has that as its title.
 */
export function rehypeTitle({ hasTitle }: { readonly hasTitle: boolean }) {
  return (tree: Root): void => {
    if (!hasTitle) return;
    const first = tree.children.find(({ type }) => type === 'element') as Element | undefined;
    if (first === undefined || first.tagName === 'h1') return;
    const headings: Element[] = [];
    visit(tree, 'element', (node) => {
      if (HEADING.test(node.tagName)) headings.push(node);
    });
    if (!headings.some(({ tagName }) => tagName === 'h1')) return;
    for (const heading of headings) {
      const depth = Number(HEADING.exec(heading.tagName)?.[1]);
      heading.tagName = `h${Math.min(6, depth + 1)}`;
    }
  };
}
