import type { Rule } from '../rules.ts';
import type { Location, Source } from '../syntax/source.ts';
import type { FoundPlace } from './openapi-types.ts';

/** What is against the specification at a place, before its line is looked up. */
export interface DocumentFinding {
  readonly rule: Rule;
  readonly message: string;
  /** A JSON pointer. */
  readonly path: string;
  /** Where it is, where that is not at the pointer: a document may be made of several files. */
  readonly place?: FoundPlace;
  /**
   * A sentence for the end of the message, with what was probably meant. It is computed only for problems that are
   * reported.
   */
  readonly hint?: (lineOf: Source['lineOf']) => string | undefined;
}

/** `It has `titel` on line 3: did you mean `title`?` */
export function misspellingHint(
  member: string,
  location: Location,
  lineOf: Source['lineOf'],
  meant: unknown,
): string {
  const line = lineOf(location);
  return `It has \`${member}\`${line === null ? '' : ` on line ${line}`}: did you mean \`${meant}\`?`;
}
