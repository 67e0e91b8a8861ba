import type { Socket } from 'node:net';

/** After this time the client of a handshake has probably gone. */
const LONG_MS = 1_000;

interface Handshake {
  readonly socket: Socket;
  readonly startedAt: number;
  readonly silence: NodeJS.Timeout;
}

/**
 * Bounds the handshakes in progress: each costs a millisecond of CPU for one packet. A connection without a ClientHello
 * costs its client even less, so when there are too many, the oldest silent one is closed.
 */
export class Handshakes {
  readonly #max: number;
  readonly #helloMs: number;
  /** Without a ClientHello, and with one; each with the oldest first. */
  readonly #silent = new Map<string, Handshake>();
  readonly #started = new Map<string, Handshake>();

  /** `helloMs`: timeout for the whole ClientHello. */
  constructor(max: number, helloMs: number) {
    this.#max = max;
    this.#helloMs = helloMs;
  }

  /** Registers a new connection; false where there are too many. */
  start(socket: Socket): boolean {
    if (this.#silent.size + this.#started.size >= this.#max && !this.#makeRoom()) return false;
    const name = peerOf(socket);
    const silence = setTimeout(() => socket.destroy(), this.#helloMs).unref();
    const handshake = { socket, startedAt: performance.now(), silence };
    this.#silent.set(name, handshake);
    socket.once('close', () => {
      clearTimeout(silence);
      for (const handshakes of [this.#silent, this.#started]) {
        if (handshakes.get(name) === handshake) handshakes.delete(name);
      }
    });
    return true;
  }

  /** The ClientHello has arrived. `socket` may be the TLS socket over the connection, which has the same peer. */
  helloReceived(socket: Socket): void {
    const name = peerOf(socket);
    const handshake = this.#silent.get(name);
    if (!handshake) return;
    clearTimeout(handshake.silence);
    this.#silent.delete(name);
    this.#started.set(name, handshake);
  }

  /** The handshake is done. `socket` as above. */
  end(socket: Socket): void {
    this.#started.delete(peerOf(socket));
  }

  /** Ends those whose clients have probably gone. */
  destroyLong(): void {
    for (const handshakes of [this.#silent, this.#started]) {
      for (const handshake of handshakes.values()) {
        if (isLong(handshake)) handshake.socket.destroy();
      }
    }
  }

  #makeRoom(): boolean {
    const [silent] = this.#silent;
    const [started] = this.#started;
    const oldest = silent ?? (started && isLong(started[1]) ? started : undefined);
    if (!oldest) return false;
    const [name, { socket }] = oldest;
    (silent ? this.#silent : this.#started).delete(name);
    socket.destroy();
    return true;
  }
}

function isLong({ startedAt }: Handshake): boolean {
  return performance.now() - startedAt > LONG_MS;
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
