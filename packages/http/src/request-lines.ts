import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { METHODS } from './node-http.ts';

/** Which part of a request a connection is in, as far as is known, and how many bytes of its line have arrived. */
interface Progress {
  readonly place: 'nothing' | 'line' | 'beyond';
  readonly lineBytes: number;
}

const NOTHING: Progress = { place: 'nothing', lineBytes: 0 };

/** Members of sockets beyond their public interface. Where they are missing, only the last packet is seen. */
interface Internals {
  /** Called after each packet that the parser has read from the system by itself, and after each write. */
  _unrefTimer?: () => void;
  /** The response that this connection is waiting for. */
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { getCurrentBuffer?: () => Buffer } | null;
}

/**
 * Tells whether a connection is still in the request line, which may come in many packets: a head that is too long is a
 * 414 then (RFC 9110, section 15.5.15), and a 431 otherwise.
 *
 *
 * Node does not report earlier packets: its parser reads them from the system by itself, and to get them as 'data'
 * instead would cost each request a tenth more. But after each packet Node restarts the socket's timer, by a method
 * that can be observed while the parser still has the packet. It is observed only where no response is outstanding; so
 * a line that begins before the response to the previous request is not seen.
 */
export class RequestLines {
  readonly #maxHeaderBytes: number;
  readonly #progress = new WeakMap<object, Progress>();

  /** `maxHeaderBytes`: the limit of the server's parser. */
  constructor(server: Server, maxHeaderBytes: number) {
    this.#maxHeaderBytes = maxHeaderBytes;
    server.on('connection', (socket) => this.#watch(socket));
  }

  /** `packet`: the one that made the parser fail. */
  isInLine(socket: object, packet: unknown): boolean {
    const progress = this.#progress.get(socket);
    if (progress && progress !== NOTHING) return progress.place === 'line';
    return Buffer.isBuffer(packet) && this.#after(NOTHING, packet).place === 'line';
  }

  #watch(socket: Socket & Internals): void {
    const restart = socket._unrefTimer;
    if (!restart) return;
    let progress = NOTHING;
    const record = (next: Progress) => {
      if (next === progress) return;
      progress = next;
      this.#progress.set(socket, next);
    };
    socket._unrefTimer = () => {
      restart.call(socket);
      // Checked first, and on the socket alone, since it happens several times for each request.
      if (socket._httpMessage) return record(NOTHING);
      const packet = socket.parser?.getCurrentBuffer?.();
      if (packet && packet.length > 0) record(this.#after(progress, packet));
    };
  }

  #after(before: Progress, packet: Buffer): Progress {
    if (before.place === 'beyond') return before;
    let text = packet.toString('latin1');
    if (before.place === 'nothing') {
      // Empty lines may precede a request (RFC 9112, section 2.2).
      text = text.replace(/^[\r\n]+/, '');
      // A packet may also bring the end of a body.
      if (!METHODS.some((method) => begins(text, `${method} `))) return NOTHING;
    }
    const end = text.indexOf('\n');
    const lineBytes = before.lineBytes + (end < 0 ? text.length : end);
    const isBeyond = end >= 0 && lineBytes < this.#maxHeaderBytes;
    return { place: isBeyond ? 'beyond' : 'line', lineBytes };
  }
}

/** Whether a text begins like this, or is a beginning of it. */
function begins(text: string, start: string): boolean {
  if (text === '') return false;
  return text.length < start.length ? start.startsWith(text) : text.startsWith(start);
}
