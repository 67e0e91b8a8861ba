/**
 * The schedule of checks after a name was added, or Verify clicked: until `untilMs` there is one every `waitMs`. Most
 * records are made within minutes, so the first checks are close. After 48 hours, which is as long as a change of
 * the DNS may take, there are no more checks until Verify is clicked.
 */
const WAITS: readonly { readonly untilMs: number; readonly waitMs: number }[] = [
  // Someone is at the DNS panel with the page open.
  { untilMs: 5 * 60_000, waitMs: 15_000 },
  // The DNS panel is slow, or somebody else has to make the record.
  { untilMs: 30 * 60_000, waitMs: 60_000 },
  // Negative answers in caches expire: zones allow 15 minutes to 3 hours for them.
  { untilMs: 3 * 3_600_000, waitMs: 5 * 60_000 },
  // Whoever manages the DNS has other things to do.
  { untilMs: 12 * 3_600_000, waitMs: 15 * 60_000 },
  { untilMs: 48 * 3_600_000, waitMs: 3_600_000 },
];

/** Verified names: does their DNS still lead here? */
const VERIFIED_MS = 24 * 3_600_000;

/** Names that moved away: someone may be correcting the DNS. */
const MOVED_AWAY_MS = 3_600_000;

/** Removed names, which stay reserved for as long as DNS leads here. */
const REMOVED_MS = 3_600_000;

/** The share of a wait by which it is longer at most, so that names that were added together are not checked together. */
const JITTER = 0.1;

/** When to check a name next that is not verified; null: only when Verify is clicked. */
export function nextUnverifiedCheck(beganAt: number, now: number): number | null {
  const wait = WAITS.find(({ untilMs }) => now - beganAt < untilMs);
  return wait === undefined ? null : now + jittered(wait.waitMs);
}

/** When to check a name next that is prepared for a move: as one that is not verified, and every hour after that. */
export function nextPreparedCheck(beganAt: number, now: number): number {
  return nextUnverifiedCheck(beganAt, now) ?? now + jittered(MOVED_AWAY_MS);
}

export function nextVerifiedCheck(now: number, isMovedAway: boolean): number {
  return now + jittered(isMovedAway ? MOVED_AWAY_MS : VERIFIED_MS);
}

export function nextRemovedCheck(now: number): number {
  return now + jittered(REMOVED_MS);
}

function jittered(ms: number): number {
  return Math.round(ms * (1 + Math.random() * JITTER));
}
