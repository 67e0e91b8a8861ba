// How texts become terms: the same for the index, which Node makes, and for queries in the browser.
// @ts-check

const WORD = /[\p{L}\p{N}_]+/gu;

/** Scripts that do not separate words by spaces. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;

/**
 * Letters without case, width and accents.
 * @param {string} text
 */
export function fold(text) {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .normalize('NFC')
    .toLowerCase();
}

/** @param {string} text */
const words = (text) => text.normalize('NFKC').match(WORD) ?? [];

/**
 * The terms of a text: its words; the parts of `listPets` and `pet_id`; of scripts without spaces, letters and pairs of
 * letters.
 * @param {string} text
 * @returns {string[]}
 */
export function indexTerms(text) {
  return words(text).flatMap((word) => {
    const parts = word.split(/_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u).filter((part) => part !== '');
    const whole = fold(word);
    return [
      ...spaced(whole),
      ...(parts.length > 1 ? parts.map(fold) : []),
      ...unspaced(whole).flatMap((run) => [...run, ...pairs(run)]),
    ];
  });
}

/**
 * The terms that a text must have to be found by `query`.
 * @param {string} query
 * @returns {string[]}
 */
export function queryTerms(query) {
  return words(query).flatMap((word) => {
    const whole = fold(word);
    return [
      ...spaced(whole),
      ...unspaced(whole).flatMap((run) => ([...run].length === 1 ? [run] : pairs(run))),
    ];
  });
}

/** @param {string} word */
const unspaced = (word) => word.match(UNSPACED) ?? [];

/** @param {string} word */
const spaced = (word) => word.split(UNSPACED).filter((part) => part !== '');

/** @param {string} run */
function pairs(run) {
  const letters = [...run];
  return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}

/** The options of MiniSearch for both sides. */
export const INDEX_OPTIONS = {
  fields: ['title', 'page', 'names', 'text'],
  storeFields: ['title', 'page', 'excerpt', 'href', 'method'],
  tokenize: indexTerms,
  /** @param {string} term */
  processTerm: (term) => term,
};
