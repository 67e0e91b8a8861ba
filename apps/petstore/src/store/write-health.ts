import type { Metrics } from '@petstore/service/metrics/instruments.ts';

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

/** Histogram bounds of how many writes share a commit. */
const GROUP_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024];

/** Histogram bounds of how long a commit takes, in seconds: from a fast disk's fsync to a wait for a lock. */
const COMMIT_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/**
 * The metrics of every engine's writes. `queued` returns how many wait or are under way. Call the returned function for
 * each committed group, with its size and how long it took.
 */
export function writeMetrics(
  metrics: Metrics,
  queued: () => number,
): (writes: number, seconds: number) => void {
  metrics.gauge('petstore_write_queue_depth', 'Writes that wait or are under way.', queued);
  const sizes = metrics
    .histogram('petstore_commit_writes', 'Writes that shared a commit.', GROUP_BOUNDS)
    .with();
  const durations = metrics
    .histogram(
      'petstore_commit_duration_seconds',
      'Time of a commit, from the begin of its transaction until it is on disk.',
      COMMIT_BOUNDS,
    )
    .with();
  return (writes, seconds) => {
    sizes.observe(writes);
    durations.observe(seconds);
  };
}
