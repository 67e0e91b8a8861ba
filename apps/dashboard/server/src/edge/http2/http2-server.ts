import type { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { countedClient } from '../connections/limits.ts';
import type { ServerContext } from '../connections/listener.ts';
import type { EdgeRequest } from '../http/edge-request.ts';
import { type EdgeResponse, textResponse } from '../http/response.ts';
import { logResponse } from '../log.ts';
import type { Headers } from '../sites/file-headers.ts';
import { serverNameOf } from '../tls/protocol.ts';
import { Http2Connection } from './connection.ts';
import { ERROR_CODE } from './frames.ts';
import { encodeHeaders } from './hpack/encode.ts';
import { type RequestHeaders, readRequestHeaders } from './request-headers.ts';
import { sendBuffers } from './send-buffers.ts';
import type { ServerStream } from './stream.ts';

/** Time for a reset to be sent, in milliseconds; after it the connection is closed. */
const CANCEL_MS = 1_000;

/** How long a connection that begins while the edge closes may still open streams, in milliseconds. */
const LATE_MS = 1_000;

export interface Http2Server {
  /** Takes a connection that negotiated HTTP/2. */
  accept(socket: TLSSocket): void;
  /** Tells all clients to open no more streams, and closes each connection a second later, as `close` does. */
  retire(): void;
  /** Closes each connection once its streams have ended; new streams are refused. */
  close(): void;
}

/** Handles requests over HTTP/2 (RFC 9113). */
export function serveHttp2(context: ServerContext): Http2Server {
  const { respond, failures, log, timeouts, closing } = context;
  const isLogged = log.isLevelEnabled('debug');
  const connections = new Set<Http2Connection>();
  // A stream that stalls is cancelled first, which may be all that it takes.
  const openBuffer = sendBuffers(timeouts.stalled + CANCEL_MS);

  const handle = (
    connection: Http2Connection,
    stream: ServerStream,
    request: EdgeRequest,
  ): void => {
    const begun = isLogged ? performance.now() : 0;
    const send = (response: EdgeResponse) => {
      if (isLogged && !stream.isClosed) {
        stream.onClose(() => logResponse(log, request, response.status, begun));
      }
      sendResponse(connection, stream, request.method, response);
    };
    const fail = (error: unknown) => {
      failures.report(error);
      if (stream.isAnswered) connection.refuse(stream, ERROR_CODE.internalError);
      else send(failures.response);
    };
    try {
      const response = respond(request);
      if (!(response instanceof Promise)) send(response);
      else response.then(send).catch(fail);
    } catch (error) {
      fail(error);
    }
  };

  return {
    accept(socket) {
      const serverName = serverNameOf(socket);
      const client = () => countedClient(socket);
      const connection = new Http2Connection({
        ...{ socket, timeouts, buffer: openBuffer(socket) },
        onFault: (error) => failures.report(error),
        onRequest(stream, list) {
          if (!list) {
            sendResponse(connection, stream, 'GET', textResponse(431));
            return;
          }
          const request = readRequestHeaders(list);
          if (!request || (stream.isRemoteEnded && request.length)) {
            connection.refuseRequest(stream);
            return;
          }
          stream.missing = request.length;
          handle(connection, stream, {
            ...edgeRequestOf(stream, request, serverName, client),
            readBody(maxBytes) {
              if (waitsForContinue(stream, request)) connection.inform(stream, CONTINUE);
              return stream.readBody(maxBytes);
            },
          });
        },
      });
      connections.add(connection);
      socket.once('close', () => connections.delete(connection));
      if (closing.aborted) setTimeout(() => connection.retire(), LATE_MS).unref();
    },
    retire() {
      for (const connection of connections) connection.retire();
    },
    close() {
      for (const connection of connections) connection.close();
    },
  };
}

function edgeRequestOf(
  stream: ServerStream,
  { method, target, authority, headers }: RequestHeaders,
  serverName: string,
  client: () => string | undefined,
): Omit<EdgeRequest, 'readBody'> {
  return {
    ...{ method, target, authority, headers, serverName, client },
    onClose: (listener) => stream.onClose(listener),
  };
}

const CONTINUE = encodeHeaders([':status', '100']);

/** Whether the client sends no body before it is told to (RFC 9110, section 10.1.1). */
function waitsForContinue(stream: ServerStream, { headers }: RequestHeaders): boolean {
  const isExpected = headers.expect?.toLowerCase() === '100-continue';
  return isExpected && !stream.isRemoteEnded && stream.unreadBytes === 0;
}

const NOTHING = Buffer.alloc(0);

function sendResponse(
  connection: Http2Connection,
  stream: ServerStream,
  method: string,
  { status, headers, content, body }: EdgeResponse,
): void {
  const block = blockOf(status, headers);
  if (method === 'HEAD') connection.respond(stream, block, NOTHING);
  else if (body) {
    connection.respond(stream, block, NOTHING, true);
    void sendBody(connection, stream, body);
  } else {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
    connection.respond(stream, block, bytes);
  }
}

/** Piece by piece as it comes, each when the one before is sent. */
async function sendBody(
  connection: Http2Connection,
  stream: ServerStream,
  body: Readable,
): Promise<void> {
  stream.onClose(() => body.destroy());
  try {
    for await (const piece of body as AsyncIterable<Buffer>) await stream.sendPart(piece);
    stream.endParts();
  } catch {
    connection.refuse(stream, ERROR_CODE.internalError);
  }
}

/** The headers of a file are one object for all its responses, so they are encoded once. */
const encoded = new WeakMap<Headers, { readonly status: number; readonly block: Buffer }>();

/** The header block of a response, with its status and date. */
function blockOf(status: number, headers: Headers): Buffer {
  const known = encoded.get(headers);
  if (known?.status === status) return Buffer.concat([known.block, date()]);
  // RFC 9113, section 8.2.1: names are in lower case.
  const lower = headers.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text));
  const block = encodeHeaders([':status', String(status), ...lower]);
  encoded.set(headers, { status, block });
  return Buffer.concat([block, date()]);
}

let second = Number.NaN;
let encodedDate: Buffer = NOTHING;

function date(): Buffer {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) {
    second = now;
    encodedDate = encodeHeaders(['date', new Date(now * 1_000).toUTCString()]);
  }
  return encodedDate;
}
