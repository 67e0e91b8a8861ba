import type { Element, ElementContent, Root } from 'hast';
import { toString as textOf } from 'hast-util-to-string';
import { SKIP, visit } from 'unist-util-visit';
import type { PageLinks } from '../rehype-links.ts';

interface Formula {
  readonly code: Element;
  readonly line: number;
  readonly isBlock: boolean;
  readonly replace: (content: ElementContent[]) => void;
}

/**
 * Draws the formulas of a page. What cannot be drawn stays as it is written, with a warning. It runs after the headings
 * and texts of the page are read, which have formulas as they are written.
 */
export function rehypeMath({ found }: { readonly found: PageLinks }) {
  return async (tree: Root): Promise<void> => {
    const formulas = formulasOf(tree);
    if (formulas.length === 0) return;
    // Most pages have none, and the thread starts sooner without KaTeX.
    const { mathHtml } = await import('./math-html.ts');
    for (const { code, line, isBlock, replace } of formulas) {
      const made = mathHtml(textOf(code).trim(), isBlock);
      if ('error' in made) {
        delete code.properties.className;
        found.warnings.push({ rule: 'math', message: warningOf(made.error), line });
      } else replace(made.children as ElementContent[]);
    }
  };
}

function formulasOf(tree: Root): Formula[] {
  const formulas: Formula[] = [];
  visit(tree, 'element', (node, index, parent) => {
    if (!parent || index === undefined) return undefined;
    const [child] = node.children;
    const isBlock = node.tagName === 'pre' && child?.type === 'element';
    const code = isBlock ? child : node;
    if (!isFormula(code)) return undefined;
    const line = (node.position ?? code.position)?.start.line ?? 1;
    const replace = (content: ElementContent[]) => {
      // A formula is one element, so the others keep their places.
      const [made = node] = isBlock ? [box(content)] : content;
      parent.children[index] = made;
    };
    formulas.push({ code, line, isBlock, replace });
    return SKIP;
  });
  return formulas;
}

function isFormula({ tagName, properties: { className } }: Element): boolean {
  return tagName === 'code' && Array.isArray(className) && className.includes('language-math');
}

/** Boxes that scroll must be reachable by keyboard. */
function box(children: ElementContent[]): Element {
  const properties = {
    className: ['math-box'],
    tabIndex: 0,
    role: 'group',
    ariaLabel: 'Formula',
  };
  return { type: 'element', tagName: 'div', properties, children };
}

const warningOf = (error: string) =>
  `The formula is shown as it is written, since it cannot be drawn: ${error}`;
