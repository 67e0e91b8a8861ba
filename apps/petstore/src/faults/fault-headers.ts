import type { Deprecation } from '../http/admission/deprecation.ts';

/** The header of a request that asks for faults. */
export const FAULT_HEADER = 'petstore-fault';

/** The header of a response that names the faults in it. */
export const APPLIED_HEADER = 'petstore-fault-applied';

/**
 * Turns the headers of a response into those of a clock that is ahead by some milliseconds: `Date`, a `Retry-After` that
 * is a date, and the deprecation of an operation. `now`: the true time, in milliseconds since 1970.
 */
export function skewClock(
  headers: Map<string, string>,
  aheadMs: number,
  now: number,
  deprecation: Deprecation | undefined,
): void {
  const later = (at: number) => new Date(at + aheadMs).toUTCString();
  headers.set('date', later(now));
  const retryAfter = headers.get('retry-after');
  // A number of seconds is the same by every clock.
  if (retryAfter?.endsWith('GMT')) headers.set('retry-after', later(Date.parse(retryAfter)));
  if (!deprecation) return;
  const { since, sunset } = deprecation;
  headers.set('deprecation', `@${Math.round((since.getTime() + aheadMs) / 1_000)}`);
  headers.set('sunset', later(sunset.getTime()));
}

/** Keeps a response whose content is not the true one from being stored, or taken for current. */
export function forbidKeeping(headers: Map<string, string>): void {
  headers.set('cache-control', 'no-store');
  headers.delete('etag');
}
