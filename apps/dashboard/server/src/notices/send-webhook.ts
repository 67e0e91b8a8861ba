import type { Outcome } from './outcome.ts';
import { type Answer, post } from './post.ts';
import { ReceiverError, type ReceiverNetwork, receiverAddresses } from './receiver-address.ts';
import { signatureHeaders } from './signature.ts';

export interface WebhookMessage {
  /** The same at each attempt, so that the receiver knows what it has had. */
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  readonly body: string;
}

export interface SendOptions extends ReceiverNetwork {
  /** The time, in milliseconds since 1970. */
  readonly at: number;
  /** For all of it, from looking the name up to the end of the answer, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Sends a signed message to its receiver once. The outcome says how that ended; rejects when `stop` comes
 * before it is known.
 */
export async function sendWebhook(
  { id, url, secret, body }: WebhookMessage,
  { at, timeoutMs, ...network }: SendOptions,
  stop: AbortSignal,
): Promise<Outcome> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const signal = AbortSignal.any([stop, deadline.signal]);
  const target = new URL(url);
  try {
    const addresses = await receiverAddresses(target.hostname, network, signal);
    const headers = signatureHeaders(secret, { id, at, body });
    return outcomeOf(await post(target, { body, headers }, addresses, signal), at);
  } catch (error) {
    if (stop.aborted) throw error;
    const isLate = deadline.signal.aborted;
    return {
      status: null,
      error: isLate ? `No answer came within ${timeoutMs / 1_000} seconds.` : inWords(error),
    };
  } finally {
    clearTimeout(timer);
  }
}

function outcomeOf({ status, retryAfter }: Answer, at: number): Outcome {
  if (status >= 200 && status < 300) return { status, error: null };
  if (status === 410) {
    return { status, error: 'The receiver says that it is gone for good (410).', isFinal: true };
  }
  if (status >= 300 && status < 400) {
    return { status, error: `The answer was ${status}; redirects are not followed.` };
  }
  const retryAfterMs = status === 429 || status === 503 ? readRetryAfter(retryAfter, at) : 0;
  return { status, error: `The answer was ${status}.`, retryAfterMs };
}

/** RFC 9110, section 10.2.3: seconds, or a date. 0 for what is neither. */
function readRetryAfter(text: string | undefined, at: number): number {
  if (text === undefined) return 0;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.max(0, date - at);
}

/** Why no answer came. The codes are those of Node and of OpenSSL. */
function inWords(error: unknown): string {
  if (error instanceof ReceiverError) return error.message;
  const { code = '', message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ECONNREFUSED':
      return 'The connection was refused: nothing listens there.';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'The receiver broke off the connection without an answer.';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
      return 'The receiver cannot be reached.';
  }
  if (code.startsWith('HPE_')) return 'The answer is not HTTP.';
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return `The receiver's certificate is not trusted: ${message}.`;
  }
  if (/^(EPROTO|ERR_SSL|ERR_TLS)/.test(code)) return 'The receiver does not speak TLS there.';
  return `The connection failed (${code || message}).`;
}
