import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** How long a server that shuts down waits for the next request of clients that are busy. */
const PATIENCE_MS = 1_000;

/** How long it waits then for slow clients to take the responses that are written. */
const SENDING_MS = 4_000;

const LOOK_INTERVAL_MS = 5;

/** How often a server that shuts down looks for connections that have become idle. */
const CLOSE_IDLE_INTERVAL_MS = 50;

/**
 * Before an app closes, has its responses say that connections end (`announce`), accepts no more of them, and waits for clients to
 * leave, for `patienceMs` at most: one that was between two requests must not find its connection gone. Then connections
 * are closed as they become idle, once what is written on all of them has been sent, or 4 seconds later. Connections
 * that the app's server was only handed, by the event, count like its own.
 */
export function closeGracefully(
  app: FastifyInstance,
  announce: () => void,
  patienceMs = PATIENCE_MS,
): void {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // For Node a connection is idle once its response is written, even if it has not been sent yet.
  const isSent = () => [...sockets].every(({ writableLength }) => writableLength === 0);
  let closing: NodeJS.Timeout;
  app.addHook('preClose', async () => {
    announce();
    stopAccepting(app.server);
    await untilEither(() => sockets.size === 0, patienceMs);
    const deadline = performance.now() + SENDING_MS;
    await untilEither(isSent, SENDING_MS);
    closing = setInterval(() => {
      if (!isSent() && performance.now() < deadline) return;
      app.server.closeIdleConnections();
      // For Node one that has asked for nothing yet, such as a browser opens beforehand, is not idle.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }, CLOSE_IDLE_INTERVAL_MS);
  });
  app.addHook('onClose', async () => clearInterval(closing));
}

/**
 * Makes a server accept no more connections, while its open ones go on. `close` of Node's HTTP server would also close
 * those that are between two requests.
 */
export function stopAccepting(server: Server): void {
  NetServer.prototype.close.call(server);
}

async function untilEither(isDone: () => boolean, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!isDone() && performance.now() < deadline) await sleep(LOOK_INTERVAL_MS);
  // If this process stood still itself, it first reads what arrived meanwhile.
  await nextTurn();
}
