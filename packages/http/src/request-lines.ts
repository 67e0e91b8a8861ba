import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { METHODS } from './node-http.ts';

/** Which part of a request's head a connection is in, as far as is known, and how much of its line has arrived. */
interface Progress {
  readonly place: 'nothing' | 'line' | 'beyond';
  readonly lineBytes: number;
  /** The first characters of the line, as many as `HEAD ` has. */
  readonly beginning: string;
}

const NOTHING: Progress = { place: 'nothing', lineBytes: 0, beginning: '' };

/** The end of a head. */
const EMPTY_LINE = '\r\n\r\n';

/** Members of sockets beyond their public interface. Where they are missing, only the last packet is seen. */
interface Internals {
  /** Called after each packet that the parser has read from the system by itself, and after each write. */
  _unrefTimer?: () => void;
  /** The response that this connection is waiting for. */
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { getCurrentBuffer?: () => Buffer } | null;
}

/**
 * Tells, for a refused request that may have come in many packets, whether it is a HEAD, and whether the connection is
 * still in its line: a head that is too long is a 414 then (RFC 9110, section 15.5.15), and a 431 otherwise.
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
    const event = 'setSecureContext' in server ? 'secureConnection' : 'connection';
    server.on(event, (socket, first?: Buffer) => this.#watch(socket, first));
  }

  /** `packet`: the one that made the parser fail; `parsedBytes`: how many of its bytes it read. */
  refused(
    socket: object,
    packet: unknown,
    parsedBytes: number | undefined,
  ): { readonly isInLine: boolean; readonly isHead: boolean } {
    let progress = this.#progress.get(socket) ?? NOTHING;
    if (progress === NOTHING && Buffer.isBuffer(packet)) {
      // Whole requests may precede it.
      const parsed = packet.subarray(0, parsedBytes);
      const before = parsed.lastIndexOf(EMPTY_LINE);
      const from = before < 0 ? 0 : before + EMPTY_LINE.length;
      progress = this.#after(NOTHING, parsed.subarray(from));
    }
    return { isInLine: progress.place === 'line', isHead: progress.beginning === 'HEAD ' };
  }

  /** `first`: a packet that was read from the system before the parser had the connection. */
  #watch(socket: Socket & Internals, first: Buffer | undefined): void {
    const restart = socket._unrefTimer;
    if (!restart) return;
    let progress = NOTHING;
    const record = (next: Progress) => {
      if (next === progress) return;
      progress = next;
      this.#progress.set(socket, next);
    };
    if (first && !first.includes(EMPTY_LINE)) record(this.#after(NOTHING, first));
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
    const beginning = (before.beginning + text).slice(0, 'HEAD '.length);
    return { place: isBeyond ? 'beyond' : 'line', lineBytes, beginning };
  }
}

/** Whether a text begins like this, or is a beginning of it. */
function begins(text: string, start: string): boolean {
  if (text === '') return false;
  return text.length < start.length ? start.startsWith(text) : text.startsWith(start);
}
