import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Exchanges } from '@petstore/http/exchanges.ts';
import { STATUS_CODES } from '@petstore/http/node-http.ts';
import { RequestLines } from '@petstore/http/request-lines.ts';
import { ApiError, requestTimeout } from './api-error.ts';
import { MAX_TARGET_BYTES } from './limits.ts';
import type { RequestIds } from './request-id.ts';

interface ParserError extends Error {
  code?: string;
  reason?: string;
  /** The bytes that the parser was reading when it gave up: a Buffer, whatever Fastify's type says. */
  rawPacket?: unknown;
}

/**
 * Gives the errors that arise below the routes the same Error body as all others: bytes that are no
 * HTTP, headers beyond the limit, a request that does not arrive in time, CONNECT. Node would answer
 * them with an empty body.
 *
 * `onRefused` is told of each such error. `headersFor` has what the answer carries beside its own headers;
 * undefined stands for a request that was not read so far. `maxHeaderBytes` is the limit that the server
 * has. `onClientError` is for the framework, which has a handler of its own otherwise; `watch` is called
 * once with the server.
 */
export function connectionErrors(
  requestId: RequestIds,
  onRefused: (requestId: string, error: ApiError) => void,
  headersFor: (request: IncomingMessage | undefined) => Readonly<Record<string, string>>,
  maxHeaderBytes: number,
) {
  let exchanges: Exchanges;
  let lines: RequestLines;
  const answered = new WeakSet<Duplex>();
  const cutOff = new WeakSet<IncomingMessage>();

  const answer = (error: ApiError, socket: Duplex): void => {
    if (answered.has(socket)) return; // The parser complains about every packet that follows.
    answered.add(socket);
    const unfinished = exchanges.unfinished(socket);
    if (unfinished) cutOff.add(unfinished);
    const id = requestId(unfinished);
    onRefused(id, error);
    exchanges.end(socket, responseTo(error, { 'X-Request-Id': id, ...headersFor(unfinished) }));
  };

  return {
    /** Whether the connection was ended with an error while this request was still arriving. */
    isCutOff: (request: IncomingMessage): boolean => cutOff.has(request),

    /** Whether a connection has been or will be ended with an error. */
    isRefused: (socket: Duplex): boolean => answered.has(socket),

    onClientError(error: ParserError, socket: Duplex): void {
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
      else {
        const isInLine = lines.isInLine(socket, error.rawPacket);
        answer(toApiError(error, isInLine, maxHeaderBytes), socket);
      }
    },

    watch(server: Server): void {
      exchanges = new Exchanges(server);
      lines = new RequestLines(server, maxHeaderBytes);

      server.on('connect', (_request, socket) => {
        socket.on('error', () => socket.destroy());
        const headers = { allow: 'GET, HEAD, POST' };
        const message = 'CONNECT is not allowed here: this is no proxy.';
        answer(new ApiError('method_not_allowed', message, { headers }), socket);
      });

      // A client that asks first is told to go on when its body is about to be read, not before.
      server.on('checkContinue', (request, response) => server.emit('request', request, response));

      // RFC 9110, section 10.1.1 lets a server ignore an expectation that it does not know.
      server.on('checkExpectation', (request, response) =>
        server.emit('request', request, response),
      );
    },
  };
}

/** `isInLine`: whether the connection is still in the first line of a request. */
function toApiError(error: ParserError, isInLine: boolean, maxHeaderBytes: number): ApiError {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout();
    case 'HPE_HEADER_OVERFLOW':
      return isInLine
        ? new ApiError(
            'uri_too_long',
            `The request target must be at most ${MAX_TARGET_BYTES} bytes long.`,
          )
        : new ApiError(
            'headers_too_large',
            `The request line and headers must be at most ${maxHeaderBytes} bytes long together.`,
          );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ApiError('payload_too_large', "The extensions of the body's chunks are too long.");
    default:
      return new ApiError('invalid_request', `The request is not HTTP/1.1: ${reasonOf(error)}.`, {
        cause: error.code,
      });
  }
}

function reasonOf({ reason, message }: ParserError): string {
  return (reason ?? message).replace(/^Parse Error: /, '').replace(/\.$/, '');
}

function responseTo(error: ApiError, more: Readonly<Record<string, string>>): string {
  const { body } = error;
  const headers = {
    Date: new Date().toUTCString(),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...more,
    ...error.headers,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`;
}
