import type { Socket } from 'node:net';

const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back once a connection has closed; the function that it returns forgets that. A connection has one listener,
 * however many requests a client sends ahead on it.
 */
export function onceClientLeaves(socket: Socket, then: () => void): () => void {
  let all = waiting.get(socket);
  if (!all) {
    const made = new Set<() => void>();
    socket.once('close', () => {
      for (const tell of [...made]) tell();
    });
    waiting.set(socket, made);
    all = made;
  }
  all.add(then);
  const known = all;
  return () => known.delete(then);
}
