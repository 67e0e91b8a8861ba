/** How long a failed write counts, in milliseconds, where no later one tells otherwise. */
const FAILURE_LASTS_MS = 5_000;

/** How long a write may be under way before it counts as one that does not succeed, in milliseconds. */
const STUCK_MS = 2_000;

/**
 * Remembers how the last writes went. Reads may go on while no write can, on a full disk for instance,
 * where something small may even still fit: nothing that is tried then proves that writes succeed.
 */
export class WriteHealth {
  #failure: { readonly cause: unknown; readonly at: number } | undefined;
  #begunAt = Infinity;

  /** Of the writes that are told of, one is under way at a time. */
  began(): void {
    this.#begunAt = performance.now();
  }

  /** One ended in a way that says nothing. */
  ended(): void {
    this.#begunAt = Infinity;
  }

  failed(cause: unknown): void {
    this.#begunAt = Infinity;
    this.#failure = { cause, at: performance.now() };
  }

  succeeded(): void {
    this.#begunAt = Infinity;
    this.#failure = undefined;
  }

  /** Whether the write that is under way takes too long. */
  get isStuck(): boolean {
    return performance.now() - this.#begunAt > STUCK_MS;
  }

  /** Whether a write succeeded since the last one that failed. */
  get isGood(): boolean {
    return this.#failure === undefined;
  }

  /** Why a write failed a moment ago; undefined where none did. */
  get recentFailure(): unknown {
    const { cause, at } = this.#failure ?? { at: Number.NEGATIVE_INFINITY };
    return performance.now() - at < FAILURE_LASTS_MS ? cause : undefined;
  }
}
