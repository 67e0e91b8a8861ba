import type { Socket } from 'node:net';

/** Queued response bytes of all sessions together. TLS holds them once more, in its records. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Counts the bytes that a session has queued and its connection has not taken yet. */
export interface SendBuffer {
  add(bytes: number): void;
  /** `isTaken`: the connection took them; otherwise they were dropped, which does not show that the client reads. */
  remove(bytes: number, isTaken: boolean): void;
}

/**
 * Bounds the memory of queued responses: a client may open as large a window as it likes, ask for much and read
 * nothing. A session without progress for `stalledMs` is closed; and while all of them together hold more than
 * `maxBytes`, the ones without progress for longest are closed.
 */
export function sendBuffers(
  stalledMs: number,
  maxBytes = MAX_BYTES,
): (socket: Socket) => SendBuffer {
  let total = 0;
  /** How to close each session with queued bytes; the one without progress for longest first. */
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
