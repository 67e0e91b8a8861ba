const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The wait before each retry, in milliseconds: the schedule that Standard Webhooks recommends. */
const WAITS_MS = [
  5 * SECOND_MS, // a restart of the receiver, a lost packet
  5 * MINUTE_MS, // a deploy of the receiver
  30 * MINUTE_MS,
  2 * HOUR_MS, // an outage: somebody is at it
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS, // a night
  20 * HOUR_MS,
  24 * HOUR_MS, // three days after the first attempt; then it is given up
];

/** The longest Retry-After, in milliseconds. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/** The share of a wait by which it is longer at most, so that what failed together is not retried together. */
const JITTER = 0.1;

/**
 * When to retry after `attempts` attempts, the last of which ended at `at`: at the receiver's Retry-After, but not
 * before the table's wait. null: not any more.
 */
export function nextAttemptAt(attempts: number, at: number, retryAfterMs = 0): number | null {
  const wait = WAITS_MS[attempts - 1];
  if (wait === undefined) return null;
  const retryAfter = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
  return at + Math.round(Math.max(wait, retryAfter) * (1 + Math.random() * JITTER));
}
