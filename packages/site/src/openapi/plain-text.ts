import { toString as textOfNode } from 'mdast-util-to-string';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { isPlain } from '../markdown/plain-paragraphs.ts';

const markdown = unified().use(remarkParse);

/** Characters that may be a mark of Markdown: of emphasis, a link, a quote, an item, a heading or code. */
const MARKS = /[*_`[\]<>#=+~!&\\-]|\d[.)]/g;

/**
 * The parser's work grows with the square of the marks in a text, and with how deep it is nested: 40 kB of marks took
 * half a minute. A text is parsed up to these numbers of letters and marks, and all texts of a document together up to
 * this sum of the squares of their marks. Texts written for people rarely come near.
 */
const MAX_LETTERS = 20_000;
const MAX_MARKS = 1_000;
const MAX_WORK = 40_000_000;

/** A line with more nested quotes and items than any author means. */
const NESTED = /^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])){21}/m;

/** Makes Markdown plain, within bounds for all texts that are given to it. */
export interface PlainText {
  /** Markdown without its marks, on one line. The part beyond the bounds keeps its marks. `place` is a JSON pointer. */
  of(text: string, place?: string): string;
  /** The places of the texts that were beyond the bounds. */
  readonly unread: readonly string[];
}

export function plainText(): PlainText {
  let work = MAX_WORK;
  const unread: string[] = [];
  return {
    unread,
    of(text, place = '') {
      if (isPlain(text)) return onOneLine(text);
      const { end, marks } = readable(text, Math.min(MAX_MARKS, Math.floor(Math.sqrt(work))));
      work -= marks ** 2;
      if (end < text.length) unread.push(place);
      return onOneLine(`${withoutMarks(text.slice(0, end))} ${text.slice(end)}`);
    },
  };
}

const onOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** How much of a text is within the bounds: all of it, or up to the last space before the bound. */
function readable(text: string, most: number): { end: number; marks: number } {
  const start = text.slice(0, MAX_LETTERS);
  const cut = (at: number) => text.lastIndexOf(' ', at) + 1;
  let end = start.length < text.length ? cut(start.length) : text.length;
  end = Math.min(end, NESTED.exec(start)?.index ?? end);
  let marks = 0;
  for (const { index } of start.matchAll(MARKS)) {
    if (index >= end) break;
    if (marks === most) return { end: cut(index), marks };
    marks += 1;
  }
  return { end, marks };
}

function withoutMarks(text: string): string {
  return markdown
    .parse(text)
    .children.map((block) => textOfNode(block, { includeHtml: false }))
    .join(' ');
}
