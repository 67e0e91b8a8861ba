import type { ConnectionError, ErrorResponse } from '@petstore/http/connection-errors.ts';
import { ApiError, type ErrorCode } from '@petstore/http/errors.ts';
import { boundLingeringBody } from '@petstore/http/lingering.ts';
import { FailureLog } from '@petstore/service/failure-log.ts';
import type { Log } from '@petstore/service/log.ts';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { invalidRequest, routeNotFound } from '../api-error.ts';
import { isUnavailable } from '../store/errors.ts';

/** Turns every error of a request into the Error body, and logs its cause. */
export function errorHandler(log: Log) {
  const failures = new FailureLog(log);
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const error = toApiError(thrown, request);
    // An unknown transfer coding is an error of the client, and need not be logged.
    if (error.status >= 500 && error.code !== 'not_implemented') {
      failures.note({ requestId: request.id, code: error.code }, error.cause);
    }
    boundLingeringBody(request.raw, reply.raw);
    // The framework ends the connection after a body that it could not read. Its client is still sending, and would
    // never learn the reason.
    if (reply.hasHeader('connection')) reply.removeHeader('connection');
    reply
      .code(error.status)
      .headers({ 'cache-control': 'no-store', ...error.headers })
      .send(error.body);
  };
}

function toApiError(thrown: unknown, request: FastifyRequest): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const error = thrown as FastifyError;
  switch (error.code) {
    case 'FST_ERR_VALIDATION':
      return invalidRequest(error.message);
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new ApiError('invalid_json', 'The body is not valid JSON.');
    case 'FST_ERR_CTP_BODY_TOO_LARGE': {
      const limit = request.routeOptions.bodyLimit.toLocaleString('en');
      return new ApiError('payload_too_large', `The body must be at most ${limit} bytes long.`);
    }
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return invalidRequest('The body ended before its Content-Length.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError(
        'unsupported_media_type',
        'The body must be JSON: send it with Content-Type: application/json.',
      );
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
    // A QUERY request without a body. Where the path exists, the method was refused before.
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      return routeNotFound();
  }
  // The web routes throw without a code.
  if (isUnavailable(thrown)) {
    // Away, full, or busy with others for too long: the log says which.
    return new ApiError(
      'unavailable',
      'The database cannot do this right now. Try again shortly.',
      {
        cause: thrown,
        headers: { 'retry-after': '2' },
      },
    );
  }
  return new ApiError(
    'internal_error',
    'The service failed to handle this request. Quote its X-Request-Id when you report it.',
    { cause: thrown },
  );
}

const SENTENCES: Record<number, readonly [ErrorCode, string]> = {
  405: ['method_not_allowed', 'CONNECT is not allowed: this server is not a proxy.'],
  408: ['request_timeout', 'The request did not arrive in time.'],
  413: ['payload_too_large', "The extensions of the body's chunks are too long."],
  414: ['uri_too_long', 'The request target is too long.'],
  431: ['headers_too_large', 'The request line and headers are too long together.'],
};

/** The Error body for a connection without a request, which never reaches a route. */
export function connectionErrorResponse({ status }: ConnectionError): ErrorResponse {
  const [code, message] = SENTENCES[status] ?? [
    'invalid_request',
    'The request is not HTTP/1.1, or a part of it is malformed.',
  ];
  return {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...(status === 405 && { Allow: 'GET, HEAD, OPTIONS' }),
    },
    body: JSON.stringify(new ApiError(code, message).body),
  };
}
