import { ApiError, type ApiErrorCode } from '@petstore/http/errors.ts';
import { isRefusal, type Refusal } from '../refusal.ts';

/** How long a client should wait before it tries again, in seconds. */
const RETRY_AFTER_SECONDS = '1';

export function unavailable(cause: unknown): ApiError {
  return new ApiError('unavailable', 'The store cannot be reached right now. Try again shortly.', {
    cause,
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  });
}

/** There is more to do than can be done soon. `what`: a sentence that says what there is too much of. */
export function overloaded(what: string): ApiError {
  return new ApiError('unavailable', `${what} The service is overloaded. Try again shortly.`, {
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  });
}

/** `reason`: a sentence. The message continues with how long to wait. */
export function rateLimited(reason: string, retryAfterSeconds: number): ApiError {
  return comeBackLater('rate_limited', reason, retryAfterSeconds);
}

/**
 * A bound is full of what others keep, such as sandboxes. That is no overload: the service has room for requests.
 * `reason`: as in `rateLimited`.
 */
export function full(reason: string, retryAfterSeconds: number): ApiError {
  return comeBackLater('unavailable', reason, retryAfterSeconds);
}

function comeBackLater(code: ApiErrorCode, reason: string, seconds: number): ApiError {
  const wait = seconds === 1 ? '1 second' : `${seconds} seconds`;
  return new ApiError(code, `${reason} Try again in ${wait}.`, {
    headers: { 'retry-after': `${seconds}` },
  });
}

export function internalError(cause: unknown): ApiError {
  return new ApiError(
    'internal_error',
    'The service failed to handle this request. Quote its X-Request-Id when you report it.',
    { cause },
  );
}

/** Nothing has the id in the path. `noun`: the kind of thing, such as `animal`. */
export function notFound(noun: string): ApiError {
  return new ApiError('not_found', `No ${noun} has this id.`);
}

/** The id that a path names, as validation reads it. Throws ApiError where it is not an int64. */
export function pathId(value: unknown, noun: string): bigint {
  if (typeof value === 'bigint') return value;
  throw notFound(noun);
}

/** Returns the result of a rule, or throws its refusal as ApiError. */
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

/** What a 404 says where no operation is at a path. */
export const NO_PATH = 'Nothing is at this path. /v1/openapi.json lists the paths.';

export function pathNotFound(): ApiError {
  return new ApiError('not_found', NO_PATH);
}

/** `accepted`: the supported media types, the usual one first. RFC 10008, section 3, for a QUERY. */
export function unsupportedMediaType(accepted: readonly string[], method?: string): ApiError {
  const message = `The body must be JSON: send it with Content-Type: ${accepted[0]}.`;
  return new ApiError('unsupported_media_type', message, {
    headers: {
      accept: accepted.join(', '),
      ...(method === 'QUERY' && { 'accept-query': accepted.join(', ') }),
    },
  });
}
