interface Entry<T> {
  readonly value: T;
  at: number;
}

/** What takes a value off the list it was added to; the second time it does nothing. */
export type Remove = () => void;

/**
 * Values that come and go with each request, in no order.
 *
 * A Set would do, but for the collector of garbage: V8's Set moves to a new table every so many changes, and
 * the old table keeps hold of the new one for iterators that are under way. One table that got old so keeps
 * all later ones alive until a full collection, and with them each value that was ever on one. Of the
 * requests under way that made every minor collection six times as long.
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

  /** Takes off what is not to be kept. */
  retain(isKept: (value: T) => boolean): void {
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const entry = this.#entries[at];
      if (entry && !isKept(entry.value)) this.#remove(entry);
    }
  }

  /** Those that are on the list now; it may change meanwhile. */
  values(): T[] {
    return this.#entries.map(({ value }) => value);
  }

  #remove(entry: Entry<T>): void {
    const entries = this.#entries;
    if (entries[entry.at] !== entry) return;
    const last = entries.pop();
    // Into the gap, unless it leaves none.
    if (last === undefined || last === entry) return;
    last.at = entry.at;
    entries[entry.at] = last;
  }
}
