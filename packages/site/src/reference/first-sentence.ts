import { prefix } from '@petstore/service/text.ts';

/** What ends with a full stop within a sentence. */
const SHORT = /(?:^|[\s(“"])(?:e\.g|i\.e|etc|vs|cf|incl|approx|no)\.$/i;

/** The first sentence of a plain text, of at most `most` letters: a longer one ends with an ellipsis, after a word. */
export function firstSentence(text: string, most: number): string {
  for (const { index } of text.matchAll(/[.!?](?=\s)/g)) {
    if (index >= most) break;
    const sentence = text.slice(0, index + 1);
    if (!SHORT.test(sentence) && !isOpen(sentence)) return sentence;
  }
  return cutAfterWord(text, most);
}

/** Whether a text ends within parentheses. */
const isOpen = (text: string) => text.lastIndexOf('(') > text.lastIndexOf(')');

/** A text of at most `most` letters: a longer one ends with an ellipsis, after a word. */
export function cutAfterWord(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = prefix(text, most - 1);
  const isWhole = /\s/.test(text[start.length] ?? '');
  // A text that is one word is cut within it.
  const words = isWhole ? start : start.replace(/\s+\S*$/, '');
  return `${words.replace(/[\s,;:]+$/, '')}…`;
}
