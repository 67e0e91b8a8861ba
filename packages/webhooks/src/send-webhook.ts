import type { DeliveryOutcome } from './delivery-outcome.ts';
import { type PostOptions, type PostResponse, safePost } from './safe-post.ts';
import { signatureHeaders } from './signature.ts';

export interface WebhookMessage {
  /** The same at each attempt, so that the receiver can tell repetitions. */
  readonly id: string;
  readonly url: string;
  /** One, or several that all sign. */
  readonly secret: string | readonly string[];
  readonly body: string;
}

export interface SendOptions extends PostOptions {
  /** The time, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * Sends a signed message to its receiver once; the outcome. Rejects when `stop` comes before it is known.
 */
export async function sendWebhook(
  { id, url, secret, body }: WebhookMessage,
  { at, ...options }: SendOptions,
  stop: AbortSignal,
): Promise<DeliveryOutcome> {
  const headers = signatureHeaders(secret, { id, at, body });
  const response = await safePost(new URL(url), { body, headers }, options, stop);
  return 'error' in response ? { status: null, ...response } : outcomeOf(response, at);
}

function outcomeOf({ status, retryAfter, text }: PostResponse, at: number): DeliveryOutcome {
  const response = { status, response: text };
  if (status >= 200 && status < 300) return { ...response, error: null };
  if (status === 410) {
    const error = 'The receiver says that it is gone for good (410).';
    return { ...response, error, isFinal: true };
  }
  const error = `The receiver responded with ${status}.`;
  if (status >= 300 && status < 400) {
    return { ...response, error: `${error} Redirects are not followed.` };
  }
  const retryAfterMs = status === 429 || status === 503 ? readRetryAfter(retryAfter, at) : 0;
  return { ...response, error, retryAfterMs };
}

/** RFC 9110, section 10.2.3: seconds, or a date. Anything else counts as 0. */
function readRetryAfter(text: string | undefined, at: number): number {
  if (text === undefined) return 0;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.max(0, date - at);
}
