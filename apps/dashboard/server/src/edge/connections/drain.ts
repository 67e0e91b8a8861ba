import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** How often connections that have become idle are looked for, in milliseconds. */
const INTERVAL_MS = 50;

/**
 * Lets a server end without cutting off an answer. The function it returns takes no more connections,
 * closes those that are idle, and after `timeoutMs` all others; it resolves when there is none.
 * `event` is that of a connection over which requests come; `closeOtherIdle` closes those that the server
 * has not been given yet.
 */
export function drainable(
  server: Server,
  event: 'connection' | 'secureConnection',
  closeOtherIdle: () => void,
): (timeoutMs: number) => Promise<void> {
  const sockets = new Set<Socket>();
  server.on(event, (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  // Node takes a connection for idle once its answer is written, and not when it has been sent.
  const closeIdle = () => {
    closeOtherIdle();
    if ([...sockets].every(({ writableLength }) => writableLength === 0)) {
      server.closeIdleConnections();
    }
  };

  return async (timeoutMs) => {
    // Not the close of http.Server, which begins with closing what is idle.
    const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
    const idle = setInterval(closeIdle, INTERVAL_MS);
    const deadline = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, timeoutMs);
    closeIdle();
    await closed;
    clearInterval(idle);
    clearTimeout(deadline);
    server.close(); // It also ends the timer with which Node checks connections.
  };
}
