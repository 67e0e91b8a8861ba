import type { Nodes } from 'mdast';

/** Levels of lists, quotes and the like: beyond it nobody reads on, and programs lose their stack. */
export const MAX_NESTING = 100;

const QUOTES = new RegExp(`^(?:[ \\t]*>){${MAX_NESTING + 1}}`, 'm');

/** Whether a line opens more quotes in each other than can be: the parser takes minutes for those. */
export const isQuotedTooDeeply = (markdown: string): boolean => QUOTES.test(markdown);

/** Without recursion, which is what it guards. */
export function isNestedTooDeeply(root: Nodes): boolean {
  let level: Nodes[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_NESTING) return true;
    level = level.flatMap((node) => ('children' in node ? node.children : []));
  }
  return false;
}
