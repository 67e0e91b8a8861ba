import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerSessionOptions,
} from 'node:http2';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { countedClient, MAX_HEADER_BYTES, type Timeouts } from '../connections/limits.ts';
import type { ServerContext } from '../connections/listener.ts';
import type { EdgeRequest } from '../http/edge-request.ts';
import { bodyReader } from '../http/request-body.ts';
import type { EdgeResponse } from '../http/response.ts';
import { type EdgeLog, logResponse } from '../log.ts';
import type { Headers } from '../sites/file-headers.ts';
import { serverNameOf } from '../tls/protocol.ts';
import { type SendBuffer, sendBuffers } from './send-buffers.ts';

const { NGHTTP2_CANCEL, NGHTTP2_FLAG_END_STREAM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR } =
  constants;

/** RFC 9113, section 5.1.2 wants no fewer. */
const MAX_STREAMS = 100;

/** Memory of a session, in megabytes: a chunk of a response for each stream, and their headers. */
const MAX_SESSION_MB = 4;

/** Time for a reset to be sent, in milliseconds; after it the connection is closed. */
const CANCEL_MS = 1_000;

/** How long a session that begins while the edge closes may still open streams, in milliseconds. */
const LATE_MS = 1_000;

/** Streams that a client may reset: a burst, then this many a second (CVE-2023-44487). */
const RESET_BURST = 200;
const RESETS_PER_SECOND = 20;

const OPTIONS: ServerSessionOptions = {
  maxSessionMemory: MAX_SESSION_MB,
  streamResetBurst: RESET_BURST,
  streamResetRate: RESETS_PER_SECOND,
  maxSettings: 32,
  maxOutstandingPings: 10,
  maxSessionInvalidFrames: 100,
  settings: {
    enablePush: false,
    maxConcurrentStreams: MAX_STREAMS,
    maxHeaderListSize: MAX_HEADER_BYTES,
  },
};

export interface Http2Sessions {
  /** Takes a connection that negotiated HTTP/2. */
  accept(socket: TLSSocket): void;
  /**
   * Closes each session once its streams have ended; new streams are refused, which their clients may send again
   * elsewhere (RFC 9113, section 8.7).
   */
  close(): void;
}

/** Handles requests over HTTP/2 (RFC 9113). */
export function http2Sessions(context: ServerContext): Http2Sessions {
  const { respond, failures, log, timeouts, closing } = context;
  const isLogged = log.isLevelEnabled('debug');
  const sessions = new Set<ServerHttp2Session>();
  // A stream that stalls is cancelled first, which may be all that it takes.
  const openBuffer = sendBuffers(timeouts.stalled + CANCEL_MS);

  const handleStream = (stream: ServerHttp2Stream, request: EdgeRequest, buffer: SendBuffer) => {
    const send = (response: EdgeResponse) => {
      // The client may have left meanwhile.
      if (!stream.destroyed && !stream.closed)
        sendResponse(stream, request.method, response, buffer);
    };
    const fail = (error: unknown) => {
      failures.report(error);
      if (stream.headersSent) stream.close(NGHTTP2_INTERNAL_ERROR);
      else send(failures.response);
    };

    if (isLogged) logStream(log, stream, request);
    try {
      const response = respond(request);
      if (!(response instanceof Promise)) {
        send(response);
        return;
      }
      response.then(send).catch(fail);
    } catch (error) {
      fail(error);
    }
  };

  return {
    accept(socket) {
      const serverName = serverNameOf(socket);
      const session = performServerHandshake(socket, OPTIONS);
      const buffer = openBuffer(socket);
      sessions.add(session);
      session.on('stream', (stream, headers, flags) => {
        limitStream(stream, flags, socket, timeouts);
        handleStream(stream, edgeRequestOf(stream, headers, serverName, socket), buffer);
      });
      // The client may never take the last frame.
      session.on('error', () => setTimeout(() => socket.destroy(), CANCEL_MS).unref());
      socket.once('close', () => sessions.delete(session));
      endIdle(session, socket, timeouts);
      // The handshake was under way when the others were told.
      if (closing.aborted) setTimeout(() => session.close(), LATE_MS).unref();
    },
    close() {
      for (const session of sessions) session.close();
    },
  };
}

function logStream(log: EdgeLog, stream: ServerHttp2Stream, request: EdgeRequest): void {
  const begun = performance.now();
  stream.once('close', () =>
    logResponse(log, request, Number(stream.sentHeaders?.[':status'] ?? 0), begun),
  );
}

function limitStream(
  stream: ServerHttp2Stream,
  flags: number,
  socket: TLSSocket,
  { stalled }: Timeouts,
): void {
  // The client has gone, so nobody can be told.
  stream.on('error', () => undefined);
  stream.setTimeout(stalled, () => {
    stream.close(NGHTTP2_CANCEL);
    setTimeout(() => stream.destroyed || socket.destroy(), CANCEL_MS).unref();
  });
  if (flags & NGHTTP2_FLAG_END_STREAM) return;
  // Most request bodies are ignored: nothing reads them, so at most one window arrives before the response, and the
  // stream is closed after it (RFC 9113, section 8.1).
  stream.once('finish', () => stream.close(NGHTTP2_NO_ERROR));
}

function edgeRequestOf(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  serverName: string,
  socket: TLSSocket,
): EdgeRequest {
  const { ':method': method = '', ':path': target = '', ':authority': authority, host } = headers;
  // RFC 9113, section 8.3.1: they must not differ; a request translated from HTTP/1.1 may lack :authority.
  const isOne = authority === undefined || host === undefined || authority === host;
  return {
    method,
    target,
    authority: isOne ? (authority ?? host) : undefined,
    headers,
    serverName,
    client: () => countedClient(socket),
    onClose: (listener) => {
      if (stream.destroyed) listener();
      else stream.once('close', listener);
    },
    readBody: bodyReader(stream),
  };
}

/**
 * Closes a session that has had no stream for as long as HTTP/1 keeps a connection. Other frames do not count: a client
 * may send PING for ever. Streams have a timeout of their own.
 */
function endIdle(
  session: ServerHttp2Session,
  socket: TLSSocket,
  { keepAlive, headers }: Timeouts,
): void {
  let open = 0;
  const end = () => {
    if (open > 0) return;
    session.close();
    // Node waits for the client to end its side, which it may never do.
    setTimeout(() => socket.destroy(), headers).unref();
  };
  const idle = setTimeout(end, keepAlive).unref();
  session.on('stream', (stream) => {
    open++;
    stream.once('close', () => {
      open--;
      if (open === 0) idle.refresh();
    });
  });
  socket.once('close', () => clearTimeout(idle));
}

/** The headers of a file are one object for all its responses, so their names in lower case are cached. */
const lowerCased = new WeakMap<Headers, Headers>();

function sendResponse(
  stream: ServerHttp2Stream,
  method: string,
  { status, headers, content, body }: EdgeResponse,
  buffer: SendBuffer,
): void {
  const endStream = !body && (method === 'HEAD' || content.length === 0);
  // With status and date, or Node would put them into the list.
  const list = [':status', String(status), ...toLowerCaseNames(headers), 'date', date()];
  stream.respond(list as unknown as Parameters<typeof stream.respond>[0], { endStream });
  if (endStream) return;
  if (body) {
    void sendBody(stream, body, buffer);
    return;
  }
  if (typeof content !== 'string') sendChunks(stream, content, buffer);
  else {
    buffer.add(content.length);
    stream.end(content, 'latin1', (error?: Error | null) => buffer.remove(content.length, !error));
  }
}

/**
 * Chunk by chunk, each when the one before is sent: what is queued counts as the session's memory, and where that is
 * full, Node resets streams (ENHANCE_YOUR_CALM).
 */
function sendChunks(stream: ServerHttp2Stream, content: Buffer, buffer: SendBuffer): void {
  let at = 0;
  const send = () => {
    if (stream.destroyed) return;
    const chunk = content.subarray(at, at + buffer.chunkBytes());
    at += chunk.length;
    buffer.add(chunk.length);
    const sent = (error?: Error | null) => {
      buffer.remove(chunk.length, !error);
      // Not at once. Node does not report a broken connection here, and a write from within this call would never
      // finish, nor the connection close. A turn later Node knows.
      if (!error && at < content.length) setImmediate(send);
    };
    if (at < content.length) stream.write(chunk, sent);
    else stream.end(chunk, sent);
  };
  send();
}

/** Piece by piece as it comes, each when the one before is sent, for the same reasons. */
async function sendBody(
  stream: ServerHttp2Stream,
  body: Readable,
  buffer: SendBuffer,
): Promise<void> {
  stream.once('close', () => body.destroy());
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      buffer.add(piece.length);
      stream.write(piece, (error) => resolve(!error));
      const isTaken = await promise;
      buffer.remove(piece.length, isTaken);
      if (!isTaken || stream.destroyed) return;
      await nextTurn();
    }
    stream.end();
  } catch {
    stream.close(NGHTTP2_INTERNAL_ERROR);
  }
}

/** RFC 9113, section 8.2.1: names are in lower case. */
function toLowerCaseNames(headers: Headers): Headers {
  const known = lowerCased.get(headers);
  if (known) return known;
  const lower = headers.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text));
  lowerCased.set(headers, lower);
  return lower;
}

let second = Number.NaN;
let text = '';

function date(): string {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) {
    second = now;
    text = new Date(now * 1_000).toUTCString();
  }
  return text;
}
