import type { Element, ElementContent, Root } from 'hast';
import { toString as textOf } from 'hast-util-to-string';
import { SKIP, visitElements } from '../../../markdown/visit.ts';
import type { PageLinks } from '../rehype-links.ts';

/** In letters of TeX, of a formula in a text. Longer ones may be wider than a phone, and so scroll by themselves. */
const MAX_NARROW = 60;

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
      const tex = textOf(code).trim();
      const made = mathHtml(tex, isBlock);
      if ('error' in made) {
        delete code.properties.className;
        found.warnings.push({ rule: 'math', message: warningOf(made.error), line });
      } else {
        const content = made.children as ElementContent[];
        if (isBlock) replace([box('div', 'math-box', content)]);
        else replace(tex.length > MAX_NARROW ? [box('span', 'math-wide', content)] : content);
      }
    }
  };
}

function formulasOf(tree: Root): Formula[] {
  const formulas: Formula[] = [];
  visitElements(tree, (node, index, parent) => {
    const [child] = node.children;
    const isBlock = node.tagName === 'pre' && child?.type === 'element';
    const code = isBlock ? child : node;
    if (!isFormula(code)) return undefined;
    const line = (node.position ?? code.position)?.start.line ?? 1;
    const replace = (content: ElementContent[]) => {
      // A formula is one element, so the others keep their places.
      parent.children[index] = content[0] ?? node;
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
function box(tagName: string, name: string, children: ElementContent[]): Element {
  const properties = { className: [name], tabIndex: 0, role: 'group', ariaLabel: 'Formula' };
  return { type: 'element', tagName, properties, children };
}

const warningOf = (error: string) =>
  `The formula is shown as it is written, since it cannot be drawn: ${error}`;
