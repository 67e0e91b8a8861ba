import type { Server, ServerOptions } from 'node:http';
import { isIPv4, type Socket } from 'node:net';

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

/**
 * Keeps one client from taking every connection that there is: so many for an address, which is the 64 bits
 * of a network in IPv6. Connections of this machine itself, such as a proxy's, are not counted.
 *
 * 0: no bound.
 * The function it returns tells whether a connection that has just been made may stay.
 */
export function limitPerAddress(max: number): (socket: Socket) => boolean {
  const counts = new Map<string, number>();
  return (socket) => {
    const { remoteAddress } = socket;
    // It has left already.
    if (remoteAddress === undefined) return false;
    if (max === 0) return true;
    const network = networkOf(remoteAddress);
    if (network === undefined) return true;
    const count = counts.get(network) ?? 0;
    if (count >= max) return false;
    counts.set(network, count + 1);
    socket.once('close', () => {
      const left = (counts.get(network) ?? 0) - 1;
      if (left > 0) counts.set(network, left);
      else counts.delete(network);
    });
    return true;
  };
}

/** undefined: this machine. */
function networkOf(remoteAddress: string): string | undefined {
  // A server on both families has IPv4 as IPv6.
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
  if (address === '::1' || address === '127.0.0.1') return undefined;
  return isIPv4(address) ? address : networkOfIPv6(address);
}

/** The first four groups; zeros may have been left out among them (RFC 5952, section 4.2). */
function networkOfIPv6(address: string): string {
  const [head = '', tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array(zeros).fill('0'), ...last].slice(0, 4).join(':');
}
