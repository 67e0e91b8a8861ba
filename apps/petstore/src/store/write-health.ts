/** How long a failed write counts, in milliseconds, where no later one tells otherwise. */
const FAILURE_LASTS_MS = 5_000;

/**
 * Remembers how the last writes went. Reads may go on while no write can, on a full disk for instance,
 * where something small may even still fit: nothing that is tried then proves that writes succeed.
 */
export class WriteHealth {
  #failure: { readonly cause: unknown; readonly at: number } | undefined;

  failed(cause: unknown): void {
    this.#failure = { cause, at: performance.now() };
  }

  succeeded(): void {
    this.#failure = undefined;
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
