import type { Log } from '@petstore/service/log.ts';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import {
  StoreOverloadedError,
  StoreUnavailableError,
  type UnavailableKind,
} from '../store/store.ts';
import {
  ApiError,
  internalError,
  nothingHere,
  overloaded,
  payloadTooLarge,
  unavailable,
  unsupportedMediaType,
} from './api-error.ts';
import { JSON_TYPE } from './conditional.ts';
import { LINGER_MS, MAX_BODY_BYTES } from './limits.ts';

/**
 * Turns whatever a request ended in into its one public form, and tells the log the rest. `onUnavailable` is
 * told of each request that ended because the database could not work.
 */
export function errorHandler(log: Log, onUnavailable: (kind: UnavailableKind) => void) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    if (thrown instanceof StoreUnavailableError) onUnavailable(thrown.kind);
    if (request.raw.errored) {
      // The client went away or was cut off while it sent its request: nobody reads an answer.
      log.debug({ ...idsOf(request), cause: request.raw.errored.message }, 'request aborted');
    }
    sendError(toApiError(thrown), request, reply, log);
  };
}

/** Sends an ApiError on a reply; also for errors that reach no error handler. */
function sendError(error: ApiError, request: FastifyRequest, reply: FastifyReply, log: Log): void {
  // One that is turned away under load has no cause to tell; a line for each would add to the load.
  if (error.status >= 500 && error.cause !== undefined) {
    log.error({ ...idsOf(request), code: error.code, err: error.cause }, 'request failed');
  }
  boundLingeringBody(request, reply);
  // Fastify closes the connection after a body it could not read. Closing while the client still
  // sends resets the connection before the client has read why.
  reply.removeHeader('connection');
  reply
    .code(error.status)
    .headers({
      'cache-control': 'no-store',
      'content-type': JSON_TYPE,
      // Node says it by itself only where nobody has ever removed the header.
      ...(!reply.raw.shouldKeepAlive && { connection: 'close' }),
      ...error.headers,
    })
    .send(error.body);
}

/** What joins the lines about a request, here and in the logs of others. */
function idsOf({ id, trace }: FastifyRequest) {
  return { requestId: id, traceId: trace?.traceId };
}

function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof StoreOverloadedError) return overloaded(thrown.publicMessage);
  if (thrown instanceof StoreUnavailableError) return unavailable(thrown);
  switch ((thrown as FastifyError | undefined)?.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return payloadTooLarge(MAX_BODY_BYTES);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'ECONNRESET':
      return new ApiError('invalid_request', 'The body ended before its Content-Length.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType(['application/json']);
    case 'FST_ERR_BAD_URL':
      return nothingHere(); // A percent-encoding that stands for no text.
    default:
      return internalError(thrown);
  }
}

/**
 * Cuts off a client that goes on sending after it was answered. Until then Node reads and drops what
 * comes, so that the client gets to read the answer.
 */
function boundLingeringBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete) return;
  reply.raw.once('finish', () => {
    if (raw.complete) return;
    const timer = setTimeout(() => raw.socket.destroy(), LINGER_MS);
    const stop = () => {
      clearTimeout(timer);
      raw.off('end', stop);
      // The connection may live for long, and this request be one of very many.
      raw.socket.off('close', stop);
    };
    raw.once('end', stop);
    raw.socket.once('close', stop);
  });
}
