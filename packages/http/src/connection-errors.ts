import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Exchanges } from './exchanges.ts';
import { STATUS_CODES } from './node-http.ts';
import { RequestLines } from './request-lines.ts';

/** Why a connection is closed with an error response. */
export interface ConnectionError {
  /** 405: CONNECT. 414: the request line is too long, 431: the head. */
  readonly status: 400 | 405 | 408 | 413 | 414 | 431;
  /** What Node's parser says; empty for CONNECT. */
  readonly reason: string;
  /** The parser's code of the error, for the log. */
  readonly cause: string | undefined;
  /** The request that was still arriving on the connection. */
  readonly unfinished: IncomingMessage | undefined;
}

/** Headers beside Date, Content-Length, Cache-Control and Connection. */
export interface ErrorResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface ParserError extends Error {
  readonly code?: string;
  readonly reason?: string;
  /** The bytes that the parser was reading when it failed. */
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number;
}

/**
 * Responds to what never becomes a request: bytes that are not HTTP, a head beyond the limit, a request that does not
 * arrive in time, CONNECT. Then it closes the connection, behind the responses to earlier requests. `maxHeaderBytes`:
 * the limit of the server's parser. `respond` is called once for such a connection. The returned function says whether
 * a connection has been, or will be, closed in this way.
 */
export function refuseBadConnections(
  server: Server,
  maxHeaderBytes: number,
  respond: (error: ConnectionError) => ErrorResponse,
): (socket: Duplex) => boolean {
  const exchanges = new Exchanges(server);
  const lines = new RequestLines(server, maxHeaderBytes);
  const refused = new WeakSet<Duplex>();

  const refuse = (
    socket: Duplex,
    error: Omit<ConnectionError, 'unfinished'>,
    hasHeadLine: boolean,
  ): void => {
    if (refused.has(socket)) return; // The parser complains about every packet that follows.
    refused.add(socket);
    const unfinished = exchanges.unfinished(socket);
    const response = respond({ ...error, unfinished });
    const isHead = unfinished ? unfinished.method === 'HEAD' : hasHeadLine;
    exchanges.end(socket, bytesOf(error.status, response, isHead));
  };

  server.on('clientError', (error: ParserError, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const { isInLine, isHead } = lines.refused(socket, error.rawPacket, error.bytesParsed);
    const status = statusOf(error, isInLine);
    const reason = (error.reason ?? error.message).replace(/^Parse Error: /, '').replace(/\.$/, '');
    refuse(socket, { status, reason, cause: error.code }, isHead);
  });
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    refuse(socket, { status: 405, reason: '', cause: undefined }, false);
  });
  return (socket) => refused.has(socket);
}

/** `isInLine`: whether the connection is still in the first line of a request. */
function statusOf({ code }: ParserError, isInLine: boolean): ConnectionError['status'] {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408;
    case 'HPE_HEADER_OVERFLOW':
      return isInLine ? 414 : 431;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 413;
    default:
      return 400;
  }
}

/** A response to HEAD has the headers of one with content, but no content (RFC 9110, sections 8.6 and 9.3.2). */
function bytesOf(status: number, { headers, body }: ErrorResponse, isHead: boolean): string {
  const all = {
    Date: new Date().toUTCString(),
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...headers,
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${isHead ? '' : body}`;
}
