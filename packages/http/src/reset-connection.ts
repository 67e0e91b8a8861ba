import type { Socket } from 'node:net';

/**
 * Resets a connection of TCP, whatever state it is in. While an end of it is under way Node cannot: the socket's own
 * `resetAndDestroy` then emits EINVAL, the connection is never closed, and a process that has such a one never ends. So
 * that end is waited for, which is over in the next round of the event loop.
 */
export function resetConnection(socket: Socket): void {
  const isEnding = socket.writableEnded && !socket.writableFinished && socket.writableLength === 0;
  if (isEnding) socket.once('finish', () => socket.resetAndDestroy());
  else socket.resetAndDestroy();
}
