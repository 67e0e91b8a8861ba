import {
  type IncomingMessage,
  METHODS,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, requestTimeout } from './api-error.ts';
import { LINGER_MS, MAX_TARGET_BYTES } from './limits.ts';
import type { RequestIds } from './request-id.ts';

/** The last request of a connection, and the answer before its own if that is still on its way. */
interface Exchange {
  response: ServerResponse;
  previous: ServerResponse | undefined;
}

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
  const exchanges = new WeakMap<Duplex, Exchange>();
  const answered = new WeakSet<Duplex>();
  const cutOff = new WeakSet<IncomingMessage>();

  const answer = (error: ApiError, socket: Duplex): void => {
    if (answered.has(socket)) return; // The parser complains about every packet that follows.
    answered.add(socket);
    const { response, previous } = exchanges.get(socket) ?? {};
    const request = response?.req;
    const unfinished = request?.complete ? undefined : request;
    if (unfinished) cutOff.add(unfinished);
    const id = requestId(unfinished);
    onRefused(id, error);
    const headers = headersFor(unfinished);
    const send = () => sendAndClose(socket, error, { 'X-Request-Id': id, ...headers });
    // Whoever asked before must get its answer first: a pipelining client counts on the order.
    if (request?.complete) whenFinished(response, send);
    else if (response?.headersSent) whenFinished(response, () => closeSlowly(socket));
    else whenFinished(previous, send);
  };

  return {
    /** Whether the connection was ended with an error while this request was still arriving. */
    isCutOff: (request: IncomingMessage): boolean => cutOff.has(request),

    /** Whether a connection has been or will be ended with an error. */
    isRefused: (socket: Duplex): boolean => answered.has(socket),

    onClientError(error: ParserError, socket: Duplex): void {
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
      else answer(toApiError(error, maxHeaderBytes), socket);
    },

    watch(server: Server): void {
      server.on('request', ({ socket }, response) => {
        const exchange = exchanges.get(socket);
        if (exchange) {
          const last = exchange.response;
          exchange.previous = last.writableFinished ? undefined : last;
          exchange.response = response;
        } else {
          exchanges.set(socket, { response, previous: undefined });
        }
      });

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

function toApiError(error: ParserError, maxHeaderBytes: number): ApiError {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout();
    case 'HPE_HEADER_OVERFLOW':
      return isStillInRequestLine(error.rawPacket, maxHeaderBytes)
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

/** Whether a packet begins with a method and its first line has no end within the limit. */
function isStillInRequestLine(packet: unknown, maxHeaderBytes: number): boolean {
  if (!Buffer.isBuffer(packet)) return false;
  const start = packet.subarray(0, maxHeaderBytes).toString('latin1');
  return !start.includes('\n') && METHODS.includes(start.slice(0, start.indexOf(' ')));
}

function sendAndClose(
  socket: Duplex,
  error: ApiError,
  more: Readonly<Record<string, string>>,
): void {
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
  socket.write(
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`,
  );
  closeSlowly(socket);
}

/**
 * Ends a connection whose client may still be sending. That is read and dropped for a while: to
 * close at once would reset the connection before the client has read its answer.
 */
function closeSlowly(socket: Duplex): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', () => socket.destroy());
}

function whenFinished(response: ServerResponse | undefined, next: () => void): void {
  if (!response || response.writableFinished) next();
  else response.once('finish', next);
}
