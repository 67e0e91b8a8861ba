import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { FastPathResponder } from '../fast-path/responses.ts';
import type { Respond } from '../http/respond.ts';
import type { EdgeLog, FailureReporter } from '../log.ts';
import type { Timeouts } from './limits.ts';

/** What the edge's servers have in common. */
export interface ServerContext {
  readonly respond: Respond;
  /** undefined: no request takes the short way. */
  readonly fastPath: FastPathResponder | undefined;
  readonly failures: FailureReporter;
  readonly log: EdgeLog;
  readonly timeouts: Timeouts;
  /** For each port; 0: without bound. */
  readonly connectionsPerAddress: number;
  readonly closing: AbortSignal;
}

/** A server of the edge, listening. */
export interface EdgeListener {
  readonly port: number;
  /** Ends it, with the answers that are under way, in bounded time. */
  readonly drain: () => Promise<void>;
}

/** Listens; its port. Rejects with Node's error where it can't. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Takes the place of a server's own handling of an event of connections, and gives that back as a function. */
export function interceptConnections(
  server: Server,
  event: 'connection' | 'secureConnection',
): (socket: Socket) => void {
  const listeners = server.listeners(event);
  server.removeAllListeners(event);
  return (socket) => {
    for (const listener of listeners) listener.call(server, socket);
  };
}
