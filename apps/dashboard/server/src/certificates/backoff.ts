const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The wait after the nth failure in a row, in milliseconds; the last one for all that follow. */
const WAITS_MS = [
  MINUTE_MS, // one of the authority's resolvers still had the earlier answer
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  20 * MINUTE_MS, // the fourth failure within an hour: the budget of a name may put the next attempt off
  30 * MINUTE_MS,
  HOUR_MS, // somebody has to mend something
  HOUR_MS,
  2 * HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS, // four a day, which no authority minds
] as const;

/** The wait where the next attempt differs from the one that failed: another challenge, say, or another authority. */
export const OTHER_WAY_MS = SECOND_MS;

/** The share of a wait by which it is longer at most, so that what failed together is not retried together. */
const JITTER = 0.1;

/**
 * How long to wait after `failures` in a row (1 or more), in milliseconds. `random`: 0 to 1. `hasOtherWay`: the
 * next attempt differs from the one that failed.
 */
export function backoff(failures: number, random: number, hasOtherWay = false): number {
  if (hasOtherWay && failures === 1) return OTHER_WAY_MS;
  const wait = WAITS_MS[Math.min(failures, WAITS_MS.length) - 1] ?? HOUR_MS;
  return Math.round(wait * (1 + JITTER * random));
}
