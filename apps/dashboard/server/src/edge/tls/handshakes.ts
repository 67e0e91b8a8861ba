import type { Socket } from 'node:net';

/** Keeps the handshakes under way in bounds: each is a millisecond of work for a packet. */
export class Handshakes {
  readonly #max: number;
  readonly #sockets = new Map<string, Socket>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether there is room for one more, on a connection that has just been made. */
  begin(socket: Socket): boolean {
    if (this.#sockets.size >= this.#max) return false;
    const name = peerOf(socket);
    this.#sockets.set(name, socket);
    socket.once('close', () => {
      if (this.#sockets.get(name) === socket) this.#sockets.delete(name);
    });
    return true;
  }

  /** Of the TLS over a connection, which is another socket with the same peer. */
  end(socket: Socket): void {
    this.#sockets.delete(peerOf(socket));
  }

  destroyAll(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
