import type { Socket } from 'node:net';

/** Resolves when a connection is over, also if it was reset: a byte under way may meet a closed socket. */
export async function closed(socket: Socket): Promise<void> {
  if (socket.closed) return;
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('close', resolve));
}
