import { type Html, html } from '@petstore/http/html.ts';

/**
 * Whatever could be a mark of CommonMark or of GitHub's extensions where it stands. A mark within a word, such as that of
 * `read-only` or `first_name`, is a letter; most descriptions have no other.
 */
const MARKS = new RegExp(
  [
    '[*`~]',
    // Emphasis does not begin or end within a word.
    '(?<![\\p{L}\\p{N}])_|_(?![\\p{L}\\p{N}])',
    // Links and definitions; entities; HTML; escapes.
    '\\](?=[[(:])|&(?=[#a-z])|<(?=[a-z/!?])|\\\\(?=[!-/:-@[-`{-~\\n])',
    // Links without brackets.
    'https?:|www\\.|@',
    // At the beginning of a line: headings, quotes, lists, tables, rules, definitions, indented code.
    '^[ \\t]*(?:[-+=#>|:]|\\d{1,9}[.)]|\\[)|^(?: {4}| {0,3}\\t)',
    // A line break.
    '  \\r?\\n',
  ].join('|'),
  'imu',
);

/** Whether Markdown would make nothing but paragraphs out of a text. */
export const isPlain = (text: string): boolean => !MARKS.test(text);

/** A text as paragraphs, with all of its marks. */
export function paragraphs(text: string): Html {
  const parts: string[][] = [[]];
  for (const line of text.split('\n')) {
    const words = line.trim();
    if (words !== '') parts.at(-1)?.push(words);
    else if (parts.at(-1)?.length !== 0) parts.push([]);
  }
  return html`${parts.filter((lines) => lines.length > 0).map((lines) => html`<p>${lines.join('\n')}</p>`)}`;
}
