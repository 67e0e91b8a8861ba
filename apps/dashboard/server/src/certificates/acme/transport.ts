import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { getCACertificates } from 'node:tls';
import { UserError } from '@petstore/service/user-error.ts';
import { axios } from 'acme-client';
import { ProblemError, readProblem } from './problem-document.ts';
import { readRetryAfter } from './retry-after.ts';

/** How long an authority may take for one answer, in milliseconds. */
const TIMEOUT_MS = 20_000;

/** The largest answer that is read, in bytes: chains are some kilobytes. */
const MAX_ANSWER = 1_048_576;

/** What an error's Retry-After is believed, in milliseconds: a minute to a week, the longest limit there is. */
const RETRY_AFTER_BOUNDS = [60_000, 7 * 24 * 3_600_000] as const;

const USER_AGENT = 'petstore-dashboard/0.1 (+RFC 8555)';

/** An authority that cannot be talked to: no connection, no answer in time, or none that makes sense. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
  readonly isTimeout: boolean;

  constructor(message: string, options: { isTimeout: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.isTimeout = options.isTimeout;
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly data: unknown;
}

/** Asks an authority, once. */
export type Transport = (url: string, method: string, body?: unknown) => Promise<Answer>;

/** Connections for the calls to authorities. `caFile`: PEM of roots to trust besides the usual ones. */
export function authorityAgent(caFile: string | undefined): Agent {
  if (caFile === undefined) return new Agent({ keepAlive: true });
  let extra: string;
  try {
    extra = readFileSync(caFile, 'utf8');
  } catch (error) {
    throw new UserError(`ACME_CA_FILE cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return new Agent({ keepAlive: true, ca: [...getCACertificates('default'), extra] });
}

/**
 * A transport over the connections of `agent`, ended by `signal`. Errors of the authority reject with
 * ProblemError, except badNonce, which the protocol has asked again; all else with UnreachableError.
 */
export function transport(agent: Agent, signal: AbortSignal): Transport {
  return async (url, method, body) => {
    // RFC 8555, section 6.1. What a directory names is followed nowhere else.
    if (!url.startsWith('https:')) {
      throw new UnreachableError(`the authority named ${url}, which is not https`, {
        isTimeout: false,
      });
    }
    const options = {
      url,
      method,
      data: body,
      headers: { 'Content-Type': 'application/jose+json', 'User-Agent': USER_AGENT },
      httpsAgent: agent,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      maxContentLength: MAX_ANSWER,
      maxRedirects: 0,
      validateStatus: null,
      // The library would wait and ask again, for as long as Retry-After says: that is the issuer's to do.
      retryAttempt: Number.POSITIVE_INFINITY,
    };
    const answer = (await axios.request(options).catch((error: unknown) => {
      throw unreachable(url, error, signal);
    })) as Answer;
    if (answer.status < 400) return answer;
    const problem = readProblem(answer.data, answer.status);
    if (problem.type === 'badNonce') return answer;
    const wait = readRetryAfter(answer.headers['retry-after'], Date.now(), RETRY_AFTER_BOUNDS);
    throw new ProblemError(problem, wait);
  };
}

function unreachable(url: string, error: unknown, stop: AbortSignal): Error {
  if (stop.aborted) return new Error('the call was called off', { cause: stop.reason });
  const { code, message } = error as { code?: string; message?: string };
  const isTimeout = code === 'ERR_CANCELED' || code === 'ETIMEDOUT' || code === 'ECONNABORTED';
  const why = isTimeout ? `no answer within ${TIMEOUT_MS / 1_000} seconds` : (message ?? code);
  // Not the error itself: it holds the whole request.
  return new UnreachableError(`${new URL(url).host} cannot be reached: ${why}`, { isTimeout });
}
