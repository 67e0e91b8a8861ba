import type { Syntax } from '../document/openapi-types.ts';

/** What was read: the value, and how to find a place of it in the text. */
export interface Source {
  readonly syntax: Syntax;
  readonly value: unknown;
  /** The line of a place, 1 for the first; of what is around it when there is nothing there. */
  lineOf(location: Location): number | null;
}

/** How deeply arrays and objects may lie in each other: what follows goes down as deep. */
export const MAX_DEPTH = 200;

/** What is wrong with a text before it is a document. */
export interface SyntaxProblem {
  readonly message: string;
  /** A JSON pointer where one is known, else empty. */
  readonly path: string;
  readonly line: number | null;
}

export const nestingProblem = (line: number | null): SyntaxProblem => ({
  message: `Arrays and objects lie more than ${MAX_DEPTH} deep in each other here. Put the inner ones into components and refer to them with $ref.`,
  path: '',
  line,
});

/** The line of a text in which an offset lies, without its end. */
export function lineText(text: string, offset: number): string {
  const end = text.indexOf('\n', offset);
  return text.slice(offset - columnOf(text, offset), end < 0 ? undefined : end);
}

/** How many characters of its line come before an offset. */
export function columnOf(text: string, offset: number): number {
  return offset === 0 ? 0 : offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

/** Names of members and numbers of items, from the root. */
export type Location = readonly (string | number)[];

/** RFC 6901. */
export function toPointer(location: Location): string {
  return location
    .map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

export function fromPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What is at a location of a document; undefined when there is nothing. */
export function valueAt(document: unknown, location: Location): unknown {
  let value = document;
  for (const token of location) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token))
      return undefined;
    value = (value as Record<string | number, unknown>)[token];
  }
  return value;
}
