import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { getCACertificates } from 'node:tls';
import { UserError } from '@petstore/service/user-error.ts';
import { ProblemError, readProblem } from './problem-document.ts';
import { readRetryAfter } from './retry-after.ts';

/** How long an authority may take for one answer, in milliseconds. */
const TIMEOUT_MS = 20_000;

/** The largest answer that is read, in bytes: chains are some kilobytes. */
const MAX_ANSWER = 1_048_576;

/** What an error's Retry-After is believed, in milliseconds: a minute to a week, the longest limit there is. */
const RETRY_AFTER_BOUNDS = [60_000, 7 * 24 * 3_600_000] as const;

const USER_AGENT = 'petstore-dashboard/0.1';

/** An authority that cannot be talked to: no connection, no answer in time, or none that makes sense. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
  readonly isTimeout: boolean;

  constructor(message: string, options: { isTimeout: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.isTimeout = options.isTimeout;
  }
}

interface AnswerHeaders {
  readonly location?: string | undefined;
  readonly 'replay-nonce'?: string | undefined;
  readonly 'retry-after'?: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** What JSON says, or the text. */
  readonly data: unknown;
}

/** Asks an authority, once. */
export type Transport = (url: string, method: string, body?: unknown) => Promise<Answer>;

/**
 * Connections for the calls to authorities. `caFile`: PEM of roots to trust besides the usual ones. Throws a
 * UserError where it cannot be read, or has none.
 */
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
  if (!isCertificates(extra)) {
    throw new UserError(`ACME_CA_FILE has no certificate in PEM: ${caFile}`);
  }
  return new Agent({ keepAlive: true, ca: [...getCACertificates('default'), extra] });
}

function isCertificates(pem: string): boolean {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    for (const block of blocks) new X509Certificate(block);
    return blocks.length > 0;
  } catch {
    return false;
  }
}

/**
 * A transport over the connections of `agent`, ended by `signal`: in the place of the library's own, which has no
 * timeouts, waits for as long as Retry-After says, and hides why a connection failed. Errors of the authority reject with
 * ProblemError, except badNonce, which the protocol has asked again; all else with UnreachableError.
 */
export function transport(
  agent: Agent,
  signal: AbortSignal,
  timeoutMs: number = TIMEOUT_MS,
): Transport {
  return async (url, method, body) => {
    // RFC 8555, section 6.1. What a directory names is followed nowhere else.
    if (!url.startsWith('https:')) {
      throw new UnreachableError(`the authority named ${url}, which is not https`, {
        isTimeout: false,
      });
    }
    const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const answer = await exchange(url, method, body, agent, within).catch((error: Error) => {
      throw unreachable(url, error, signal, timeoutMs);
    });
    if (answer.status < 400) return answer;
    const problem = readProblem(answer.data, answer.status);
    if (problem.type === 'badNonce') return answer;
    const wait = readRetryAfter(answer.headers['retry-after'], Date.now(), RETRY_AFTER_BOUNDS);
    throw new ProblemError(problem, wait);
  };
}

/** One request, and its answer as it is. Follows no redirects. */
function exchange(
  url: string,
  method: string,
  body: unknown,
  agent: Agent,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/jose+json', 'user-agent': USER_AGENT };
    const sent = request(url, { method: method.toUpperCase(), headers, agent, signal });
    sent.on('error', reject);
    sent.on('response', (response) => {
      readAnswer(response).then(resolve, reject);
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER) throw new Error(`an answer of more than ${MAX_ANSWER} bytes`);
    chunks.push(chunk);
  }
  const { 'content-type': type, 'replay-nonce': nonce, 'retry-after': wait } = response.headers;
  const text = Buffer.concat(chunks).toString();
  const isJson = type !== undefined && /^application\/(problem\+)?json\b/.test(type);
  return {
    status: response.statusCode ?? 0,
    headers: {
      location: response.headers.location,
      'retry-after': wait,
      'replay-nonce': typeof nonce === 'string' ? nonce : undefined,
    },
    // HEAD has the headers of a body, and none.
    data: isJson && text !== '' ? JSON.parse(text) : text,
  };
}

/** By the codes of Node's errors, which say little themselves, and nothing where several addresses were tried. */
const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its name has no address',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNRESET: 'the connection was broken off',
  EHOSTUNREACH: 'no network leads there',
  ENETUNREACH: 'no network leads there',
  ETIMEDOUT: 'no connection in time',
  CERT_HAS_EXPIRED: 'its certificate has ended',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
};

function causeOf(error: Error & { code?: string }): string {
  const known = CAUSES[error.code ?? ''];
  return known ? `${known} (${error.code})` : error.message || error.code || error.name;
}

function unreachable(url: string, error: Error, stop: AbortSignal, timeoutMs: number): Error {
  if (stop.aborted) return new Error('the call was called off', { cause: stop.reason });
  const isTimeout = error.name === 'AbortError' || error.name === 'TimeoutError';
  const why = isTimeout ? `no answer within ${timeoutMs / 1_000} seconds` : causeOf(error);
  return new UnreachableError(`${new URL(url).host} cannot be reached: ${why}`, {
    isTimeout,
    cause: error,
  });
}
