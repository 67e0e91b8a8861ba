/** How long a failed write counts, in milliseconds, unless a later write succeeds. */
const FAILURE_LASTS_MS = 5_000;

/** How long a write may be under way before it counts as failing, in milliseconds. */
const STUCK_MS = 2_000;

/**
 * Remembers how the last writes went. Reads may succeed while no write does, on a full disk for instance, where a small
 * write may even still fit. So a trial write would not prove that writes succeed.
 */
export class WriteHealth {
  #failure: { readonly cause: unknown; readonly at: number } | undefined;
  #begunAt = Infinity;

  /** One write at a time is reported here. */
  began(): void {
    this.#begunAt = performance.now();
  }

  /** A write ended in a way that says nothing about the database. */
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

  /** Whether a write has succeeded since the last failure. */
  get isGood(): boolean {
    return this.#failure === undefined;
  }

  /** The error of a write that failed a moment ago; undefined where none did. */
  get recentFailure(): unknown {
    const { cause, at } = this.#failure ?? { at: Number.NEGATIVE_INFINITY };
    return performance.now() - at < FAILURE_LASTS_MS ? cause : undefined;
  }
}
