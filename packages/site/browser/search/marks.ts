import { fold, squash, WORD } from '../../src/search/terms.ts';
import { type Child, element } from '../panel/dom.ts';

/** How many letters of a text are shown, and how many of them at most before the first match. */
const LENGTH = 150;
const BEFORE = 40;

const characters = new Intl.Segmenter();

/** The terms that are worth a mark: single letters are in every word, and long ones say most. */
export function markedTerms(terms: readonly string[]): string[] {
  return terms.filter((term) => !/^\w$/.test(term)).sort((a, b) => b.length - a.length);
}

/** The text, with the matches marked. It is never parsed as HTML, since it may be anything. */
export function marked(text: string, terms: readonly string[]): Child[] {
  const parts: Child[] = [];
  let done = 0;
  for (const [start, end] of matchesIn(text, terms)) {
    parts.push(text.slice(done, start), element('mark', {}, text.slice(start, end)));
    done = end;
  }
  return [...parts, text.slice(done)];
}

/** The part of a text around the first match. */
export function stretch(text: string, terms: readonly string[]): string {
  const [first] = matchesIn(text, terms);
  const isFar = first !== undefined && first[0] > BEFORE;
  const from = isFar ? text.lastIndexOf(' ', first[0] - BEFORE) + 1 : 0;
  // Between two characters as readers see them.
  const end = characters.segment(text).containing(from + LENGTH)?.index ?? text.length;
  return `${from > 0 ? '… ' : ''}${text.slice(from, end)}${end < text.length ? ' …' : ''}`;
}

/** Where terms stand in a text: `[start, end]`, in order. */
function matchesIn(text: string, terms: readonly string[]): [start: number, end: number][] {
  const found: [number, number][] = [];
  for (const { 0: word, index: start } of text.matchAll(WORD)) {
    const folded = fold(word);
    const term = terms.find((one) => folded.includes(one) || squash(word).includes(one));
    if (term === undefined) continue;
    const at = folded.indexOf(term);
    // Folding can change the length, and a name may be typed without its `_`: then the whole word is marked.
    const isPart = at !== -1 && folded.length === word.length;
    found.push(isPart ? [start + at, start + at + term.length] : [start, start + word.length]);
  }
  return found;
}
