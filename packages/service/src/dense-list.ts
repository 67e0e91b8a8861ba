interface Entry<T> {
  readonly value: T;
  at: number;
}

/** Removes a value from the list that it was added to. A second call does nothing. */
export type Remove = () => void;

/**
 * A set of values that come and go with each request, in no order.
 *
 * A Set would do, but for the garbage collector: V8's Set moves to a new table every so many changes, and the old table
 * refers to the new one for iterators that are under way. Once a table is in the old generation, it keeps all later
 * tables alive until a full collection, and with them each value that was ever in one. For the requests under way, that
 * made every minor collection six times as long.
 */
export class DenseList<T> {
  readonly #entries: Entry<T>[] = [];

  get size(): number {
    return this.#entries.length;
  }

  add(value: T): Remove {
    const entries = this.#entries;
    const entry: Entry<T> = { value, at: entries.length };
    entries.push(entry);
    return () => this.#remove(entry);
  }

  /** Removes the values that are not to be kept. */
  retain(isKept: (value: T) => boolean): void {
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const entry = this.#entries[at];
      if (entry && !isKept(entry.value)) this.#remove(entry);
    }
  }

  /** The values that are in the list now; it may change meanwhile. */
  values(): T[] {
    return this.#entries.map(({ value }) => value);
  }

  #remove(entry: Entry<T>): void {
    const entries = this.#entries;
    if (entries[entry.at] !== entry) return;
    const last = entries.pop();
    // The last value fills the gap.
    if (last === undefined || last === entry) return;
    last.at = entry.at;
    entries[entry.at] = last;
  }
}
