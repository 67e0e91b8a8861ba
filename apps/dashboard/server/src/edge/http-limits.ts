import type { Server, ServerOptions } from 'node:http';

/** In milliseconds. */
export interface Timeouts {
  /** For the first message of a handshake of TLS: a client has it at hand. */
  readonly clientHello: number;
  /** For all of the handshake. */
  readonly handshake: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headers: number;
  /** To the end of its body. */
  readonly request: number;
  /** Between requests: longer than the minute for which load balancers keep an idle connection. */
  readonly keepAlive: number;
  /** Without a byte in either direction: a client that no longer reads its answer. */
  readonly stalled: number;
  /** For the answers that are under way when the edge closes. */
  readonly drain: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  clientHello: 3_000,
  handshake: 10_000,
  headers: 10_000,
  request: 30_000,
  keepAlive: 65_000,
  stalled: 60_000,
  drain: 5_000,
};

/** Request line and headers together, in bytes (431 beyond). */
export const MAX_HEADER_BYTES = 16 * 1024;

/** On each port. */
const MAX_CONNECTIONS = 10_000;

/** How late a timeout may be noticed. */
const CHECK_INTERVAL_MS = 1_000;

/** The options of a server of HTTP/1. */
export function http1Options(timeouts: Timeouts): ServerOptions {
  return {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, timeouts.headers),
    // Node answers a missing Host with an empty body, and only in HTTP/1.1.
    requireHostHeader: false,
    optimizeEmptyRequests: true,
  };
}

/** What a server of HTTP/1 does not take as an option. */
export function limitConnections(server: Server, { stalled }: Timeouts): void {
  server.timeout = stalled;
  server.maxConnections = MAX_CONNECTIONS;
}
