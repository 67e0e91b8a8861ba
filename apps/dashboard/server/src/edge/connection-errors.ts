import { METHODS, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

interface ParserError extends Error {
  code?: string;
  /** The bytes that the parser was reading when it gave up. */
  rawPacket?: Buffer;
}

/** How long a client may go on sending after it was refused, in milliseconds. */
const LINGER_MS = 5_000;

/** The body of an answer, by its status. */
export type BodyOf = (status: number) => { readonly type: string; readonly text: string };

const plainBody: BodyOf = (status) => ({
  type: 'text/plain; charset=utf-8',
  text: `${STATUS_CODES[status]}\n`,
});

/**
 * Answers what is no request: bytes that are no HTTP, headers beyond the limit, a request that does not
 * arrive in time, CONNECT. Who asked before on the same connection is answered before: `handleWaiting`
 * handles the requests that have not been, and `expect` is to be told of each answer that is still to
 * come after that.
 */
export function refuseBadConnections(
  server: Server,
  handleWaiting: () => void,
  bodyOf: BodyOf = plainBody,
) {
  const awaited = new WeakMap<Duplex, ServerResponse>();
  const refused = new WeakSet<Duplex>();

  const refuse = (socket: Duplex, status: number, headers = ''): void => {
    if (refused.has(socket)) return; // The parser complains about every packet that follows.
    refused.add(socket);
    handleWaiting();
    const last = awaited.get(socket);
    const send = () => sendAndClose(socket, status, headers, bodyOf(status));
    if (!last || last.writableFinished) send();
    else last.once('finish', send);
  };

  server.on('clientError', (error: ParserError, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else refuse(socket, statusOf(error));
  });
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    refuse(socket, 405, 'Allow: GET, HEAD, OPTIONS\r\n');
  });

  return {
    expect(socket: Duplex, response: ServerResponse): void {
      awaited.set(socket, response);
    },
  };
}

function statusOf({ code, rawPacket }: ParserError): number {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408;
    case 'HPE_HEADER_OVERFLOW':
      return isStillInRequestLine(rawPacket) ? 414 : 431;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 413;
    default:
      return 400;
  }
}

/** Whether a packet begins with a method and holds no end of a line. */
function isStillInRequestLine(packet: Buffer | undefined): boolean {
  if (!packet || packet.includes('\n')) return false;
  const start = packet.subarray(0, 20).toString('latin1');
  return METHODS.includes(start.slice(0, start.indexOf(' ')));
}

/**
 * What the client may still be sending is read and dropped for a while: to close at once would reset the
 * connection before the client has read its answer.
 */
function sendAndClose(
  socket: Duplex,
  status: number,
  headers: string,
  { type, text }: ReturnType<BodyOf>,
): void {
  if (!socket.writable) return;
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      `Date: ${new Date().toUTCString()}\r\n` +
      `Content-Type: ${type}\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n` +
      `${headers}Cache-Control: no-store\r\nConnection: close\r\n\r\n${text}`,
  );
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', () => socket.destroy());
}
