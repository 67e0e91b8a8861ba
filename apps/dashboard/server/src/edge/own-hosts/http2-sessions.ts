import {
  constants,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerSessionOptions,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { MAX_HEADER_BYTES, type Timeouts } from '../connections/limits.ts';
import type { ServerContext } from '../connections/listener.ts';
import { handOverStream, type OwnHost } from './own-host.ts';

const { NGHTTP2_CANCEL, NGHTTP2_FLAG_END_STREAM, NGHTTP2_NO_ERROR } = constants;

/** Time for a reset to be sent, in milliseconds; after it the connection is closed. */
const CANCEL_MS = 1_000;

/** How long a client may still open streams on a session once the edge closes, in milliseconds. */
const LATE_MS = 1_000;

/** The largest that there may be. */
const LAST_STREAM_ID = 2 ** 31 - 1;

const OPTIONS: ServerSessionOptions = {
  // Megabytes: these servers write their responses by themselves, whole.
  maxSessionMemory: 32,
  // Streams that a client may reset: a burst, then this many a second (CVE-2023-44487).
  streamResetBurst: 200,
  streamResetRate: 20,
  maxSettings: 32,
  maxOutstandingPings: 10,
  maxSessionInvalidFrames: 100,
  settings: {
    enablePush: false,
    // RFC 9113, section 5.1.2 wants no fewer.
    maxConcurrentStreams: 100,
    maxHeaderListSize: MAX_HEADER_BYTES,
  },
};

export interface OwnHostSessions {
  /** Takes a connection that negotiated HTTP/2 by the name of a host of the installation's own. */
  accept(socket: TLSSocket, own: OwnHost): void;
  /** Tells all clients to open no more streams, and closes each session a second later. */
  retire(): void;
  /** Closes each session once its streams have ended; new streams are refused (RFC 9113, section 8.7). */
  close(): void;
}

/**
 * HTTP/2 for servers of Node's own kind, such as Fastify's, which need its streams. Sites have a server of their own
 * (edge/http2/), which does less for a request.
 */
export function ownHostSessions({
  timeouts,
  closing,
}: Pick<ServerContext, 'timeouts' | 'closing'>): OwnHostSessions {
  const sessions = new Set<ServerHttp2Session>();
  const retire = (session: ServerHttp2Session) => {
    // What the client sent before it read this is still handled (RFC 9113, section 6.8).
    if (!session.destroyed) session.goaway(NGHTTP2_NO_ERROR, LAST_STREAM_ID);
    setTimeout(() => session.close(), LATE_MS).unref();
  };
  return {
    accept(socket, own) {
      const session = performServerHandshake(socket, OPTIONS);
      sessions.add(session);
      session.on('stream', (stream, headers, flags, rawHeaders) => {
        limitStream(stream, flags, socket, timeouts);
        handOverStream(own, stream, headers, rawHeaders);
      });
      // The client may never take the last frame.
      session.on('error', () => setTimeout(() => socket.destroy(), CANCEL_MS).unref());
      socket.once('close', () => sessions.delete(session));
      endIdle(session, socket, timeouts);
      // The handshake was under way when the others were told.
      if (closing.aborted) setTimeout(() => session.close(), LATE_MS).unref();
    },
    retire() {
      for (const session of sessions) retire(session);
    },
    close() {
      for (const session of sessions) session.close();
    },
  };
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
  // Where nothing reads the body, at most one window arrives before the response, and the stream is closed after it
  // (RFC 9113, section 8.1).
  stream.once('finish', () => stream.close(NGHTTP2_NO_ERROR));
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
