import type { Server, Socket } from 'node:net';

/** Takes the place of a server's own handling of an event of connections, and gives that back as a function. */
export function takeConnections(
  server: Server,
  event: 'connection' | 'secureConnection',
): (socket: Socket) => void {
  const listeners = server.listeners(event);
  server.removeAllListeners(event);
  return (socket) => {
    for (const listener of listeners) listener.call(server, socket);
  };
}
