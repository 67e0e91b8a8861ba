import type { Socket } from 'node:net';
import type { SendBuffer } from './send-buffers.ts';

/** Beyond this nothing more is read of the client, and no content is put behind what it has not taken. */
export const MAX_QUEUED_BYTES = 128 * 1024;

/** What a piece takes in memory besides its bytes: a frame that has one byte is two pieces. */
const PIECE_BYTES = 200;

/** That a client takes so much counts as progress: it may be slow. */
const MAX_WRITE_BYTES = 64 * 1024;

/** What is to be sent to a client, until its connection has taken it. */
export class Outbox {
  readonly #socket: Socket;
  readonly #buffer: SendBuffer;
  readonly #onTaken: () => void;
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  /** Written, and not taken by the connection yet. */
  #writtenBytes = 0;

  constructor(socket: Socket, buffer: SendBuffer, onTaken: () => void) {
    this.#socket = socket;
    this.#buffer = buffer;
    this.#onTaken = onTaken;
  }

  /** Bytes in memory, those of the pieces themselves included. */
  get queuedBytes(): number {
    return this.#writtenBytes + this.#pieceBytes;
  }

  /** Whether the client has taken so much that more of it can be read again. */
  get isLow(): boolean {
    return this.#writtenBytes <= MAX_QUEUED_BYTES / 2;
  }

  add(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#pieceBytes += piece.length + PIECE_BYTES;
  }

  /** Writes all that was added. */
  flush(): void {
    const pieces = this.#pieces;
    if (pieces.length === 0) return;
    this.#pieces = [];
    this.#pieceBytes = 0;
    let from = 0;
    let bytes = 0;
    for (let at = 0; at < pieces.length; at++) {
      bytes += (pieces[at] as Buffer).length + PIECE_BYTES;
      if (bytes < MAX_WRITE_BYTES && at + 1 < pieces.length) continue;
      this.#write(pieces.slice(from, at + 1), bytes);
      from = at + 1;
      bytes = 0;
    }
  }

  #write(pieces: readonly Buffer[], bytes: number): void {
    this.#writtenBytes += bytes;
    this.#buffer.add(bytes);
    const taken = (error?: Error | null) => {
      this.#writtenBytes -= bytes;
      this.#buffer.remove(bytes, !error);
      if (!error) this.#onTaken();
    };
    this.#socket.cork();
    for (const [at, piece] of pieces.entries()) {
      if (at + 1 < pieces.length) this.#socket.write(piece);
      else this.#socket.write(piece, taken);
    }
    this.#socket.uncork();
  }
}
