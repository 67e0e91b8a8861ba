import type { ErrorBody } from './schema-types.ts';

/**
 * Every error that can leave the process: its code, its status, and what it means. Codes mean what they
 * mean in the API, and one that is retired is never reused.
 */
const ERRORS = {
  invalid_json: { status: 400, meaning: 'The body is not JSON.' },
  invalid_request: { status: 400, meaning: 'A part of the request is missing or out of bounds.' },
  invalid_cursor: { status: 400, meaning: 'The cursor is not one that this service gave out.' },
  unauthorized: { status: 401, meaning: 'Nobody is signed in, or the token is not valid.' },
  forbidden: { status: 403, meaning: 'Who asks may not do this.' },
  not_found: { status: 404, meaning: 'Nothing is at this address for who asks.' },
  method_not_allowed: { status: 405, meaning: 'The address exists, the method does not.' },
  conflict: { status: 409, meaning: 'What is stored stands against this.' },
  precondition_failed: { status: 412, meaning: 'It is not as If-Match says.' },
  payload_too_large: { status: 413, meaning: 'The body is larger than the limit.' },
  uri_too_long: { status: 414, meaning: 'The request target is longer than the limit.' },
  unsupported_media_type: {
    status: 415,
    meaning: 'The body is of another type than those that are taken.',
  },
  headers_too_large: { status: 431, meaning: 'The headers are longer than the limit.' },
  request_timeout: { status: 408, meaning: 'The request did not arrive in time.' },
  rate_limited: { status: 429, meaning: 'Too many tries; wait as long as Retry-After says.' },
  internal_error: { status: 500, meaning: 'The service failed; the cause is in its log.' },
  not_implemented: { status: 501, meaning: 'The transfer coding of the body is not known here.' },
  unavailable: { status: 503, meaning: 'The service cannot do this now; try again.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;

interface Options {
  readonly cause?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An error in three parts: a stable code, a public sentence, and a private cause that only the log sees.
 * Headers are those which the status calls for, such as `Allow` or `Retry-After`.
 */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, publicMessage: string, { cause, headers = {} }: Options = {}) {
    super(publicMessage, { cause });
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get body(): ErrorBody {
    return { code: this.code, message: this.message, status: this.status };
  }
}

/** What is wrong with a field of the request, as `name must be …`. */
export function invalid(message: string): ApiError {
  return new ApiError('invalid_request', message);
}

export function routeNotFound(): ApiError {
  return new ApiError(
    'not_found',
    'Nothing is at this address. /api/openapi.json describes those that there are.',
  );
}

/** `noun`: what there is none of, such as `project`. */
export function notFound(noun: string): ApiError {
  return new ApiError('not_found', `There is no such ${noun}, or you may not see it.`);
}

/** Nobody is known by what the request says. */
export function unauthorized(message: string): ApiError {
  return new ApiError('unauthorized', message, { headers: { 'www-authenticate': 'Bearer' } });
}

export function forbidden(message: string): ApiError {
  return new ApiError('forbidden', message);
}

export function conflict(message: string): ApiError {
  return new ApiError('conflict', message);
}

/** `retryAfterMs`: how long to wait at least. */
export function rateLimited(message: string, retryAfterMs: number): ApiError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  return new ApiError('rate_limited', message, { headers: { 'retry-after': `${seconds}` } });
}
