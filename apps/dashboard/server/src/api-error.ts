import { ApiError } from '@petstore/http/errors.ts';

/** `message`: what is wrong with a field of the request, as `name must be …`. */
export function invalidRequest(message: string): ApiError {
  return new ApiError('invalid_request', message);
}

export function routeNotFound(): ApiError {
  return new ApiError(
    'not_found',
    'There is no such path in this API. /api/openapi.json lists the paths.',
  );
}

/** `noun`: the kind of thing that was not found, such as `project`. */
export function notFound(noun: string): ApiError {
  return new ApiError('not_found', `There is no such ${noun}, or you may not see it.`);
}

/** The request has no valid credentials. */
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
