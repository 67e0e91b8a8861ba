import { isRefusal, type Refusal } from '../refusal.ts';

/**
 * Every error that can leave the process, in one table: its code, its status, and what it means.
 * Codes are part of the interface: one that is retired is never reused. docs/errors.md tells what a
 * client does about each, and a test holds the two together.
 */
export const ERRORS = {
  invalid_json: { status: 400, meaning: 'The body is not strict JSON.' },
  invalid_request: { status: 400, meaning: 'A part of the request is missing or out of bounds.' },
  invalid_cursor: { status: 400, meaning: 'The cursor is not one that this service gave out.' },
  unauthorized: { status: 401, meaning: 'Missing or invalid API key.' },
  forbidden: { status: 403, meaning: 'The API key lacks the scope for this.' },
  not_found: { status: 404, meaning: 'Nothing is at this address.' },
  method_not_allowed: { status: 405, meaning: 'The address exists, the method does not.' },
  request_timeout: { status: 408, meaning: 'The request did not arrive in time.' },
  conflict: { status: 409, meaning: 'What is stored stands against this.' },
  invalid_transition: { status: 409, meaning: 'The status cannot be changed so.' },
  idempotency_conflict: {
    status: 409,
    meaning: 'The first request with this Idempotency-Key has not ended.',
  },
  operation_removed: { status: 410, meaning: 'The operation was removed after its sunset date.' },
  precondition_failed: { status: 412, meaning: 'It is not as If-Match or If-None-Match say.' },
  payload_too_large: { status: 413, meaning: 'The body is larger than the limit.' },
  uri_too_long: { status: 414, meaning: 'The request target is longer than the limit.' },
  unsupported_media_type: { status: 415, meaning: 'The body is not application/json.' },
  idempotency_mismatch: {
    status: 422,
    meaning: 'Another request was sent with this Idempotency-Key.',
  },
  rate_limited: { status: 429, meaning: 'Too many requests; try again later.' },
  headers_too_large: { status: 431, meaning: 'The header section is larger than the limit.' },
  internal_error: { status: 500, meaning: 'The service failed; the cause is in its log.' },
  not_implemented: { status: 501, meaning: 'The transfer coding of the body is not known here.' },
  unavailable: { status: 503, meaning: 'The service cannot do this now; try again.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;

/**
 * An error in three parts: a stable code, a public sentence, and a private cause that only the log
 * sees. Headers are those which the status calls for, such as `Allow` or `Retry-After`.
 */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    publicMessage: string,
    options: { cause?: unknown; headers?: Record<string, string> } = {},
  ) {
    super(publicMessage, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  /** The Error body, exactly `code`, `message` and `status`. */
  get body(): string {
    return JSON.stringify({ code: this.code, message: this.message, status: this.status });
  }
}

/** How long a client should wait before it tries again, in seconds. */
const RETRY_AFTER_SECONDS = '1';

export function unavailable(cause: unknown): ApiError {
  return new ApiError('unavailable', 'The store cannot be reached right now. Try again shortly.', {
    cause,
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  });
}

/** There is more to do than can be done soon. `what`: the sentence that says of what. */
export function overloaded(what: string): ApiError {
  return new ApiError('unavailable', `${what} The service is overloaded. Try again shortly.`, {
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  });
}

/** `reason`: a sentence; how long to wait is said behind it. */
export function rateLimited(reason: string, retryAfterSeconds: number): ApiError {
  const wait = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  return new ApiError('rate_limited', `${reason} Try again in ${wait}.`, {
    headers: { 'retry-after': `${retryAfterSeconds}` },
  });
}

export function internalError(cause: unknown): ApiError {
  return new ApiError(
    'internal_error',
    'The service failed to handle this request. Quote its X-Request-Id when you report it.',
    { cause },
  );
}

/** Nothing has the id that a path names. `noun`: what would have it. */
export function notFound(noun: string): ApiError {
  return new ApiError('not_found', `No ${noun} has this id.`);
}

/** The id that a path names, as validation reads it. Throws ApiError where it is no int64. */
export function pathId(value: unknown, noun: string): bigint {
  if (typeof value === 'bigint') return value;
  throw notFound(noun);
}

/** A result that no rule refused. Throws the refusal as ApiError. */
export function orThrow<T>(result: T | Refusal): T {
  if (!isRefusal(result)) return result;
  const isSoonOver = result.refused === 'idempotency_conflict';
  const headers = isSoonOver ? { 'retry-after': RETRY_AFTER_SECONDS } : {};
  throw new ApiError(result.refused, result.message, { headers });
}

export function requestTimeout(): ApiError {
  return new ApiError('request_timeout', 'The request did not arrive in time.');
}

export function payloadTooLarge(limitBytes: number): ApiError {
  return new ApiError('payload_too_large', `The body must be at most ${limitBytes} bytes long.`);
}

export function pathNotFound(): ApiError {
  const message = 'Nothing is at this path. /v1/openapi.json describes those that there are.';
  return new ApiError('not_found', message);
}

/** `accepted`: the media types that would do, the usual one first. */
export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message = `The body must be JSON: send it with Content-Type: ${accepted[0]}.`;
  return new ApiError('unsupported_media_type', message, {
    headers: { accept: accepted.join(', ') },
  });
}
