import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { resetConnection } from '@petstore/http/reset-connection.ts';
import { DenseList } from '@petstore/service/dense-list.ts';

/**
 * Connections that are accepted beyond the limit, for supervisors and for a 503 to everyone else.
 * Without them a flood of connections would look like a process that is dead.
 */
const SURPLUS = 64;

/** How long one of those may take for its request and response, in milliseconds. */
const SURPLUS_TIMEOUT_MS = 2_000;

/** How long a client may take to end its side of a connection that ends, in milliseconds. */
const LINGER_MS = 2_000;

/** The least time between two searches for clients that do not read, in milliseconds. */
const SWEEP_INTERVAL_MS = 5_000;

interface Open {
  readonly socket: Socket;
  /** How many of the bytes under way the client's side has acknowledged, and since when. */
  progress: { readonly taken: number; readonly since: number } | undefined;
}

interface ConnectionOptions {
  readonly maxConnections: number;
  readonly responseTimeoutMs: number;
  /** Told of each connection that is closed without a response. */
  readonly onDrop: () => void;
}

/**
 * Bounds how many connections are open, and how long a client may take to read its response, which stays in memory
 * until then.
 */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #open = new DenseList<Open>();
  readonly #surplus = new Set<Duplex>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Whether more connections are open than may be. */
  get isExceeded(): boolean {
    return this.#surplus.size > 0;
  }

  /** Whether a connection is one of those beyond the limit. */
  isSurplus(socket: Duplex): boolean {
    return this.#surplus.has(socket);
  }

  watch(server: Server): void {
    const { maxConnections, responseTimeoutMs, onDrop } = this.#options;
    server.maxConnections = maxConnections + SURPLUS;
    server.on('drop', onDrop);
    server.on('connection', (socket: Socket) => this.#add(socket));
    const interval = Math.min(SWEEP_INTERVAL_MS, responseTimeoutMs);
    const sweep = setInterval(() => this.#sweep(), interval).unref();
    server.once('close', () => clearInterval(sweep));
  }

  #add(socket: Socket): void {
    socket.destroySoon = endAndLinger;
    const remove = this.#open.add({ socket, progress: undefined });
    let timer: NodeJS.Timeout | undefined;
    if (this.#open.size > this.#options.maxConnections) {
      this.#surplus.add(socket);
      timer = setTimeout(() => socket.destroy(), SURPLUS_TIMEOUT_MS).unref();
    }
    socket.once('close', () => {
      clearTimeout(timer);
      remove();
      this.#surplus.delete(socket);
    });
  }

  #sweep(): void {
    const now = performance.now();
    for (const open of this.#open.values()) {
      const { socket, progress } = open;
      const taken = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0) open.progress = undefined;
      else if (taken !== progress?.taken) open.progress = { taken, since: now };
      // Reset, not ended: an orderly end would wait until the client has read the rest.
      else if (now - progress.since >= this.#options.responseTimeoutMs) resetConnection(socket);
    }
  }
}

/**
 * Node calls this after the last response of a connection. To close the connection at once would reset it where the
 * client has sent more, and a response that the client has not read yet would be lost (RFC 9112, section 9.6). So only
 * this side ends. What still arrives is read and dropped until the client ends its side, too.
 */
function endAndLinger(this: Socket): void {
  this.end();
  const timer = setTimeout(() => this.destroy(), LINGER_MS).unref();
  this.once('close', () => clearTimeout(timer));
}
