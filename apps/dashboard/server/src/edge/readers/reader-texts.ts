import { MAX_SENTENCE } from '../../readers/counted.ts';

/** Characters of a search that are kept: the dialog takes 200. */
const MAX_SEARCH = 100;

/** What may stand for a person, or lets somebody in: an e-mail address, a number longer than a day's, a key. */
const PRIVATE = /\S@\S|\d(?:[\s().+-]*\d){8}|(?=[^\s]*\d)(?=[^\s]*[a-z])[^\s/]{20,}/i;

/** Characters that are seen nowhere, or turn others around. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu;

/** What joins letters in some scripts, and emoji. */
const JOINERS = /[\u200c\u200d]/;

/**
 * A search as it is counted: in lower case, with single spaces, so that one thing that many look for is one row. Empty
 * where it is too long to be a name, or may be private: then it counts among the others.
 */
export function searchName(query: string): string {
  const name = cleaned(query).toLowerCase();
  return name.length > MAX_SEARCH || PRIVATE.test(name) ? '' : name;
}

/** What a reader wrote, on one line, without control characters; cut where it is too long. */
export function sentenceText(text: string): string {
  const plain = cleaned(text);
  if (plain.length <= MAX_SENTENCE) return plain;
  // Not through the middle of a character.
  return plain.slice(0, MAX_SENTENCE).replace(/[\ud800-\udbff]$/, '');
}

const cleaned = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .replace(CONTROLS, (character) => (JOINERS.test(character) ? character : ''))
    .replace(/ {2,}/g, ' ')
    .trim();
