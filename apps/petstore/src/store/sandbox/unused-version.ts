import { randomInt } from 'node:crypto';

/** The highest one, and one more. What has the next number, a reset, still fits into 32 bits with a sign. */
const END = 2_000_000_000;

/**
 * A version that a sandbox never had. It is random: a failover may lose a commit. With the next number, what another
 * process commits then would have the version of what was lost, and the process that remembers the lost state would
 * write it over the new one.
 */
export function unusedVersion(): number {
  return randomInt(1, END);
}
