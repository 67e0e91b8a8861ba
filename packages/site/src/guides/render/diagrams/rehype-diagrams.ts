import type { Element, Root } from 'hast';
import { toString as textOf } from 'hast-util-to-string';
import { visit } from 'unist-util-visit';
import { languageOf } from '../code-meta.ts';
import type { PageLinks } from '../rehype-links.ts';
import { reservedHeight } from './reserved-height.ts';

/** Of a page. Each takes readers and the build some milliseconds. */
const MAX_DIAGRAMS = 100;

/**
 * Marks the blocks of code that are Mermaid diagrams with the height of their place, for `rehypeBlocks`. One that cannot be drawn stays
 * code, with a warning.
 */
export function rehypeDiagrams({ found }: { readonly found: PageLinks }) {
  return async (tree: Root): Promise<void> => {
    const blocks = mermaidBlocks(tree);
    if (blocks.length === 0) return;
    // Most pages have none, and the thread starts sooner without it.
    const { checkDiagram } = await import('./check-diagram.ts');
    for (const { pre, code } of blocks.slice(0, MAX_DIAGRAMS)) {
      const line = pre.position?.start.line ?? 1;
      const source = textOf(code);
      const read = await checkDiagram(source);
      if ('kind' in read) {
        pre.properties.dataDiagram = reservedHeight(read, source);
        found.hasDiagrams = true;
      } else {
        const message = `The diagram is shown as code, since it cannot be drawn: ${read.error}`;
        found.warnings.push({ rule: 'diagram', message, line: line + (read.line ?? 0) });
      }
    }
    const more = blocks[MAX_DIAGRAMS];
    if (!more) return;
    const message = `Only the first ${MAX_DIAGRAMS} diagrams of the page are drawn. Split it.`;
    found.warnings.push({ rule: 'diagram', message, line: more.pre.position?.start.line ?? 1 });
  };
}

function mermaidBlocks(tree: Root): { readonly pre: Element; readonly code: Element }[] {
  const blocks: { pre: Element; code: Element }[] = [];
  visit(tree, 'element', (pre) => {
    const [code] = pre.children;
    if (pre.tagName !== 'pre' || code?.type !== 'element') return;
    if (languageOf(code) === 'mermaid') blocks.push({ pre, code });
  });
  return blocks;
}
