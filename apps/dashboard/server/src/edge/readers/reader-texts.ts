import { MAX_NAME, MAX_SENTENCE } from '../../readers/counted.ts';

/** Characters of a search that are kept: the dialog takes 200. */
const MAX_SEARCH = 100;

/**
 * What may stand for a person, or lets somebody in: an e-mail address, a number longer than a day's, a key. With the
 * digits of all alphabets.
 */
const PRIVATE = /\S@\S|\p{Nd}(?:[\s().+-]*\p{Nd}){8}|(?=\S*\p{Nd})(?=\S*[a-z])[^\s/]{20,}/iu;

/** The same in a path, which may well have a package's scope, dates and the names of operations. */
const PRIVATE_IN_PATH =
  /[^\s/@]@[^\s/@]+\.\p{L}{2,}|\p{Nd}{9}|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/iu;
const MAY_BE_KEY = /\w{24,}/g;
const MIN_KEY_DIGITS = 4;

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
  return name.length > MAX_SEARCH || PRIVATE.test(name.normalize('NFKC')) ? '' : name;
}

/**
 * A path as it is counted where nothing is there, or where that led: whoever made the link may have put something in it
 * that is about the reader. Empty where it is too long to be a name, may be private, or has characters that are seen
 * nowhere, as no address bar shows it: then it counts among the others.
 */
export function pathName(path: string): string {
  if (path.length > MAX_NAME) return '';
  const isVisible = (path.match(CONTROLS) ?? []).every((character) => JOINERS.test(character));
  return isVisible && !mayBePrivate(path.normalize('NFKC')) ? path : '';
}

function mayBePrivate(path: string): boolean {
  if (PRIVATE_IN_PATH.test(path)) return true;
  const isKey = (word: string) =>
    /[a-z]/i.test(word) && word.replace(/\D/g, '').length >= MIN_KEY_DIGITS;
  return (path.match(MAY_BE_KEY) ?? []).some(isKey);
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
