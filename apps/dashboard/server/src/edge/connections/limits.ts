import type { Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { clientNetwork } from '@petstore/http/networks.ts';
import { READ_TIMEOUT_MS } from '../store-reads.ts';

/** In milliseconds. */
export interface Timeouts {
  /** For the ClientHello, which a client can send at once. */
  readonly clientHello: number;
  /** For the whole TLS handshake. */
  readonly handshake: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headers: number;
  /** To the end of its body. */
  readonly request: number;
  /** Between requests: longer than the minute for which load balancers keep an idle connection. */
  readonly keepAlive: number;
  /** Without a byte in either direction: the client no longer reads its response. */
  readonly stalled: number;
  /** For responses in progress when the edge closes. */
  readonly drain: number;
  /** For a read of the store, which counts as unavailable after that. */
  readonly storeRead: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  clientHello: 3_000,
  handshake: 10_000,
  headers: 10_000,
  request: 30_000,
  keepAlive: 65_000,
  stalled: 60_000,
  drain: 5_000,
  storeRead: READ_TIMEOUT_MS,
};

/** Request line and headers together, in bytes (431 beyond). */
export const MAX_HEADER_BYTES = 16 * 1024;

/** On each port. */
const MAX_CONNECTIONS = 10_000;

/** How often Node checks the timeouts. */
const CHECK_INTERVAL_MS = 1_000;

/** The options of an HTTP/1 server. */
export function http1Options(timeouts: Timeouts): ServerOptions {
  return {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, timeouts.headers),
    // Node refuses a missing Host with an empty body, and only in HTTP/1.1.
    requireHostHeader: false,
    optimizeEmptyRequests: true,
  };
}

/** Settings that an HTTP/1 server does not take as options. */
export function limitConnections(server: Server, { stalled }: Timeouts): void {
  server.timeout = stalled;
  server.maxConnections = MAX_CONNECTIONS;
}

/** A server for both families has IPv4 addresses mapped into IPv6. */
const LOOPBACK = /^(?:::1|(?:::ffff:)?127\.0\.0\.1)$/;

/**
 * The client at the other end of a connection, for counts: an IPv4 address or an IPv6 /64. undefined for this machine
 * itself, such as a local proxy, behind which anyone may be: it is not counted.
 */
export function countedClient({ remoteAddress = '' }: Socket): string | undefined {
  return LOOPBACK.test(remoteAddress) ? undefined : clientNetwork(remoteAddress);
}

/**
 * Limits the connections of one client, so that it cannot take all of them: `max` for each client that is counted; 0:
 * unlimited. The returned function tells whether a new connection may stay.
 */
export function limitPerAddress(max: number): (socket: Socket) => boolean {
  const counts = new Map<string, number>();
  return (socket) => {
    // The client has left already.
    if (socket.remoteAddress === undefined) return false;
    const client = countedClient(socket);
    if (max === 0 || client === undefined) return true;
    const count = counts.get(client) ?? 0;
    if (count >= max) return false;
    counts.set(client, count + 1);
    socket.once('close', () => {
      const left = (counts.get(client) ?? 0) - 1;
      if (left > 0) counts.set(client, left);
      else counts.delete(client);
    });
    return true;
  };
}
