import { ERRORS } from '@petstore/http/errors.ts';
import { codeOf } from './fault-kinds.ts';
import type { Plan } from './fault-plan.ts';
import type { FinishedResponse } from './finished-response.ts';

/** Seconds that a client is told to wait where the fault names none, for statuses that say so. */
const RETRY_AFTER: Readonly<Record<number, number>> = { 429: 1, 503: 1 };

/** The error response that a plan asks for. `now`: in milliseconds since 1970. */
export function injectedError(plan: Plan, status: number, now: number): FinishedResponse {
  const { code = codeOf(status), retryAfter = RETRY_AFTER[status], hasRetryDate } = plan;
  const meaning = (ERRORS as Record<string, { meaning: string } | undefined>)[code]?.meaning;
  const message = `A fault that was asked for. ${meaning ?? 'The service has no such error itself.'}`;
  const body = Buffer.from(JSON.stringify({ code, message, status }));
  const headers = new Map([
    ['content-type', 'application/json; charset=utf-8'],
    ['content-length', `${body.length}`],
    ['cache-control', 'no-store'],
  ]);
  if (status === 401) headers.set('www-authenticate', 'Bearer error="invalid_token"');
  if (retryAfter !== undefined) {
    // Rounded up: the text has whole seconds, and a client must not come sooner than it was asked to.
    const date = new Date(Math.ceil(now / 1_000 + retryAfter) * 1_000).toUTCString();
    headers.set('retry-after', hasRetryDate ? date : `${retryAfter}`);
  }
  return { status, headers, body };
}
