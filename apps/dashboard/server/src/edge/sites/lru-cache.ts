interface Entry<T> {
  readonly value: T;
  readonly weight: number;
}

/**
 * Keeps values by name, bounded by what they weigh together; what was not asked for lately goes first.
 *
 * There are two generations: values come into the recent one, and back into it when they are asked for.
 * When it is half of the bound, it becomes the older one, and what was that until then is dropped. So
 * between half of the bound and all of it is in use, and to get a recent value moves nothing.
 */
export class LruCache<T> {
  readonly #maxRecent: number;
  #recent = new Map<string, Entry<T>>();
  #older = new Map<string, Entry<T>>();
  #recentWeight = 0;

  /** Nothing that weighs more than half of `maxWeight` is kept. */
  constructor(maxWeight: number) {
    this.#maxRecent = maxWeight / 2;
  }

  get(name: string): T | undefined {
    const recent = this.#recent.get(name);
    if (recent) return recent.value;
    const older = this.#older.get(name);
    if (!older) return undefined;
    this.#older.delete(name);
    this.#add(name, older);
    return older.value;
  }

  /** Keeps a value in place of one that has the name already. */
  set(name: string, value: T, weight = 1): void {
    this.delete(name);
    if (weight <= this.#maxRecent) this.#add(name, { value, weight });
  }

  delete(name: string): void {
    this.#recentWeight -= this.#recent.get(name)?.weight ?? 0;
    this.#recent.delete(name);
    this.#older.delete(name);
  }

  /** Takes time in proportion to what is kept: some milliseconds for 100,000 values. */
  deleteWhere(isDoomed: (value: T) => boolean): void {
    for (const generation of [this.#recent, this.#older]) {
      for (const [name, { value }] of generation) if (isDoomed(value)) this.delete(name);
    }
  }

  clear(): void {
    this.#recent.clear();
    this.#older.clear();
    this.#recentWeight = 0;
  }

  #add(name: string, entry: Entry<T>): void {
    if (this.#recentWeight + entry.weight > this.#maxRecent) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#recentWeight = 0;
    }
    this.#recent.set(name, entry);
    this.#recentWeight += entry.weight;
  }
}
