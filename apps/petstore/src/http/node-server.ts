import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createServer } from '@petstore/http/node-http.ts';
import type { FastifyInstance } from 'fastify';
import type { Limits } from '../limits.ts';
import type { RequestIds } from './request-id.ts';
import { type Handler, responseClass } from './service-response.ts';

/** How long a server that shuts down waits for the next request of clients that are busy. */
const DRAIN_MS = 1_000;
const DRAIN_INTERVAL_MS = 5;

/** How often a server that shuts down looks for connections that have become idle. */
const CLOSE_IDLE_INTERVAL_MS = 50;

/** Makes Node's server, within limits; every response of it has the headers `always`, and its request's id. */
export function createNodeServer(
  { headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs, maxHeaderBytes }: Limits,
  always: Readonly<Record<string, string>>,
  requestId: RequestIds,
  handle: Handler,
): Server {
  const options = {
    ServerResponse: responseClass(always, requestId, keepAliveTimeoutMs),
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    // How late Node may notice a timeout.
    connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs),
    // Node would respond to a missing Host with an empty body; checkRequestLine sends the Error body.
    requireHostHeader: false,
  };
  const server = createServer(options, handle);
  // Node would silently drop headers beyond a number of them; the overload guard refuses them instead.
  server.maxHeadersCount = 0;
  return server;
}

/**
 * Before an app closes, has its responses say that connections end (`announce`), and waits for clients to
 * leave: one that was between two requests must not find its connection gone. Then connections are closed
 * as they become idle.
 */
export function closeGracefully(app: FastifyInstance, announce: () => void): void {
  let closing: NodeJS.Timeout;
  app.addHook('preClose', async () => {
    announce();
    await drained(app.server);
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

async function drained(server: Server): Promise<void> {
  const connections = promisify(server.getConnections.bind(server));
  const deadline = performance.now() + DRAIN_MS;
  while ((await connections()) > 0 && performance.now() < deadline) {
    await sleep(DRAIN_INTERVAL_MS);
  }
}
