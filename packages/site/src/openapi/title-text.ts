import { truncate } from '@petstore/service/text.ts';
import { textOf } from './openapi-types.ts';

/** In letters. Pages list the titles of many others, and some authors write paragraphs. */
export const MAX_TITLE = 120;

/** Marks that turn the direction of what stands after them, too (Unicode, annex 9, section 2). */
const EMBEDDINGS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * A name or a title of the document on one line. It stands in lists, in links and in the browser's tab, so it has no
 * control characters, nor marks that would turn the text around it, and is cut with an ellipsis after `MAX_TITLE`. Empty
 * where nothing else is left, or for no text.
 */
export const titleText = (value: unknown): string => truncate(onOneLine(textOf(value)), MAX_TITLE);

/** Whether a title is cut. */
export const isLongTitle = (value: unknown): boolean => onOneLine(textOf(value)).length > MAX_TITLE;

const onOneLine = (text: string) =>
  text
    .toWellFormed()
    .replace(EMBEDDINGS, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
