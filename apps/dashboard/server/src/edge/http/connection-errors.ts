import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Exchanges } from '@petstore/http/exchanges.ts';
import { STATUS_CODES } from '@petstore/http/node-http.ts';
import { RequestLines } from '@petstore/http/request-lines.ts';
import { MAX_HEADER_BYTES } from '../connections/limits.ts';

interface ParserError extends Error {
  code?: string;
  /** The bytes that the parser was reading when it gave up. */
  rawPacket?: Buffer;
}

/** The body of an answer, by its status. */
export type BodyOf = (status: number) => { readonly type: string; readonly text: string };

const plainBody: BodyOf = (status) => ({
  type: 'text/plain; charset=utf-8',
  text: `${STATUS_CODES[status]}\n`,
});

/**
 * Answers what is no request: bytes that are no HTTP, headers beyond the limit, a request that does not
 * arrive in time, CONNECT. Who asked before on the same connection is answered before: `handleWaiting`
 * handles the requests that have not been.
 */
export function refuseBadConnections(
  server: Server,
  handleWaiting: () => void,
  bodyOf: BodyOf = plainBody,
): void {
  const exchanges = new Exchanges(server);
  const lines = new RequestLines(server, MAX_HEADER_BYTES);
  const refused = new WeakSet<Duplex>();

  const refuse = (socket: Duplex, status: number, headers = ''): void => {
    if (refused.has(socket)) return; // The parser complains about every packet that follows.
    refused.add(socket);
    handleWaiting();
    exchanges.end(socket, responseOf(status, headers, bodyOf(status)));
  };

  server.on('clientError', (error: ParserError, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else refuse(socket, statusOf(error, lines.isInLine(socket, error.rawPacket)));
  });
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    refuse(socket, 405, 'Allow: GET, HEAD, OPTIONS\r\n');
  });
}

/** `isInLine`: whether the connection is still in the first line of a request. */
function statusOf({ code }: ParserError, isInLine: boolean): number {
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

function responseOf(status: number, headers: string, { type, text }: ReturnType<BodyOf>): string {
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
    `Date: ${new Date().toUTCString()}\r\n` +
    `Content-Type: ${type}\r\n` +
    `Content-Length: ${Buffer.byteLength(text)}\r\n` +
    `${headers}Cache-Control: no-store\r\nConnection: close\r\n\r\n${text}`
  );
}
