import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ConnectionError, refuseBadConnections } from '@petstore/http/connection-errors.ts';
import { ApiError } from '@petstore/http/errors.ts';
import { requestTimeout } from './api-error.ts';
import { errorBody } from './json-response.ts';
import { MAX_TARGET_BYTES } from './limits.ts';
import type { RequestIds } from './request-id.ts';

/**
 * Gives the errors that arise below the routes the same Error body as all others: bytes that are not HTTP, headers
 * beyond the limit, a request that does not arrive in time, CONNECT.
 *
 * `onRefused` is told of each such error. `headersFor` returns further headers for the response; it gets undefined
 * where the request could not be read. `maxHeaderBytes` is the limit that the server has. `watch` is called once with
 * the server.
 */
export function connectionErrors(
  requestId: RequestIds,
  onRefused: (requestId: string, error: ApiError) => void,
  headersFor: (request: IncomingMessage | undefined) => Readonly<Record<string, string>>,
  maxHeaderBytes: number,
) {
  const cutOff = new WeakSet<IncomingMessage>();
  let isRefused = (_socket: Duplex): boolean => false;

  return {
    /** Whether the connection was ended with an error while this request was still arriving, or before it began to. */
    isCutOff: (request: IncomingMessage): boolean =>
      cutOff.has(request) || (isRefused(request.socket) && !request.socket.writable),

    watch(server: Server): void {
      isRefused = refuseBadConnections(server, maxHeaderBytes, (problem) => {
        const { unfinished } = problem;
        if (unfinished) cutOff.add(unfinished);
        const error = toApiError(problem, maxHeaderBytes);
        const id = requestId(unfinished);
        onRefused(id, error);
        const headers = {
          'Content-Type': 'application/json; charset=utf-8',
          'X-Request-Id': id,
          ...headersFor(unfinished),
          ...error.headers,
        };
        return { headers, body: errorBody(error) };
      });

      // A client that sends Expect: 100-continue is told to go on when its body is about to be read, not before.
      server.on('checkContinue', (request, response) => server.emit('request', request, response));

      // RFC 9110, section 10.1.1 lets a server ignore an expectation that it does not know.
      server.on('checkExpectation', (request, response) =>
        server.emit('request', request, response),
      );
    },
  };
}

function toApiError({ status, reason, cause }: ConnectionError, maxHeaderBytes: number): ApiError {
  switch (status) {
    case 405: {
      const message = 'CONNECT is not allowed: this server is not a proxy.';
      return new ApiError('method_not_allowed', message, { headers: { allow: 'GET, HEAD, POST' } });
    }
    case 408:
      return requestTimeout();
    case 413:
      return new ApiError('payload_too_large', "The extensions of the body's chunks are too long.");
    case 414:
      return new ApiError(
        'uri_too_long',
        `The request target must be at most ${MAX_TARGET_BYTES} bytes long.`,
      );
    case 431:
      return new ApiError(
        'headers_too_large',
        `The request line and headers must be at most ${maxHeaderBytes} bytes long together.`,
      );
    default:
      return new ApiError('invalid_request', `The request is not HTTP/1.1: ${reason}.`, { cause });
  }
}
