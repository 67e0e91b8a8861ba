import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryOptions {
  /** How often a request is sent at most, the first time included. */
  readonly attempts: number;
  /** The longest wait between two, in milliseconds; a longer `Retry-After` ends the trying. */
  readonly maxWaitMs: number;
}

/** Waits where the service does not name one, in milliseconds, before up to half of each is added at random. */
const WAITS_MS = [100, 300, 1_000, 3_000];

/** Methods that may always be sent again (RFC 9110, section 9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);

/**
 * Makes a fetch that sends a request again when that may help: after 503, 429 and 408, and, where the
 * method is idempotent, when the connection broke. `Retry-After` is obeyed. A POST that may have been
 * done is not sent again: it would be done twice.
 */
export function retrying(fetch: typeof globalThis.fetch, options: RetryOptions): typeof fetch {
  return async (input, init) => {
    const original = new Request(input, init);
    const mayRepeat = IDEMPOTENT.has(original.method);
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= options.attempts;
      // A request's body can be read once, so each attempt has a copy.
      const request = isLast ? original : original.clone();
      let response: Response;
      try {
        response = await fetch(request);
      } catch (error) {
        if (isLast || !mayRepeat || original.signal.aborted) throw error;
        await sleep(waitOf(attempt), undefined, { signal: original.signal });
        continue;
      }
      if (isLast || !isWorthRepeating(response, mayRepeat)) return response;
      const wait = retryAfterMs(response) ?? waitOf(attempt);
      if (wait > options.maxWaitMs) return response;
      await response.body?.cancel();
      await sleep(wait, undefined, { signal: original.signal });
    }
  };
}

/**
 * 429 says that nothing was done, so any request may be sent again. A write that got 503 may have happened, and of one
 * that got 408 a part arrived.
 */
function isWorthRepeating({ status }: Response, mayRepeat: boolean): boolean {
  return status === 429 || (mayRepeat && (status === 503 || status === 408));
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
