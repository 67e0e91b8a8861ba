import { ApiError } from '@petstore/http/errors.ts';
import { boundLingeringBody } from '@petstore/http/lingering.ts';
import { FailureLog } from '@petstore/service/failure-log.ts';
import type { Log } from '@petstore/service/log.ts';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import {
  StoreFullError,
  StoreGoneError,
  StoreOverloadedError,
  StoreUnavailableError,
  type UnavailableKind,
} from '../store/store-errors.ts';
import { invalidToken } from './admission/authentication.ts';
import {
  internalError,
  overloaded,
  pathNotFound,
  payloadTooLarge,
  unavailable,
  unsupportedMediaType,
} from './api-error.ts';
import { respondError } from './json-response.ts';
import { MAX_BODY_BYTES } from './limits.ts';
import type { RequestIds } from './request-id.ts';
import { responseOf, type ServiceResponse } from './service-response.ts';

/** Responds to a request that failed. `traceId`: that of its trace, where it has one. */
export type RespondWithError = (
  thrown: unknown,
  response: ServiceResponse,
  traceId?: string,
) => void;

/**
 * Turns every error of a request into its one public form, and logs the rest. `onUnavailable` is called for each
 * request that failed because the database could not work.
 */
export function errorResponder(
  log: Log,
  requestIdOf: RequestIds,
  onUnavailable: (kind: UnavailableKind) => void,
): RespondWithError {
  const failures = new FailureLog(log);
  return (thrown, response, traceId) => {
    const request = response.req;
    // The fields that join the log lines about a request, here and in other services.
    const ids = { requestId: requestIdOf(request), traceId };
    if (thrown instanceof StoreUnavailableError) onUnavailable(thrown.kind);
    if (request.errored) {
      // The client went away or was cut off while it sent its request: nobody reads a response.
      log.debug({ ...ids, cause: request.errored.message }, 'request aborted');
    }
    const error = toApiError(thrown);
    // Requests that are turned away under load have no cause to log, and a line for each would add to the load.
    if (error.status >= 500 && error.cause !== undefined) {
      failures.note({ ...ids, code: error.code }, error.cause);
    }
    boundLingeringBody(request, response);
    respondError(response, error);
  };
}

/** The same as the error handler of the framework. */
export function errorHandler(respondWithError: RespondWithError) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    // The framework closes the connection after a body it could not read. Closing while the client still
    // sends resets the connection before the client has read why.
    reply.hijack();
    respondWithError(thrown, responseOf(reply), request.trace?.traceId);
  };
}

function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof StoreOverloadedError) return overloaded(thrown.publicMessage);
  if (thrown instanceof StoreUnavailableError) return unavailable(thrown);
  if (thrown instanceof StoreFullError) return new ApiError('conflict', thrown.message);
  if (thrown instanceof StoreGoneError) return invalidToken();
  switch ((thrown as FastifyError | undefined)?.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return payloadTooLarge(MAX_BODY_BYTES);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'ECONNRESET':
      return new ApiError('invalid_request', 'The body ended before its Content-Length.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType(['application/json']);
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE': // RFC 10008, section 2: a QUERY without one must fail.
      return unsupportedMediaType(['application/json'], 'QUERY');
    case 'FST_ERR_BAD_URL':
      return pathNotFound(); // A percent-encoding that stands for no text.
    default:
      return internalError(thrown);
  }
}
