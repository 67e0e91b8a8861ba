import type { Location } from './json-pointer.ts';
import type { Syntax } from './openapi-types.ts';

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

export const tooDeep = (line: number | null): SyntaxProblem => ({
  message: `Arrays and objects lie more than ${MAX_DEPTH} deep in each other here. Put the inner ones into components and refer to them with $ref.`,
  path: '',
  line,
});
