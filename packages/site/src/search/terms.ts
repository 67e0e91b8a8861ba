// How texts become terms: the same for the index, which the build makes, and for queries in the browser.

/** A word; the vowels of many scripts are marks in it. */
export const WORD = /[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*/gu;

/** Scripts that do not separate words by spaces. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;

/** Where a name has a new part: `list|Pets`, `HTTP|Server`, `pet_|id`. */
const PART = /_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u;

/** Nobody types more of a word, and encoded data has longer ones. */
const MAX_TERM = 40;

/** A word of more letters is no name: only its beginning is split into parts. */
const MAX_WORD = 400;

/** What a word of a query must match: the whole of it, or else all of its parts. */
export interface QueryTerm {
  readonly whole: string;
  /** The parts of `listPets` or `pet_id`; empty for a plain word. */
  readonly parts: readonly string[];
  /** Of a script without spaces: found exactly, never as the beginning of a longer term. */
  readonly isUnspaced: boolean;
}

/** ASCII has neither widths nor accents. Most titles are such, and hundreds are folded with each key. */
const PLAIN = /^[\x00-\x7f]*$/;

/** Accents; the points of Hebrew and Arabic, which few write; what makes a picture of a letter or a digit. */
const ACCENTS =
  /(?:[\u0300-\u036f]|[\u0591-\u05c7](?<=\p{M})|[\u064b-\u065f]|\u0670|[\u20d0-\u20ff]|[\ufe00-\ufe0f])+/gu;

/** Letters without case, width, accents and points. */
export function fold(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase();
}

/** A name as it is compared with another: `max_tokens`, `maxTokens` and `Max tokens` are the same. */
export function squash(text: string): string {
  return fold(text).replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
}

/** The words of a text, as they are written. */
export function wordsOf(text: string): readonly string[] {
  return text.normalize('NFKC').match(WORD) ?? [];
}

/**
 * The terms of a word: the whole of it without `_`; the parts of a name; of scripts without spaces, letters and pairs
 * of letters.
 */
export function wordTerms(word: string): string[] {
  const text = word.slice(0, MAX_WORD);
  const runs = unspaced(fold(text));
  return [...spaced(text), ...partsOf(text), ...runs.flatMap((run) => [...run, ...pairsOf(run)])];
}

/** The terms of a text. */
export function indexTerms(text: string): string[] {
  return wordsOf(text).flatMap(wordTerms);
}

/** What a text must have to be found by `query`. */
export function queryTerms(query: string): QueryTerm[] {
  return wordsOf(query).flatMap((word) => {
    const text = word.slice(0, MAX_WORD);
    const parts = partsOf(text);
    return [
      ...spaced(text).map((whole) => ({ whole, parts, isUnspaced: false })),
      ...unspaced(fold(text))
        .flatMap((run) => ([...run].length === 1 ? [run] : pairsOf(run)))
        .map((whole) => ({ whole, parts: [], isUnspaced: true })),
    ];
  });
}

const unspaced = (text: string): readonly string[] => text.match(UNSPACED) ?? [];

function spaced(word: string): string[] {
  const runs = fold(word).replaceAll('_', '').split(UNSPACED);
  return runs.filter((run) => run !== '').map((run) => run.slice(0, MAX_TERM));
}

function partsOf(word: string): string[] {
  const parts = word.split(PART).filter((part) => part !== '');
  return parts.length > 1 ? parts.flatMap(spaced) : [];
}

function pairsOf(run: string): string[] {
  const letters = [...run];
  return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}
