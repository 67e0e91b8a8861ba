import type { Socket } from 'node:net';
import { keepAliveLines } from '@petstore/http/keep-alive-lines.ts';
import { readFastPathRequest } from './request.ts';
import type { FastPathResponder, FastPathResponse } from './responses.ts';

export interface FastPathTimeouts {
  /** Until the first bytes of the first request, in milliseconds. */
  readonly headers: number;
  readonly keepAlive: number;
  readonly stalled: number;
}

/**
 * A client that sends more than it reads gets no more queued up for it here. Not nothing at all: over TLS a
 * write counts as queued until after its client may have asked again.
 */
const MAX_QUEUED_BYTES = 64 * 1024;

export interface FastPathConnections {
  /** Takes a new connection; `serverName` is that of its TLS, undefined where there is none. */
  accept(socket: Socket, serverName: string | undefined): void;
  closeIdle(): void;
}

/**
 * Puts a short way in front of an HTTP server, for the plainest requests with answers that memory
 * has: two in three of the microseconds that an answer takes go into the objects that Node makes of a
 * request and a response, and these need neither. With the first request that is anything else, or
 * whose answer is not at hand, a connection and all that it brought are handed over to the server, for
 * good. So nothing has to be decided here in case of doubt.
 *
 * Answers to what arrives in one turn of the event loop are sent together at its end, as in turns.ts.
 */
export function serveFastPath(
  /** Gives a connection to the server. */
  acceptForServer: (socket: Socket) => void,
  answer: FastPathResponder,
  timeouts: FastPathTimeouts,
  closing: AbortSignal,
): FastPathConnections {
  const sockets = new Set<Socket>();
  let waiting: { readonly socket: Socket; readonly answer: FastPathResponse }[] = [];
  const connectionLines = keepAliveLines(timeouts.keepAlive);

  const sendWaiting = () => {
    const together = waiting;
    waiting = [];
    const lines = connectionLines();
    for (const { socket, answer } of together) send(socket, answer, lines);
  };

  const send = (socket: Socket, { head, content }: FastPathResponse, lines: string) => {
    if (typeof content === 'string') {
      socket.write(head + lines + content, 'latin1');
      return;
    }
    socket.setTimeout(timeouts.stalled);
    socket.cork();
    socket.write(head + lines, 'latin1');
    socket.write(content, () => sockets.has(socket) && socket.setTimeout(timeouts.keepAlive));
    socket.uncork();
  };

  const accept = (socket: Socket, serverName: string | undefined) => {
    let isNew = true;
    const onData = (bytes: Buffer) => {
      const isBehind = socket.writableLength > MAX_QUEUED_BYTES;
      const request = closing.aborted || isBehind ? undefined : readFastPathRequest(bytes);
      const answered = request && answer(request, serverName);
      if (!answered) {
        handOver(bytes);
        return;
      }
      if (isNew) socket.setTimeout(timeouts.keepAlive);
      isNew = false;
      if (waiting.length === 0) setImmediate(sendWaiting);
      waiting.push({ socket, answer: answered });
    };
    // What was asked before the end is still to be answered in this turn.
    const onEnd = () => setImmediate(() => socket.end());
    const destroy = () => socket.destroy();
    const onClose = () => sockets.delete(socket);

    const handOver = (bytes: Buffer) => {
      // One turn may bring a plain request and then another, in records of TLS for instance.
      sendWaiting();
      sockets.delete(socket);
      socket.off('data', onData).off('end', onEnd).off('close', onClose);
      socket.off('timeout', destroy).off('error', destroy);
      socket.setTimeout(0);
      socket.pause();
      socket.unshift(bytes);
      acceptForServer(socket);
      socket.resume();
    };

    sockets.add(socket);
    socket.on('data', onData).on('end', onEnd).on('close', onClose);
    socket.on('timeout', destroy).on('error', destroy);
    socket.setTimeout(timeouts.headers);
  };

  return {
    accept,
    closeIdle() {
      sendWaiting();
      for (const socket of sockets) if (socket.writableLength === 0) socket.destroySoon();
    },
  };
}
