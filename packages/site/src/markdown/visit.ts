import type { Element, Root } from 'hast';
import type {
  Nodes as MarkdownNodes,
  Parents as MarkdownParents,
  Root as MarkdownRoot,
} from 'mdast';

// unist-util-visit gives each function of its walk the name of its node, which takes a quarter of the time in which a
// page is rendered. This walk gives none.

/** What a visitor returns to leave out what is in a node. */
export const SKIP = Symbol('skip');

/** Nothing to go on, `SKIP`, or both that and the index of the sibling to go on with. */
type Next = undefined | typeof SKIP | readonly [typeof SKIP, number];

/** Visits all elements, each before what is in it. The visitor may change `parent.children` from `index` on. */
export function visitElements(
  tree: Root | Element,
  // biome-ignore lint/suspicious/noConfusingVoidType: most visitors have no return statement.
  visitor: (node: Element, index: number, parent: Root | Element) => Next | void,
): void {
  walk(tree, 'element', visitor as Visitor);
}

/** Visits all nodes of a type in Markdown, as `visitElements` does. */
export function visitMarkdown<Type extends MarkdownNodes['type']>(
  tree: MarkdownRoot,
  type: Type,
  visitor: (
    node: Extract<MarkdownNodes, { type: Type }>,
    index: number,
    parent: MarkdownParents,
    // biome-ignore lint/suspicious/noConfusingVoidType: as above.
  ) => Next | void,
): void {
  walk(tree, type, visitor as Visitor);
}

interface Node {
  readonly type: string;
  readonly children?: readonly Node[];
}

type Visitor = (node: Node, index: number, parent: Node) => Next;

function walk(parent: Node, type: string, visitor: Visitor): void {
  let index = 0;
  for (let node = parent.children?.[0]; node; node = parent.children?.[index]) {
    const next = node.type === type ? visitor(node, index, parent) : undefined;
    const isSkipped = next === SKIP || Array.isArray(next);
    if (!isSkipped) walk(node, type, visitor);
    index = Array.isArray(next) ? next[1] : index + 1;
  }
}
