import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, Server as NetServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastPathResponder } from '../fast-path/responses.ts';
import type { Respond } from '../http/respond.ts';
import type { EdgeLog, FailureReporter } from '../log.ts';
import type { EdgeMetrics } from '../metrics/edge-metrics.ts';
import type { OwnHosts } from '../own-hosts/own-host.ts';
import type { Timeouts } from './limits.ts';

/** What the HTTP and the HTTPS server share. */
export interface ServerContext {
  readonly respond: Respond;
  /** undefined: no request takes the fast path. */
  readonly fastPath: FastPathResponder | undefined;
  /** By their names. */
  readonly ownHosts: OwnHosts;
  readonly failures: FailureReporter;
  readonly log: EdgeLog;
  readonly timeouts: Timeouts;
  /** undefined: nobody asks. */
  readonly metrics: EdgeMetrics | undefined;
  /** On each port; 0: unlimited. */
  readonly connectionsPerAddress: number;
  readonly closing: AbortSignal;
}

/** A listening server of the edge. */
export interface EdgeListener {
  readonly port: number;
  /** Stops listening and finishes the responses in progress, in bounded time from the end of `gracePeriod` on. */
  readonly drain: (gracePeriod: Promise<unknown>) => Promise<void>;
}

/** Where a server listens: at an address, whose port may be 0 for a free one, or on a socket that this process was given. */
export type ListenAt = { readonly host: string; readonly port: number } | { readonly fd: number };

/** Starts to listen; the port. Rejects with Node's error. */
export async function listen(server: Server, at: ListenAt): Promise<number> {
  server.listen(at);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/**
 * Removes a server's listeners for a connection event, and returns a function that calls them. `read`: bytes that were
 * read from the socket and have been put back with `unshift`.
 */
export function interceptConnections(
  server: Server,
  event: 'connection' | 'secureConnection',
): (socket: Socket, read?: Buffer) => void {
  const listeners = server.listeners(event);
  server.removeAllListeners(event);
  return (socket, read) => {
    for (const listener of listeners) listener.call(server, socket, read);
  };
}

/** How often to look for connections that have become idle, in milliseconds. */
const INTERVAL_MS = 50;

/**
 * Closes a server without cutting off a response. The returned function stops listening; once `gracePeriod` is over it
 * closes idle connections, and after `timeoutMs` all others; it resolves when none is left. Meanwhile connections end as
 * their clients or their timeouts want it. `event`: the one of a connection that carries requests. `others`: servers
 * that get some of them. `closeOtherIdle` closes idle connections that no server has been given yet.
 */
export function drainable(
  [server, ...others]: readonly [HttpServer, ...HttpServer[]],
  event: 'connection' | 'secureConnection',
  closeOtherIdle: () => void,
): (timeoutMs: number, gracePeriod: Promise<unknown>) => Promise<void> {
  const sockets = new Set<Socket>();
  server.on(event, (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  // For Node a connection is idle once the response is written, even if it has not been sent yet.
  const closeIdle = () => {
    closeOtherIdle();
    if ([...sockets].every(({ writableLength }) => writableLength === 0)) {
      for (const one of [server, ...others]) one.closeIdleConnections();
    }
  };

  return async (timeoutMs, gracePeriod) => {
    // Not the close of http.Server: it closes idle connections first.
    const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
    await Promise.race([closed, gracePeriod]);
    // Where this process stood still, it first reads what arrived meanwhile. The first turn may have looked for that
    // before the end of the grace period.
    await nextTurn();
    await nextTurn();
    const idle = setInterval(() => setImmediate(closeIdle), INTERVAL_MS);
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
