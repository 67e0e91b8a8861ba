import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * How long a client may go on sending after it was answered, or after its connection was ended here, in milliseconds.
 * To cut it off at once would reset the connection, and the client would never read the answer.
 */
export const LINGER_MS = 5_000;

/**
 * Cuts off a client that goes on sending after it was answered. Until then Node reads and drops what
 * comes, as long as the answer does not end the connection.
 */
export function boundLingeringBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  response.once('finish', () => {
    if (request.complete) return;
    const timer = setTimeout(() => request.socket.destroy(), LINGER_MS);
    const stop = () => {
      clearTimeout(timer);
      request.off('end', stop);
      // The connection may live for long, and this request be one of very many.
      request.socket.off('close', stop);
    };
    request.once('end', stop);
    request.socket.once('close', stop);
  });
}
