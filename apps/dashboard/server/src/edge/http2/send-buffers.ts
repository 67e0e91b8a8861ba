import type { Socket } from 'node:net';

/** Of answers on their way, on all sessions together. TLS holds them once more, in its records. */
const MAX_BYTES = 64 * 1024 * 1024;

/** What a session has on its way before its pieces become small ones. */
const SESSION_BYTES = 256 * 1024;

const MAX_PIECE_BYTES = 64 * 1024;

/** Every stream may have one on its way, so that none that waits for its window holds up another. */
const MIN_PIECE_BYTES = 4 * 1024;

/** What a session has been given and its connection has not taken yet. */
export interface SendBuffer {
  /** How large the next piece of a large answer may be. */
  pieceBytes(): number;
  add(bytes: number): void;
  /** `isTaken`: by the connection; otherwise they are given up, which is no sign of a client that reads. */
  remove(bytes: number, isTaken: boolean): void;
}

/**
 * Keeps the memory of answers that are on their way in bounds: a client may open as large a window as it
 * likes, ask for much and read nothing. A session that has not gone on for `stalledMs` ends; and where all
 * of them together hold more than `maxBytes`, those end that have not gone on for longest.
 */
export function sendBuffers(
  stalledMs: number,
  maxBytes = MAX_BYTES,
): (socket: Socket) => SendBuffer {
  let total = 0;
  /** Ends of sessions; first of the one that has not gone on for longest. */
  const waiting = new Set<() => void>();

  return (socket) => {
    let queued = 0;
    let isOpen = true;
    const close = () => {
      isOpen = false;
      total -= queued;
      queued = 0;
      waiting.delete(end);
      clearTimeout(stall);
    };
    const end = () => {
      close();
      socket.destroy();
    };
    const stall = setTimeout(() => {
      if (queued > 0) end();
    }, stalledMs).unref();
    socket.once('close', close);

    return {
      pieceBytes() {
        const room = Math.min(SESSION_BYTES - queued, maxBytes / 2 - total, MAX_PIECE_BYTES);
        return Math.max(MIN_PIECE_BYTES, room);
      },
      add(bytes) {
        if (!isOpen) return;
        if (queued === 0) {
          waiting.add(end);
          stall.refresh();
        }
        queued += bytes;
        total += bytes;
        for (const endOldest of waiting) {
          if (total <= maxBytes) break;
          endOldest();
        }
      },
      remove(bytes, isTaken) {
        if (!isOpen) return;
        queued -= bytes;
        total -= bytes;
        if (isTaken || queued === 0) waiting.delete(end);
        if (queued > 0) waiting.add(end);
        if (isTaken) stall.refresh();
      },
    };
  };
}
