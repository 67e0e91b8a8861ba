const MINUTE_MS = 60_000;

/** The share by which an interval is longer at most, so that repositories of one moment are not asked together for ever. */
const JITTER = 0.2;

/** The longest wait between two checks that fail, in milliseconds, unless the interval itself is longer. */
const MAX_WAIT_MS = 60 * MINUTE_MS;

/**
 * When a repository is asked again: every `pollSeconds`, and ever more seldom while checks fail. `failures`: how many
 * failed in a row.
 */
export function nextCheckAt(pollSeconds: number, failures: number, at: number): number {
  const interval = pollSeconds * 1_000;
  const wait = Math.min(interval * 2 ** Math.min(failures, 20), Math.max(interval, MAX_WAIT_MS));
  return at + Math.round(wait * (1 + Math.random() * JITTER));
}

/** The wait before each further fetch of a commit, in milliseconds. */
const FETCH_WAITS_MS = [
  30_000, // a restart of the host
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS, // an outage
];

/** When a commit is fetched again after `attempts` fetches that failed. */
export function nextFetchAt(attempts: number, at: number): number {
  const wait = FETCH_WAITS_MS[attempts - 1] ?? MAX_WAIT_MS;
  return at + Math.round(wait * (1 + Math.random() * JITTER));
}
