import { parseJson } from '@petstore/site/syntax/exact-text.ts';
import { fromPointer } from '@petstore/site/syntax/source.ts';
import { type DocumentParts, SEPARATOR } from './document-parts.ts';

/**
 * The most bytes of a document that are parsed for one operation: some ten milliseconds. The largest operations of
 * real documents need a tenth.
 */
const MAX_PARSED_BYTES = 2_000_000;

/** The most names that lead to a part. */
const MAX_NAMES = 3;

/** A document of which single parts are parsed when they are needed, each once. */
export interface PartialDocument {
  /** Whether the document has a value at a place that `find` would give, or at a part that leads to it. */
  has(names: readonly string[]): boolean;
  /** The value at the names that lead to it; undefined where there is none, or too much was parsed already. */
  find(names: readonly string[]): unknown;
  /** The value at a pointer such as `#/components/schemas/Pet`; undefined also for other references. */
  at(pointer: string): unknown;
}

export function partialDocument(bytes: Buffer, { spans }: DocumentParts): PartialDocument {
  const parsed = new Map<string, unknown>();
  let left = MAX_PARSED_BYTES;
  const part = (key: string): unknown => {
    const span = spans.get(key);
    if (!span) return undefined;
    const known = parsed.get(key);
    if (known !== undefined) return known;
    const [start, end] = span;
    left -= end - start;
    if (left < 0) return undefined;
    const value = parseJson(bytes.toString('utf8', start, end));
    parsed.set(key, value);
    return value;
  };
  const find = (names: readonly string[]): unknown => {
    // The smallest part that has the place.
    for (let count = Math.min(MAX_NAMES, names.length); count > 0; count -= 1) {
      const key = names.slice(0, count).join(SEPARATOR);
      if (spans.has(key)) return valueIn(part(key), names.slice(count));
    }
    return undefined;
  };
  return {
    has: (names) => spans.has(names.join(SEPARATOR)),
    find,
    at(pointer) {
      const names = namesOf(pointer);
      return names && find(names);
    },
  };
}

/** The names of a pointer within the document; undefined for other references. */
export function namesOf(pointer: string): string[] | undefined {
  if (!pointer.startsWith('#/')) return undefined;
  try {
    return fromPointer(decodeURIComponent(pointer.slice(1)));
  } catch {
    return fromPointer(pointer.slice(1));
  }
}

function valueIn(whole: unknown, names: readonly string[]): unknown {
  let value = whole;
  for (const name of names) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
