import { distance } from '@petstore/service/nearest.ts';

/** A word that may have been meant, and how near it is: less than 1. */
export interface NearWord {
  readonly word: string;
  readonly nearness: number;
}

/** How many words are taken for a mistyped one. */
const MAX_NEAR = 6;

/** Shorter words are near to everything. */
const MIN_LENGTH = 3;

/** From this length on, a word may have two errors. */
const TWO_ERRORS = 7;

/** By the number of errors. */
const NEARNESS = [1, 0.6, 0.4] as const;

/** A word that goes on after what was typed is less probable. */
const UNFINISHED = 0.75;

/** The words that differ from `typed`, or begin with what does, by a typing error or two. The nearest come first. */
export function nearWords(typed: string, words: readonly string[]): NearWord[] {
  if (typed.length < MIN_LENGTH) return [];
  const most = typed.length >= TWO_ERRORS ? 2 : 1;
  const letters = new Set(typed);
  const found: NearWord[] = [];
  for (const word of words) {
    if (word.length < typed.length - most || !beginAlike(typed, word)) continue;
    if (!hasLetters(word, letters, most)) continue;
    const nearness = nearnessOf(typed, word, most);
    if (nearness > 0) found.push({ word, nearness });
  }
  return found.sort((a, b) => b.nearness - a.nearness).slice(0, MAX_NEAR);
}

/** One of the first two letters is right, if not in its place. Most words are left out by this. */
const beginAlike = (typed: string, word: string): boolean =>
  word[0] === typed[0] || word[1] === typed[1] || word[0] === typed[1] || word[1] === typed[0];

/** Each letter that the word does not have is an error. */
function hasLetters(word: string, letters: ReadonlySet<string>, most: number): boolean {
  let missing = 0;
  for (const letter of letters) {
    if (word.includes(letter)) continue;
    missing += 1;
    if (missing > most) return false;
  }
  return true;
}

function nearnessOf(typed: string, word: string, most: number): number {
  const isLong = word.length > typed.length + most;
  const whole = isLong ? Infinity : distance(typed, word, most);
  if (whole <= most) return NEARNESS[whole] ?? 0;
  const begun = distance(typed, word.slice(0, typed.length), most);
  return begun <= most ? UNFINISHED * (NEARNESS[begun] ?? 0) : 0;
}
