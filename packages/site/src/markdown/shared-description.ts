import { truncate } from '@petstore/service/text.ts';
import { isObject, textOf } from '../openapi/openapi-types.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { linked } from './description-links.ts';
import { closed } from './markdown-text.ts';

/**
 * The most letters of a description that several operations share. It is repeated in each, and hundreds of repetitions
 * would make a small document large.
 */
export const MAX_SHARED = 500;

/** The description of `given`, or of what it refers to: in full where the operation has it to itself. */
export function descriptionOf(
  context: ReferenceContext,
  given: unknown,
  { description }: Record<string, unknown>,
): string {
  const text = linked(context, textOf(description)).trim();
  const isOwn = !isObject(given) || given.$ref === undefined;
  return isOwn ? closed(text) : closed(truncate(text, MAX_SHARED));
}
