import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * How long a client may go on sending after the response, or after the server's end of the connection was closed, in
 * milliseconds. To close at once would reset the connection, and the client would never read the response.
 */
export const LINGER_MS = 5_000;

/**
 * Closes the connection of a client that goes on sending its body after the response. Until then Node reads and drops
 * the body, as long as the response does not close the connection.
 */
export function boundLingeringBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  response.once('finish', () => {
    if (request.complete) return;
    const timer = setTimeout(() => request.socket.destroy(), LINGER_MS);
    const stop = () => {
      clearTimeout(timer);
      request.off('end', stop);
      // The connection may live long and carry very many requests.
      request.socket.off('close', stop);
    };
    request.once('end', stop);
    request.socket.once('close', stop);
  });
}
