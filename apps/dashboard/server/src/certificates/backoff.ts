const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long is waited after the nth failure in a row, in milliseconds; the last one for all that follow. */
const WAITS_MS = [
  MINUTE_MS, // a resolver of the authority's still had the answer from before
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  20 * MINUTE_MS, // until here: three attempts in the first hour, below the budget of a name
  30 * MINUTE_MS,
  HOUR_MS, // somebody has to mend something
  HOUR_MS,
  2 * HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS, // four a day, which no authority minds
] as const;

/** Something else than what failed is to be tried: another challenge, say. */
const OTHER_WAY_MS = SECOND_MS;

/** After that long without a certificate the attempts end, until the name is verified anew, in milliseconds. */
export const GIVEN_UP_AFTER_MS = 30 * DAY_MS;

/** The share of a wait by which it is longer at most, so that what failed together is not tried together. */
const JITTER = 0.1;

/**
 * How long to wait after `failures` in a row (1 or more), in milliseconds. `random`: 0 to 1. `hasOtherWay`: the
 * next attempt goes another way than the one that failed.
 */
export function backoff(failures: number, random: number, hasOtherWay = false): number {
  if (hasOtherWay && failures === 1) return OTHER_WAY_MS;
  const wait = WAITS_MS[Math.min(failures, WAITS_MS.length) - 1] ?? HOUR_MS;
  return Math.round(wait * (1 + JITTER * random));
}
