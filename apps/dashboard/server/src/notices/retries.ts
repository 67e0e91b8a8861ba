const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long is waited before each further attempt, in milliseconds: the schedule that Standard Webhooks recommends. */
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

/** What a receiver may ask for at most, in milliseconds. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/** A part of each wait by which it may be longer, so that what failed together does not come back together. */
const JITTER = 0.1;

/**
 * When to try again after `attempts` attempts, the last of which ended at `at`: as the receiver asks, but no
 * sooner than the table says. null: no more.
 */
export function nextAttemptAt(attempts: number, at: number, retryAfterMs = 0): number | null {
  const wait = WAITS_MS[attempts - 1];
  if (wait === undefined) return null;
  const asked = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
  return at + Math.round(Math.max(wait, asked) * (1 + Math.random() * JITTER));
}
