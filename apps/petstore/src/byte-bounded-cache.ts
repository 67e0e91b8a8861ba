/** What an entry weighs besides what its owner says, in bytes. */
const ENTRY_BYTES = 200;

/**
 * Keeps values by name, bounded by what they weigh together; the oldest goes first. It knows nothing
 * of time: whoever holds it empties it when what it was made from has changed.
 */
export class ByteBoundedCache<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly bytes: number }>();
  readonly #maxBytes: number;
  #bytes = 0;
  /** How often what was asked for was there, and how often it was not. */
  hits = 0;
  misses = 0;

  /** `maxBytes` is what the entries may weigh together; 0 keeps none. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** What the entries weigh together. */
  get bytes(): number {
    return this.#bytes;
  }

  get(name: string): T | undefined {
    const entry = this.#entries.get(name);
    if (entry) this.hits++;
    else this.misses++;
    return entry?.value;
  }

  /** Keeps a value that weighs `bytes`, in place of one that has the name already. */
  set(name: string, value: T, bytes: number): void {
    this.#delete(name);
    const weight = bytes + 2 * name.length + ENTRY_BYTES;
    this.#entries.set(name, { value, bytes: weight });
    this.#bytes += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#delete(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #delete(name: string): void {
    this.#bytes -= this.#entries.get(name)?.bytes ?? 0;
    this.#entries.delete(name);
  }
}
