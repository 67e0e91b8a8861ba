import {
  isObject,
  type OpenApiDocument,
  type PlaceOf,
} from '@petstore/site/openapi/openapi-types.ts';
import { decodeUri } from '@petstore/site/syntax/decode-uri.ts';
import { fromPointer, toPointer } from '@petstore/site/syntax/source.ts';

/** A document to compare: OpenAPI 3.0, 3.1 or 3.2, one file (references lead to places of it). */
export interface ComparedDocument {
  readonly document: OpenApiDocument;
  /** Where a place of the document, a JSON pointer, is in the files that it was made of. */
  readonly placeOf: PlaceOf;
}

/** A value of a document, and where it is. */
export interface At {
  readonly value: unknown;
  /** A JSON pointer, behind references. */
  readonly pointer: string;
}

/** References on the way to a value. A circle of them has no end. */
const MAX_HOPS = 50;

/** Finds values in a document, through references. */
export class ApiDocument {
  readonly root: At;
  readonly placeOf: PlaceOf;
  /** OpenAPI 3.0 knows `nullable`, limits that are true or false, and nothing beside `$ref`. */
  readonly isOf30: boolean;
  readonly #targets = new Map<string, At>();

  constructor({ document, placeOf }: ComparedDocument) {
    this.root = { value: document, pointer: '' };
    this.placeOf = placeOf;
    this.isOf30 = typeof document.openapi === 'string' && document.openapi.startsWith('3.0');
  }

  /** What a value is, or what it refers to. A reference to nothing has the value undefined. */
  follow(at: At, left = MAX_HOPS): At {
    const { value } = at;
    if (!isObject(value) || typeof value.$ref !== 'string') return at;
    return left === 0
      ? { value: undefined, pointer: at.pointer }
      : this.target(value.$ref, left - 1);
  }

  /** What a reference of the form `#/…` leads to, through other references. */
  target(reference: string, left = MAX_HOPS): At {
    const known = this.#targets.get(reference);
    if (known) return known;
    let at: At = /^#(?:\/|$)/.test(reference) ? this.root : NOTHING;
    for (const token of fromPointer(decodeUri(reference.slice(1)))) {
      const holder = this.follow(at, left);
      at = memberOf(holder, token) ?? NOTHING;
    }
    const found = this.follow(at, left);
    this.#targets.set(reference, found);
    return found;
  }

  /** A member of an object, behind references; undefined where it is not there. */
  member(holder: At, name: string | number): At | undefined {
    const found = memberOf(holder, name);
    return found && this.follow(found);
  }

  /** The members of an object's member, by their names: `{responses: {200: …}}`. Extension fields are none. */
  named(holder: At, name: string): Map<string, At> {
    const map = this.member(holder, name);
    const members = new Map<string, At>();
    if (!map || !isObject(map.value)) return members;
    for (const key of Object.keys(map.value)) {
      const found = key.startsWith('x-') ? undefined : this.member(map, key);
      if (found) members.set(key, found);
    }
    return members;
  }

  /** The items of an object's member that is a list. */
  items(holder: At, name: string): At[] {
    const list = this.member(holder, name);
    if (!list || !Array.isArray(list.value)) return [];
    return list.value.flatMap((_, index) => this.member(list, index) ?? []);
  }
}

const NOTHING: At = { value: undefined, pointer: '' };

/** A member as it is written; undefined where there is none. */
export function memberOf({ value, pointer }: At, name: string | number): At | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return {
    value: (value as Record<string | number, unknown>)[name],
    pointer: `${pointer}${toPointer([name])}`,
  };
}

/** The value of a member as it is written. */
export const memberValue = ({ value }: At, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** A member that is text, otherwise undefined. */
export function textIn(at: At, name: string): string | undefined {
  const value = memberValue(at, name);
  return typeof value === 'string' ? value : undefined;
}
