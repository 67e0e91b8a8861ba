import { rateLimited } from './api-error.ts';
import { incrementCounter } from './store/rate-counters.ts';
import type { Db } from './store/schema.ts';

/**
 * Counts one more of `key`, at most `limit` in a window of `windowMs` milliseconds. Throws ApiError `rate_limited`
 * beyond that, with a message about how long to wait, in milliseconds.
 */
export async function limitRate(
  db: Db,
  key: string,
  { limit, windowMs }: { readonly limit: number; readonly windowMs: number },
  now: number,
  message: (waitMs: number) => string,
): Promise<void> {
  const { count, resetsAt } = await incrementCounter(db, key, now, windowMs);
  const waitMs = resetsAt - now;
  if (count > limit) throw rateLimited(message(waitMs), waitMs);
}
