export type Syntax = 'JSON' | 'YAML';

/** A parsed text: its value, and how to find a place of the value in the text. */
export interface Source {
  readonly syntax: Syntax;
  readonly value: unknown;
  /** The line of a place, 1 for the first. Where there is nothing at the place, the line of what is around it. */
  lineOf(location: Location): number | null;
}

/**
 * The deepest nesting of arrays and objects: enough for 300 schemas in each other, each of which takes two. Later
 * recursion is as deep: to write YAML, a stack of the usual size is exhausted at 680. The thread of builds has a larger one.
 */
export const MAX_DEPTH = 640;

/** A problem that keeps a text from being parsed. */
export interface SyntaxProblem {
  readonly message: string;
  /** A JSON pointer, or empty where none is known. */
  readonly path: string;
  readonly line: number | null;
}

export const nestingProblem = (line: number | null): SyntaxProblem => ({
  message: `Arrays and objects lie more than ${MAX_DEPTH} deep in each other here. Put the inner ones into components and refer to them with $ref.`,
  path: '',
  line,
});

/** The line of a text that has an offset, without its end. */
export function lineText(text: string, offset: number): string {
  const end = text.indexOf('\n', offset);
  return text.slice(offset - columnOf(text, offset), end < 0 ? undefined : end);
}

/** The column of an offset: how many characters of its line precede it. */
export function columnOf(text: string, offset: number): number {
  return offset === 0 ? 0 : offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

/** Names of members and numbers of items, from the root. */
export type Location = readonly (string | number)[];

/** RFC 6901. */
export function toPointer(location: Location): string {
  let pointer = '';
  for (const token of location) pointer += `/${escaped(String(token))}`;
  return pointer;
}

/** Most names have neither: to replace them takes longer than to look. */
const escaped = (token: string): string =>
  token.includes('~') || token.includes('/')
    ? token.replaceAll('~', '~0').replaceAll('/', '~1')
    : token;

export function fromPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a location of a document; undefined where there is none. */
export function valueAt(document: unknown, location: Location): unknown {
  let value = document;
  for (const token of location) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token))
      return undefined;
    value = (value as Record<string | number, unknown>)[token];
  }
  return value;
}
