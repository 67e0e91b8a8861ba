import type { KeyUsage } from '../../keys/key-usage.ts';
import type { Check } from './check.ts';

/** Records that a key was used, whatever becomes of the request. `now`: the clock, in milliseconds since 1970. */
export function recordUse(usage: KeyUsage, now: () => number): Check {
  return ({ key }) => usage.note(key.id, now());
}
