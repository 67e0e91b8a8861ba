import { prefix } from '@petstore/service/text.ts';
import type { Nodes } from 'mdast';
import { toString as textOfNode } from 'mdast-util-to-string';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { isNestedTooDeeply } from '../guides/render/safe-html.ts';
import { readingBounds } from '../markdown/reading-bounds.ts';

/** A heading, and the text below it up to the next one. Both are plain and on one line. */
export interface HeadingSection {
  /** Empty for the text before the first heading. */
  readonly heading: string;
  readonly text: string;
}

/** How many letters of a text are searched, and how many of its headings are found: what follows is of the last one. */
const MAX_LETTERS = 200_000;
const MAX_HEADINGS = 200;

const parser = unified().use(remarkParse).use(remarkGfm).freeze();

/** The sections of Markdown, first the text before all headings. One that takes too long to read is a single section. */
export function headingSections(markdown: string): HeadingSection[] {
  const source = prefix(markdown, MAX_LETTERS);
  const whole = [{ heading: '', text: onOneLine(source) }];
  if (readingBounds().problem(source) !== undefined) return whole;
  const tree = parser.parse(source);
  if (isNestedTooDeeply(tree)) return whole;
  const sections: { heading: string; texts: string[] }[] = [{ heading: '', texts: [] }];
  for (const block of tree.children) {
    const text = blockText(block);
    const isHeading = block.type === 'heading' && text.trim() !== '';
    if (isHeading && sections.length <= MAX_HEADINGS) sections.push({ heading: text, texts: [] });
    else sections.at(-1)?.texts.push(text);
  }
  return sections.map(({ heading, texts }) => ({
    heading: onOneLine(heading),
    text: onOneLine(texts.join(' ')),
  }));
}

/** Blocks whose children are blocks: without a space, the last word of one would be joined to the first of the next. */
const CONTAINERS = new Set(['blockquote', 'list', 'listItem', 'table', 'tableRow']);

function blockText(node: Nodes): string {
  return CONTAINERS.has(node.type) && 'children' in node
    ? node.children.map(blockText).join(' ')
    : textOfNode(node, { includeHtml: false });
}

const onOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
