import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LINGER_MS } from './lingering.ts';
import { METHODS, STATUS_CODES } from './node-http.ts';

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

/** Which part of a request's head a connection is in, as far as is known, and how much of its line has arrived. */
interface Progress {
  readonly place: 'nothing' | 'line' | 'beyond' | 'end';
  readonly lineBytes: number;
  /** The first characters of the line, as many as `HEAD ` has. */
  readonly beginning: string;
}

const NOTHING: Progress = { place: 'nothing', lineBytes: 0, beginning: '' };

function beginningOf(before: Progress, text: string): string {
  return (before.beginning + text).slice(0, 'HEAD '.length);
}

/** The end of a head. */
const EMPTY_LINE = '\r\n\r\n';

/** Members of sockets beyond their public interface. Where they are missing, only the last packet is seen. */
interface Internals {
  /** Called after each packet that the parser has read from the system by itself, and after each write. */
  _unrefTimer?: () => void;
  /** The response that this connection is waiting for. */
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { getCurrentBuffer?: () => Buffer } | null;
}

/**
 * Tells, for a refused request that may have come in many packets, whether it is a HEAD, and whether the connection is
 * still in its line: a head that is too long is a 414 then (RFC 9110, section 15.5.15), and a 431 otherwise.
 *
 * Node does not report earlier packets: its parser reads them from the system by itself, and to get them as 'data'
 * instead would cost each request a tenth more. But after each packet Node restarts the socket's timer, by a method
 * that can be observed while the parser still has the packet. It is observed only where no response is outstanding; so
 * a line that begins before the response to the previous request is not seen.
 */
class RequestLines {
  readonly #maxHeaderBytes: number;
  readonly #progress = new WeakMap<object, Progress>();

  /** `maxHeaderBytes`: the limit of the server's parser. */
  constructor(server: Server, maxHeaderBytes: number) {
    this.#maxHeaderBytes = maxHeaderBytes;
    const event = 'setSecureContext' in server ? 'secureConnection' : 'connection';
    server.on(event, (socket, first?: Buffer) => this.#watch(socket, first));
  }

  /** `packet`: the one that made the parser fail; `parsedBytes`: how many of its bytes it read. */
  refused(
    socket: object,
    packet: unknown,
    parsedBytes: number | undefined,
  ): { readonly isInLine: boolean; readonly isHead: boolean } {
    let progress = this.#progress.get(socket) ?? NOTHING;
    if (progress === NOTHING && Buffer.isBuffer(packet)) {
      progress = this.#after(NOTHING, packet.subarray(0, parsedBytes));
    }
    return { isInLine: progress.place === 'line', isHead: progress.beginning === 'HEAD ' };
  }

  /** `first`: a packet that was read from the system before the parser had the connection. */
  #watch(socket: Socket & Internals, first: Buffer | undefined): void {
    const restart = socket._unrefTimer;
    if (!restart) return;
    let progress = NOTHING;
    const record = (next: Progress) => {
      if (next === progress) return;
      progress = next;
      this.#progress.set(socket, next);
    };
    if (first) record(this.#after(NOTHING, first));
    socket._unrefTimer = () => {
      restart.call(socket);
      // Checked first, and on the socket alone, since it happens several times for each request.
      if (socket._httpMessage) return record(NOTHING);
      const packet = socket.parser?.getCurrentBuffer?.();
      if (packet && packet.length > 0) record(this.#after(progress, packet));
    };
  }

  #after(before: Progress, packet: Buffer): Progress {
    if (before.place === 'end') return this.#after(NOTHING, packet);
    const head = packet.lastIndexOf(EMPTY_LINE);
    if (head >= 0) {
      // Whole requests may precede what is none yet. One that began earlier may be the one that is refused.
      if (before.place === 'nothing') {
        return this.#after(NOTHING, packet.subarray(head + EMPTY_LINE.length));
      }
      const beginning = beginningOf(before, packet.toString('latin1', 0, 'HEAD '.length));
      return { ...before, place: 'end', beginning };
    }
    if (before.place === 'beyond') return before;
    let text = packet.toString('latin1');
    if (before.place === 'nothing') {
      // Empty lines may precede a request (RFC 9112, section 2.2).
      text = text.replace(/^[\r\n]+/, '');
      // A packet may also bring the end of a body.
      if (!METHODS.some((method) => begins(text, `${method} `))) return NOTHING;
    }
    const end = text.indexOf('\n');
    const lineBytes = before.lineBytes + (end < 0 ? text.length : end);
    const isBeyond = end >= 0 && lineBytes < this.#maxHeaderBytes;
    return { place: isBeyond ? 'beyond' : 'line', lineBytes, beginning: beginningOf(before, text) };
  }
}

/** Whether a text begins like this, or is a beginning of it. */
function begins(text: string, start: string): boolean {
  if (text === '') return false;
  return text.length < start.length ? start.startsWith(text) : text.startsWith(start);
}

/** The response to the last request of a connection, and the one before it if that is not sent yet. */
interface Exchange {
  response: ServerResponse;
  previous: ServerResponse | undefined;
}

/**
 * Closes connections on which something other than a request, or an incomplete one, arrived: each request gets one
 * response, in the order of the requests, and the last bytes come behind them all.
 */
class Exchanges {
  readonly #exchanges = new WeakMap<Duplex, Exchange>();

  constructor(server: Server) {
    server.on('request', ({ socket }, response) => {
      const exchange = this.#exchanges.get(socket);
      if (exchange) {
        const last = exchange.response;
        exchange.previous = last.writableFinished ? undefined : last;
        exchange.response = response;
      } else {
        this.#exchanges.set(socket, { response, previous: undefined });
      }
    });
  }

  /** The request that was still arriving on a connection. */
  unfinished(socket: Duplex): IncomingMessage | undefined {
    const request = this.#exchanges.get(socket)?.response.req;
    return request?.complete ? undefined : request;
  }

  /**
   * Closes a connection with one more response, whose bytes these are. It is left out where the request that was still
   * arriving gets its response in this turn of the event loop, or has it already.
   */
  end(socket: Duplex, bytes: string): void {
    setImmediate(() => {
      const { response, previous } = this.#exchanges.get(socket) ?? {};
      const send = () => {
        if (!socket.writable) return;
        socket.write(bytes);
        closeSlowly(socket);
      };
      // Earlier requests get their responses first: a pipelining client relies on the order.
      if (response?.req.complete) whenFinished(response, send);
      else if (response?.headersSent) whenFinished(response, () => closeSlowly(socket));
      else whenFinished(previous, send);
    });
  }
}

/**
 * Closes a connection whose client may still be sending (lingering close). What arrives is read and dropped for a
 * while: to close at once would reset the connection before the client has read its response.
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
