import { fromPointer, type Location, toPointer } from '../../syntax/source.ts';
import type { FoundPlace, PlaceOf } from '../openapi-types.ts';

/** Where a value stands in the text that it came from. */
export interface Origin {
  readonly source: PlaceOf;
  readonly around: Origin | undefined;
  /** undefined for the whole text. */
  readonly token: string | number | undefined;
}

/** Where the values of a document came from that overlays have changed. */
export class Origins {
  readonly #objects = new WeakMap<object, Origin>();
  /** Of members that came from elsewhere than the object around them. */
  readonly #members = new WeakMap<object, Map<string, Origin>>();
  readonly #most: number;
  #count = 0;

  /** `most`: how many values may be copied in all. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether too many values have been copied. */
  get isFull(): boolean {
    return this.#count > this.#most;
  }

  /** The origin of a place in a text. */
  of(source: PlaceOf, location: Location): Origin {
    let origin: Origin = { source, around: undefined, token: undefined };
    for (const token of location) origin = { source, around: origin, token };
    return origin;
  }

  /** A copy of JSON values, which shares nothing with them and remembers where they stand. */
  copy(value: unknown, origin: Origin): unknown {
    this.#count += 1;
    if (typeof value !== 'object' || value === null || this.isFull) return value;
    const inner = (token: string | number, member: unknown) =>
      this.copy(member, { source: origin.source, around: origin, token });
    const copied = Array.isArray(value)
      ? value.map((item, at) => inner(at, item))
      : // Not by assignment, which would set a prototype.
        Object.fromEntries(
          Object.entries(value).map(([name, member]) => [name, inner(name, member)]),
        );
    this.#objects.set(copied, origin);
    return copied;
  }

  /** Remembers where a member came from that is put into an object. */
  put(holder: object, token: string | number, origin: Origin): void {
    const members = this.#members.get(holder) ?? new Map<string, Origin>();
    members.set(String(token), origin);
    this.#members.set(holder, members);
  }

  /** Where the value at a place of the document stands. `source`: the places of what no overlay has changed. */
  placeOf(document: object, source: PlaceOf, pointer: string): FoundPlace {
    let value: unknown = document;
    let origin: Origin = this.#objects.get(document) ?? this.of(source, []);
    for (const token of fromPointer(pointer)) {
      const holder: unknown = value;
      const isHolder = typeof holder === 'object' && holder !== null;
      const member = isHolder ? this.#members.get(holder)?.get(token) : undefined;
      value = isHolder ? (holder as Record<string, unknown>)[token] : undefined;
      const own = typeof value === 'object' && value !== null ? this.#objects.get(value) : member;
      origin = own ?? { source: origin.source, around: origin, token };
    }
    const tokens: (string | number)[] = [];
    for (let at: Origin | undefined = origin; at !== undefined; at = at.around) {
      if (at.token !== undefined) tokens.unshift(at.token);
    }
    return origin.source(toPointer(tokens));
  }
}
