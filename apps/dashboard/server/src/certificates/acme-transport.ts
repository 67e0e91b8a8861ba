import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { createSecureContext } from 'node:tls';
import { isRecord } from '../is-record.ts';
import { trustedRoots } from '../trusted-roots.ts';

/** How long an authority may take for one response, in milliseconds. */
const TIMEOUT_MS = 20_000;

/** The largest response that is read, in bytes: chains are some kilobytes. */
const MAX_RESPONSE = 1_048_576;

/** Bounds for an error's Retry-After, in milliseconds: a minute to a week, the longest rate limit there is. */
const RETRY_AFTER_BOUNDS = [60_000, 7 * 24 * 3_600_000] as const;

const USER_AGENT = 'petstore-dashboard/0.1';

const URN = 'urn:ietf:params:acme:error:';

/** How much of a problem's detail is kept, in characters. */
const MAX_DETAIL = 1_000;

/** An authority's error (RFC 8555, section 6.7; RFC 7807). */
export interface ProblemDocument {
  /** Without `urn:ietf:params:acme:error:`. */
  readonly type: string;
  readonly detail: string;
  /** The HTTP status; 0 where the document is part of a resource. */
  readonly status: number;
}

/** The authority responded with an error. */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly document: ProblemDocument;
  /** The Retry-After, in milliseconds and within bounds; undefined: none. */
  readonly retryAfterMs: number | undefined;

  constructor(document: ProblemDocument, retryAfterMs?: number) {
    super(`${document.type}: ${document.detail}`);
    this.document = document;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No connection to the authority, no response in time, or one that is not ACME. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
  readonly isTimeout: boolean;

  constructor(
    message: string,
    { isTimeout = false, ...options }: ErrorOptions & { isTimeout?: boolean } = {},
  ) {
    super(message, options);
    this.isTimeout = isTimeout;
  }
}

interface ResponseHeaders {
  readonly location?: string | undefined;
  readonly 'replay-nonce'?: string | undefined;
  readonly 'retry-after'?: string | undefined;
}

export interface AcmeResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The parsed JSON, or the text. */
  readonly data: unknown;
}

/** Sends one request to an authority. */
export type AcmeTransport = (url: string, method: string, body?: unknown) => Promise<AcmeResponse>;

/**
 * Connections for the calls to authorities. `caFile`: PEM of roots to trust besides the usual ones. Throws a
 * UserError where it cannot be read, or has none.
 */
export function acmeAgent(caFile: string | undefined): Agent {
  const ca = trustedRoots('ACME_CA_FILE', caFile);
  // Made once: an agent that has the roots themselves reads all of them for each connection, and compares them for each request.
  return new Agent({ keepAlive: true, ...(ca && { secureContext: createSecureContext({ ca }) }) });
}

/**
 * A transport over the connections of `agent`, aborted by `signal`. An error of the authority rejects with ProblemError,
 * except badNonce, after which the request is signed and sent again; all else with UnreachableError.
 */
export function acmeTransport(
  agent: Agent,
  signal: AbortSignal,
  timeoutMs: number = TIMEOUT_MS,
): AcmeTransport {
  return async (url, method, body) => {
    // RFC 8555, section 6.1. A directory may name other addresses than https ones.
    if (!url.startsWith('https:')) {
      throw new UnreachableError(`the authority named ${url}, which is not https`);
    }
    const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const response = await exchange(url, method, body, agent, within).catch((error: Error) => {
      throw unreachable(url, error, signal, timeoutMs);
    });
    if (response.status < 400) return response;
    const problem = readProblem(response.data, response.status);
    if (problem.type === 'badNonce') return response;
    const wait = readRetryAfter(response.headers['retry-after'], Date.now(), RETRY_AFTER_BOUNDS);
    throw new ProblemError(problem, wait);
  };
}

/** One request and its response. Follows no redirects. */
function exchange(
  url: string,
  method: string,
  body: unknown,
  agent: Agent,
  signal: AbortSignal,
): Promise<AcmeResponse> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/jose+json', 'user-agent': USER_AGENT };
    const sent = request(url, { method: method.toUpperCase(), headers, agent, signal });
    sent.on('error', reject);
    sent.on('response', (response) => {
      readResponse(response).then(resolve, reject);
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function readResponse(response: IncomingMessage): Promise<AcmeResponse> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_RESPONSE) throw new Error(`a response of more than ${MAX_RESPONSE} bytes`);
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
    // A response to HEAD has the headers of a body, and no body.
    data: isJson && text !== '' ? JSON.parse(text) : text,
  };
}

/** By the codes of Node's errors: their messages say little, and nothing where several addresses were tried. */
const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its name has no address',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNRESET: 'the connection was broken off',
  EHOSTUNREACH: 'no route leads there',
  ENETUNREACH: 'no route leads there',
  ETIMEDOUT: 'no connection in time',
  CERT_HAS_EXPIRED: 'its certificate has expired',
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
  if (stop.aborted) return new Error('the request was aborted', { cause: stop.reason });
  const isTimeout = error.name === 'AbortError' || error.name === 'TimeoutError';
  const why = isTimeout ? `no response within ${timeoutMs / 1_000} seconds` : causeOf(error);
  return new UnreachableError(`${new URL(url).host} cannot be reached: ${why}`, {
    isTimeout,
    cause: error,
  });
}

/** Reads a problem document; without a type, or of another body, it becomes `serverInternal` or `malformed`. */
export function readProblem(body: unknown, status: number): ProblemDocument {
  const { type, detail, subproblems } = isRecord(body) ? body : {};
  const known = typeof type === 'string' && type.startsWith(URN) ? type.slice(URN.length) : '';
  const details = [detail, ...subproblemDetails(subproblems)].filter(
    (text) => typeof text === 'string',
  );
  const without = status === 0 ? 'The authority gave no reason.' : `HTTP status ${status}`;
  return {
    type: known || (status >= 500 ? 'serverInternal' : 'malformed'),
    detail: (details.join(' ') || without).slice(0, MAX_DETAIL),
    status,
  };
}

function subproblemDetails(subproblems: unknown): unknown[] {
  if (!Array.isArray(subproblems)) return [];
  return subproblems.map((problem: unknown) => (isRecord(problem) ? problem.detail : undefined));
}

/**
 * The wait of a Retry-After header, in milliseconds and within bounds, since an authority may send anything;
 * undefined where it is missing or cannot be read.
 */
export function readRetryAfter(
  header: string | undefined,
  now: number,
  [least, most]: readonly [number, number],
): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, least), most);
}
