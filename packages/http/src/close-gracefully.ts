import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';

/** How long a server that shuts down waits for the next request of clients that are busy. */
const PATIENCE_MS = 1_000;
const DRAIN_INTERVAL_MS = 5;

/** How often a server that shuts down looks for connections that have become idle. */
const CLOSE_IDLE_INTERVAL_MS = 50;

/**
 * Before an app closes, has its responses say that connections end (`announce`), and waits for clients to
 * leave, for `patienceMs` at most: one that was between two requests must not find its connection gone. Then connections
 * are closed as they become idle.
 */
export function closeGracefully(
  app: FastifyInstance,
  announce: () => void,
  patienceMs = PATIENCE_MS,
): void {
  let closing: NodeJS.Timeout;
  app.addHook('preClose', async () => {
    announce();
    await drained(app.server, patienceMs);
    closing = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_INTERVAL_MS);
  });
  app.addHook('onClose', async () => clearInterval(closing));
}

/**
 * Makes a server accept no more connections, while its open ones go on. `close` of Node's HTTP server would also close
 * connections that have not sent their first request yet.
 */
export function stopAccepting(server: Server): void {
  NetServer.prototype.close.call(server);
}

async function drained(server: Server, patienceMs: number): Promise<void> {
  const connections = promisify(server.getConnections.bind(server));
  const deadline = performance.now() + patienceMs;
  while ((await connections()) > 0 && performance.now() < deadline) {
    await sleep(DRAIN_INTERVAL_MS);
  }
  // If this process stood still itself, it first reads what arrived meanwhile.
  await nextTurn();
}
