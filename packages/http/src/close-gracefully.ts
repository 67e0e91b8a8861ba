import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** How long a server that shuts down waits for the next request of clients that are busy, or have just connected. */
const PATIENCE_MS = 1_000;

/** How long it waits then for slow clients to take the responses that are written. */
const SENDING_MS = 4_000;

const LOOK_INTERVAL_MS = 5;

/** How often a server that shuts down looks for connections that have become idle. */
const CLOSE_IDLE_INTERVAL_MS = 50;

/** The most connections that the system keeps for a server that has not accepted them yet: Node's default. */
const BACKLOG = 511;

/**
 * Before an app closes, has its responses say that connections end (`announce`), and waits for clients to
 * leave, for `patienceMs` at most: one that was between two requests must not find its connection gone. Then connections
 * are closed as they become idle, once what is written on all of them has been sent, or 4 seconds later. Connections
 * that the app's server was only handed, by the event, count like its own.
 */
export function closeGracefully(
  app: FastifyInstance,
  announce: () => void,
  patienceMs = PATIENCE_MS,
): void {
  const acceptedAt = new Map<Socket, number>();
  let accepted = 0;
  app.server.on('connection', (socket: Socket) => {
    accepted++;
    acceptedAt.set(socket, performance.now());
    socket.once('close', () => acceptedAt.delete(socket));
  });
  // Node tells of the end a little later.
  const openSockets = () => [...acceptedAt.keys()].filter(({ destroyed }) => !destroyed);
  // For Node a connection is idle once its response is written, even if it has not been sent yet.
  const isSent = () => openSockets().every(({ writableLength }) => writableLength === 0);
  // For Node one that has asked for nothing yet, such as a browser opens beforehand, is not idle.
  const closeSilent = () => {
    const since = performance.now() - PATIENCE_MS;
    for (const socket of openSockets())
      if (socket.bytesRead === 0 && (acceptedAt.get(socket) ?? 0) < since) socket.destroy();
  };
  /**
   * Reads what has arrived, which is late where this process stood still, and accepts the connections that wait: those
   * that still do when the server stops listening are reset by the system. Node accepts one in a turn.
   */
  const catchUp = async () => {
    for (let turns = 0, before = -1; accepted !== before && turns < BACKLOG; turns++) {
      before = accepted;
      // The first one may have looked for what arrived before it was asked for.
      await nextTurn();
      await nextTurn();
    }
  };
  const untilEither = async (isDone: () => boolean, hasTime: () => boolean) => {
    while (!isDone() && hasTime()) await sleep(LOOK_INTERVAL_MS);
    await catchUp();
  };
  let closing: NodeJS.Timeout;
  app.addHook('preClose', async () => {
    await catchUp();
    announce();
    await untilEither(() => openSockets().length === 0, timeLimit(patienceMs));
    const hasTime = timeLimit(SENDING_MS);
    await untilEither(isSent, hasTime);
    const closeIdle = () => {
      const isInTime = hasTime();
      if (!isSent() && isInTime) return;
      app.server.closeIdleConnections();
      closeSilent();
    };
    // Where this process stood still, it first reads what arrived meanwhile.
    closing = setInterval(() => setImmediate(closeIdle), CLOSE_IDLE_INTERVAL_MS);
  });
  app.addHook('onClose', async () => clearInterval(closing));
}

/**
 * Starts a limit, and gives what tells whether there is time left. From one look to the next a tenth of the limit goes by
 * at most: where this process stands still, its clients do not.
 */
function timeLimit(limitMs: number): () => boolean {
  let leftMs = limitMs;
  let seen = performance.now();
  return () => {
    const now = performance.now();
    leftMs -= Math.min(now - seen, limitMs / 10);
    seen = now;
    return leftMs > 0;
  };
}

/**
 * Makes a server accept no more connections, while its open ones go on. `close` of Node's HTTP server would also close
 * those that are between two requests.
 */
export function stopAccepting(server: Server): void {
  NetServer.prototype.close.call(server);
}
