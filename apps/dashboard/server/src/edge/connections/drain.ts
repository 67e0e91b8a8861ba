import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** How often to look for connections that have become idle, in milliseconds. */
const INTERVAL_MS = 50;

/**
 * Closes a server without cutting off a response. The returned function stops listening, closes idle connections, and
 * after `timeoutMs` all others; it resolves when none is left. `event`: the one of a connection that carries requests.
 * `closeOtherIdle` closes idle connections that the server has not been given yet.
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

  // For Node a connection is idle once the response is written, even if it has not been sent yet.
  const closeIdle = () => {
    closeOtherIdle();
    if ([...sockets].every(({ writableLength }) => writableLength === 0)) {
      server.closeIdleConnections();
    }
  };

  return async (timeoutMs) => {
    // Not the close of http.Server: it closes idle connections first.
    const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
    const idle = setInterval(closeIdle, INTERVAL_MS);
    const deadline = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, timeoutMs);
    closeIdle();
    await closed;
    clearInterval(idle);
    clearTimeout(deadline);
    server.close(); // It also stops the timer with which Node checks connections.
  };
}
