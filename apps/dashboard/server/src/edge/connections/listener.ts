import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { FastPathResponder } from '../fast-path/responses.ts';
import type { Respond } from '../http/respond.ts';
import type { EdgeLog, FailureReporter } from '../log.ts';
import type { Timeouts } from './limits.ts';

/** What the HTTP and the HTTPS server share. */
export interface ServerContext {
  readonly respond: Respond;
  /** undefined: no request takes the fast path. */
  readonly fastPath: FastPathResponder | undefined;
  readonly failures: FailureReporter;
  readonly log: EdgeLog;
  readonly timeouts: Timeouts;
  /** On each port; 0: unlimited. */
  readonly connectionsPerAddress: number;
  readonly closing: AbortSignal;
}

/** A listening server of the edge. */
export interface EdgeListener {
  readonly port: number;
  /** Stops listening and finishes the responses in progress, in bounded time. */
  readonly drain: () => Promise<void>;
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
 * Removes a server's own listeners of a connection event. The returned function calls them, with the bytes that were
 * read of the connection, and put back, before.
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
