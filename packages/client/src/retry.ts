import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryOptions {
  /** How often a request is sent at most, the first time included. */
  readonly attempts: number;
  /** The longest wait between two, in milliseconds; a longer `Retry-After` ends the trying. */
  readonly maxWaitMs: number;
}

/** Waits where the service does not name one, in milliseconds, before up to half of each is added at random. */
const WAITS_MS = [100, 300, 1_000, 3_000];

/** Methods that may always be sent again (RFC 9110, section 9.2.2; RFC 10008 for QUERY). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'QUERY']);

/** Statuses of a service, or of a gateway before it, that may be another one the next time. */
const TRANSIENT = new Set([408, 502, 503, 504]);

/**
 * Makes a fetch that sends a request again when that may help: after 429, and, where to do it twice does no harm, after
 * 408, 502, 503, 504, and where `fetch` rejects. That is so for idempotent methods
 * and for a request with an `Idempotency-Key`, which each attempt has in common. `Retry-After` is obeyed; after 429 by
 * every request.
 */
export function retrying(fetch: typeof globalThis.fetch, options: RetryOptions): typeof fetch {
  let pausedUntil = 0;
  return async (input, init) => {
    const original = new Request(input, init);
    const { signal } = original;
    const mayRepeat = IDEMPOTENT.has(original.method) || original.headers.has('idempotency-key');
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= options.attempts;
      const pause = pausedUntil - performance.now();
      if (pause > 0) await sleep(pause, undefined, { signal });
      let response: Response;
      try {
        // A request's body can be read once, so each attempt has a copy.
        response = await fetch(isLast ? original : original.clone());
      } catch (error) {
        if (isLast || !mayRepeat || signal.aborted) throw error;
        await sleep(waitOf(attempt), undefined, { signal });
        continue;
      }
      const told = retryAfterMs(response);
      const wait = told ?? waitOf(attempt);
      if (response.status === 429 && wait <= options.maxWaitMs) {
        pausedUntil = Math.max(pausedUntil, performance.now() + wait);
      }
      if (isLast || wait > options.maxWaitMs || !isWorthRepeating(response, mayRepeat)) {
        return response;
      }
      await sleep(wait, undefined, { signal });
    }
  };
}

/**
 * 429 says that nothing was done, so any request may be sent again. A write that got 503 may have happened, and of one
 * that got 408 a part arrived. 409 with `Retry-After` says that the first attempt is still under way.
 */
function isWorthRepeating({ status, headers }: Response, mayRepeat: boolean): boolean {
  if (status === 429) return true;
  const isUnderWay = status === 409 && headers.has('retry-after');
  return mayRepeat && (TRANSIENT.has(status) || isUnderWay);
}

function waitOf(attempt: number): number {
  const wait = WAITS_MS[attempt - 1] ?? WAITS_MS.at(-1) ?? 0;
  return wait * (1 + Math.random() / 2);
}

/** `Retry-After` (RFC 9110, section 10.2.3) in milliseconds: seconds, or a date. */
function retryAfterMs({ headers }: Response): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
