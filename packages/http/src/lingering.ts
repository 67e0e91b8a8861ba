import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * How long a client may go on sending after the response, or after the server's end of the connection was closed, in
 * milliseconds. To close at once would reset the connection, and the client would never read the response.
 */
export const LINGER_MS = 5_000;

/**
 * Closes the connection of a client that goes on sending its body after the response. Until then the body is read and
 * dropped, as long as the response does not close the connection.
 */
export function boundLingeringBody(request: IncomingMessage, response: ServerResponse): void {
  // A stream of HTTP/2 is reset by itself, and its connection has others.
  if (request.httpVersionMajor === 2) return;
  // A destroyed request has released its socket.
  const socket: Socket | null = request.socket;
  if (request.complete || socket === null) return;
  response.once('finish', () => {
    if (request.complete) return;
    // Node does so for a body that nobody has begun to read.
    request.resume();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    const stop = () => {
      clearTimeout(timer);
      request.off('end', stop);
      // The connection may live long and carry very many requests.
      socket.off('close', stop);
    };
    request.once('end', stop);
    socket.once('close', stop);
  });
}
