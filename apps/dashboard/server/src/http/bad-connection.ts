import { ApiError, type ErrorCode } from '../api-error.ts';
import type { BodyOf } from '../edge/http/connection-errors.ts';

const SENTENCES: Record<number, readonly [ErrorCode, string]> = {
  405: ['method_not_allowed', 'CONNECT is not allowed here: this is no proxy.'],
  408: ['request_timeout', 'The request did not arrive in time.'],
  413: ['payload_too_large', "The extensions of the body's chunks are too long."],
  414: ['uri_too_long', 'The request target is too long.'],
  431: ['headers_too_large', 'The request line and headers are too long together.'],
};

/** The Error body for what is no request at all, and so never gets as far as a route. */
export const badConnectionBody: BodyOf = (status) => {
  const [code, message] = SENTENCES[status] ?? [
    'invalid_request',
    'The request is not HTTP/1.1, or a part of it is malformed.',
  ];
  return {
    type: 'application/json; charset=utf-8',
    text: JSON.stringify(new ApiError(code, message).body),
  };
};
