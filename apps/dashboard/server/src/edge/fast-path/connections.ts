import type { Socket } from 'node:net';
import { keepAliveLines } from '@petstore/http/keep-alive-lines.ts';
import type { ProtocolMetrics } from '../metrics/edge-metrics.ts';
import { type ConnectionMemory, readFastPathRequest } from './request.ts';
import type { FastPathResponder, FastPathResponse } from './responses.ts';

export interface FastPathTimeouts {
  /** Until the first bytes of the first request, in milliseconds. */
  readonly headers: number;
  readonly keepAlive: number;
  readonly stalled: number;
}

/**
 * Beyond this a client that sends more than it reads leaves the fast path. Not zero: over TLS a write counts as queued
 * until after the client may have sent its next request.
 */
const MAX_QUEUED_BYTES = 64 * 1024;

/** How long a new connection may be silent before it is idle, in milliseconds: its request may be on its way. */
const NEW_MS = 1_000;

const NOTHING = Buffer.alloc(0);

export interface FastPathConnections {
  /** Takes a new connection; `serverName`: that of its TLS handshake, undefined without TLS. */
  accept(socket: Socket, serverName: string | undefined): void;
  closeIdle(): void;
}

/**
 * Puts a fast path in front of an HTTP server: for simple GETs whose response is in memory. Two thirds of the time
 * of such a response go into the objects that Node makes of a request and a response, and the fast path makes none.
 * With the first request that is anything else, or whose response is not in memory, the connection and everything that
 * it sent go to the server, for good. So in doubt nothing has to be decided here.
 *
 * Responses to requests of one turn of the event loop are sent together at its end, as `batchPerTick` does.
 */
export function serveFastPath(
  /** Hands a connection to the server. `read`: the bytes that were put back into it. */
  acceptForServer: (socket: Socket, read: Buffer) => void,
  respond: FastPathResponder,
  timeouts: FastPathTimeouts,
  closing: AbortSignal,
  metrics: ProtocolMetrics | undefined,
): FastPathConnections {
  /** The sockets on the fast path, and since when each waits for its first request; undefined once it has arrived. */
  const sockets = new Map<Socket, number | undefined>();
  let waiting: { readonly socket: Socket; readonly response: FastPathResponse }[] = [];
  /** When the first of them came. */
  let begun = 0;
  const connectionLines = keepAliveLines(timeouts.keepAlive);

  const sendWaiting = () => {
    const batch = waiting;
    waiting = [];
    const lines = connectionLines();
    for (const { socket, response } of batch) send(socket, response, lines);
    if (batch.length > 0) metrics?.sent(batch, begun);
  };

  const send = (socket: Socket, { head, content }: FastPathResponse, lines: string) => {
    if (typeof content === 'string') {
      socket.write(head + lines + content, 'latin1');
      return;
    }
    socket.cork();
    socket.write(head + lines, 'latin1');
    socket.write(content);
    socket.uncork();
    // Mostly the system takes all of it at once, and the timeout stays as it is: to set it costs as much as the write.
    if (socket.writableLength === 0) return;
    socket.setTimeout(timeouts.stalled);
    socket.write(NOTHING, () => sockets.has(socket) && socket.setTimeout(timeouts.keepAlive));
  };

  const accept = (socket: Socket, serverName: string | undefined) => {
    let isNew = true;
    const memory: ConnectionMemory = { userAgent: '' };
    const onData = (bytes: Buffer) => {
      const isBehind = socket.writableLength > MAX_QUEUED_BYTES;
      const request = closing.aborted || isBehind ? undefined : readFastPathRequest(bytes, memory);
      const response = request && respond(request, serverName);
      if (!response) {
        handOver(bytes);
        return;
      }
      if (isNew) {
        socket.setTimeout(timeouts.keepAlive);
        sockets.set(socket, undefined);
      }
      isNew = false;
      if (waiting.length === 0) {
        setImmediate(sendWaiting);
        if (metrics) begun = performance.now();
      }
      waiting.push({ socket, response });
    };
    // Requests from before the end still get their responses in this turn.
    const onEnd = () => setImmediate(() => socket.end());
    const destroy = () => socket.destroy();
    const onTimeout = () => {
      const { bytesRead } = socket;
      // If this process stood still itself, it first reads what arrived meanwhile; that also starts the time anew.
      setImmediate(() => socket.bytesRead === bytesRead && destroy());
    };
    const onClose = () => sockets.delete(socket);

    const handOver = (bytes: Buffer) => {
      // The same turn may have brought simple requests before this one, in several TLS records for instance.
      sendWaiting();
      sockets.delete(socket);
      socket.off('data', onData).off('end', onEnd).off('close', onClose);
      socket.off('timeout', onTimeout).off('error', destroy);
      socket.setTimeout(0);
      socket.pause();
      socket.unshift(bytes);
      acceptForServer(socket, bytes);
      socket.resume();
    };

    sockets.set(socket, performance.now());
    socket.on('data', onData).on('end', onEnd).on('close', onClose);
    socket.on('timeout', onTimeout).on('error', destroy);
    socket.setTimeout(timeouts.headers);
  };

  return {
    accept,
    closeIdle() {
      sendWaiting();
      const now = performance.now();
      for (const [socket, newSince] of sockets) {
        const isNew = newSince !== undefined && now - newSince < NEW_MS;
        if (!isNew && socket.writableLength === 0) socket.destroySoon();
      }
    },
  };
}
