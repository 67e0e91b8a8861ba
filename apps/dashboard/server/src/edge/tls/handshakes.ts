import type { Socket } from 'node:net';

/** For a handshake that has begun; then its client is likely gone, and its work is lost anyway. */
const LONG_MS = 1_000;

interface Handshake {
  readonly socket: Socket;
  readonly begunAt: number;
  readonly silence: NodeJS.Timeout;
}

/**
 * Keeps the handshakes under way in bounds: each is a millisecond of work for a packet. A connection that is
 * made and says nothing costs its client less still, so when there are too many, the oldest of those goes.
 */
export class Handshakes {
  readonly #max: number;
  readonly #helloMs: number;
  /** Those without a ClientHello, and the others; each with the oldest first. */
  readonly #silent = new Map<string, Handshake>();
  readonly #begun = new Map<string, Handshake>();

  /** `helloMs`: until the ClientHello has come, whole. */
  constructor(max: number, helloMs: number) {
    this.#max = max;
    this.#helloMs = helloMs;
  }

  /** Whether there is room for one more, on a connection that has just been made. */
  start(socket: Socket): boolean {
    if (this.#silent.size + this.#begun.size >= this.#max && !this.#makeRoom()) return false;
    const name = peerOf(socket);
    const silence = setTimeout(() => socket.destroy(), this.#helloMs).unref();
    const handshake = { socket, begunAt: performance.now(), silence };
    this.#silent.set(name, handshake);
    socket.once('close', () => {
      clearTimeout(silence);
      for (const handshakes of [this.#silent, this.#begun]) {
        if (handshakes.get(name) === handshake) handshakes.delete(name);
      }
    });
    return true;
  }

  /** The ClientHello has come; of the TLS over a connection, which is another socket with the same peer. */
  helloReceived(socket: Socket): void {
    const name = peerOf(socket);
    const handshake = this.#silent.get(name);
    if (!handshake) return;
    clearTimeout(handshake.silence);
    this.#silent.delete(name);
    this.#begun.set(name, handshake);
  }

  /** Of the TLS over a connection, too. */
  end(socket: Socket): void {
    this.#begun.delete(peerOf(socket));
  }

  destroyAll(): void {
    for (const handshakes of [this.#silent, this.#begun]) {
      for (const { socket } of handshakes.values()) socket.destroy();
    }
  }

  #makeRoom(): boolean {
    const [silent] = this.#silent;
    const [begun] = this.#begun;
    const isLong = begun && performance.now() - begun[1].begunAt > LONG_MS;
    const oldest = silent ?? (isLong ? begun : undefined);
    if (!oldest) return false;
    const [name, { socket }] = oldest;
    (silent ? this.#silent : this.#begun).delete(name);
    socket.destroy();
    return true;
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
