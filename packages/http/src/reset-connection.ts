import type { Socket } from 'node:net';

/**
 * Resets a TCP connection, whatever its state. While the end of the stream is being written, the socket's own
 * `resetAndDestroy` emits EINVAL, Node never closes the connection, and the process never exits. So this waits for that
 * end, which is over in the next turn of the event loop.
 */
export function resetConnection(socket: Socket): void {
  const isEnding = socket.writableEnded && !socket.writableFinished && socket.writableLength === 0;
  if (isEnding) socket.once('finish', () => socket.resetAndDestroy());
  else socket.resetAndDestroy();
}
