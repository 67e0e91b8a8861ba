import { truncate } from '@petstore/service/text.ts';

/** The most letters of a sentence, of names of operations or of a place: a name may have a megabyte. */
const MAX_LETTERS = 1_000;

/** Controls and other ends of lines, and what turns the order of letters around (Unicode, annex 9). */
const UNSEEN = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu;

/** Text of a document's author, which moves no cursor, breaks no line and shows in the order in which it is written. */
export const oneLine = (text: string): string =>
  truncate(text, MAX_LETTERS).toWellFormed().replace(UNSEEN, ' ');
