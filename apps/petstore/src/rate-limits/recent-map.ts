/**
 * A map that forgets old entries: an entry stays for at least one lifetime and is gone after two, without work for each
 * entry. Times are in milliseconds of one clock.
 */
export class RecentMap<V> {
  readonly #lifetimeMs: number;
  #recent = new Map<string, V>();
  #older = new Map<string, V>();
  #turnsAt = Number.NEGATIVE_INFINITY;

  constructor(lifetimeMs: number) {
    this.#lifetimeMs = lifetimeMs;
  }

  get(key: string): V | undefined {
    return this.#recent.get(key) ?? this.#older.get(key);
  }

  set(key: string, value: V, now: number): void {
    if (now >= this.#turnsAt) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#turnsAt = now + this.#lifetimeMs;
    }
    this.#recent.set(key, value);
  }
}
