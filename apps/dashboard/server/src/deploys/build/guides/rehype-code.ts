import type { Root } from 'hast';
import { toString as textOf } from 'hast-util-to-string';
import rehypeHighlight from 'rehype-highlight';
import { visit } from 'unist-util-visit';

/** Letters of a block. Longer ones are data, not examples, and take seconds. */
const MOST_HIGHLIGHTED = 50_000;

/** Highlights code whose language is given and known. */
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
