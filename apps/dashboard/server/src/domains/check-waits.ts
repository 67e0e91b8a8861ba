/**
 * How long after a name was added, or Verify clicked, its checks come how often, in milliseconds. Most
 * records are made within minutes, so the first checks are close; what is not there within 48 hours, which
 * is as long as DNS may take to spread, is not waited for any longer: then Verify begins anew.
 */
const WAITS: readonly { readonly untilMs: number; readonly waitMs: number }[] = [
  // Someone is at the DNS panel with the page open.
  { untilMs: 5 * 60_000, waitMs: 15_000 },
  // The panel takes its time, or the record has to be asked for.
  { untilMs: 30 * 60_000, waitMs: 60_000 },
  // A cached "there is no such name" runs out: zones have 15 minutes to 3 hours for that.
  { untilMs: 3 * 3_600_000, waitMs: 5 * 60_000 },
  // Whoever holds the DNS has other things to do.
  { untilMs: 12 * 3_600_000, waitMs: 15 * 60_000 },
  { untilMs: 48 * 3_600_000, waitMs: 3_600_000 },
];

/** Verified names: whether their DNS still leads here. */
const VERIFIED_MS = 24 * 3_600_000;

/** Names that moved away: someone may be in the midst of mending them. */
const MOVED_AWAY_MS = 3_600_000;

/** Removed names, which stay reserved for as long as DNS leads here. */
const REMOVED_MS = 3_600_000;

/** Up to this share is added by chance, so that names that were added together are not asked for together. */
const JITTER = 0.1;

/** When the next check of a name comes that is not verified; null: not by itself any more. */
export function nextUnverifiedCheck(beganAt: number, now: number): number | null {
  const wait = WAITS.find(({ untilMs }) => now - beganAt < untilMs);
  return wait === undefined ? null : now + jittered(wait.waitMs);
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
