import type { Metrics } from '../telemetry/instruments.ts';

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
