import type { RenewalInfo } from './acme/authority-client.ts';
import { readRetryAfter } from './acme/retry-after.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The share of its life after which a certificate is renewed where the authority does not say when. */
const RENEWED_AFTER = 2 / 3;

/** The share of its life by which that is sooner at most, so that what was issued together is not renewed together. */
const JITTER = 0.05;

/** RFC 9773, section 4.3.2: how often the authority is asked when to renew, whatever it says. */
const ARI_BOUNDS = [MINUTE_MS, DAY_MS] as const;

/** Where it does not say. */
const ARI_EVERY_MS = 6 * HOUR_MS;

interface Life {
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** When to renew a certificate of which its authority says nothing. `random`: 0 to 1. Also right for those of a few days. */
export function renewalTime({ notBefore, notAfter }: Life, random: number): number {
  const life = notAfter - notBefore;
  return Math.round(notBefore + life * (RENEWED_AFTER - JITTER * random));
}

/**
 * When to renew by an authority's window (RFC 9773, section 4.2): any instant in it, and the one that was drawn
 * before for as long as it is in the window. `random`: 0 to 1.
 */
export function timeInWindow(
  { start, end }: Pick<RenewalInfo, 'start' | 'end'>,
  drawn: number,
  random: number,
): number {
  if (drawn >= start && drawn <= end) return drawn;
  return Math.round(start + (end - start) * random);
}

/** When to ask the authority again, by its Retry-After. */
export function nextAriCheck({ retryAfter }: Pick<RenewalInfo, 'retryAfter'>, now: number): number {
  return now + (readRetryAfter(retryAfter, now, ARI_BOUNDS) ?? ARI_EVERY_MS);
}

/** Whether people are to be told that a certificate ends and was not renewed: 14 days before, or a sixth of its life. */
export function isExpiringSoon({ notBefore, notAfter }: Life, now: number): boolean {
  return notAfter - now < Math.min(14 * DAY_MS, (notAfter - notBefore) / 6);
}
