import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The last request of a connection. */
interface Last {
  readonly response: ServerResponse;
  /** Whether what follows has to wait for its answer. */
  readonly isBarrier: boolean;
}

/**
 * Handles the requests that a client sends without waiting for answers as if it had waited, where that
 * makes a difference: they may be handled side by side only if all of them are safe (RFC 9112, section
 * 9.3.2). So a GET behind a POST sees what was posted, and what stands behind an answer that ends the
 * connection has not been done. `isRefused` tells of a connection that is ended because what came on it
 * is no HTTP. `hold` is asked whether a request may wait for its turn; if not, it has been answered.
 */
export function inOrder(
  handle: Handler,
  isRefused: (socket: Socket) => boolean,
  hold: (request: IncomingMessage, response: ServerResponse) => boolean,
): Handler {
  const lasts = new WeakMap<Socket, Last>();
  return (request, response) => {
    const { socket, method } = request;
    const isSafe = method === 'GET' || method === 'HEAD';
    const last = lasts.get(socket);
    const isWaiting = last && !last.response.writableFinished && !(isSafe && !last.isBarrier);
    lasts.set(socket, { response, isBarrier: !isSafe || isWaiting === true });
    if (!isWaiting) {
      handle(request, response);
      return;
    }
    if (!hold(request, response)) return;
    last.response.once('finish', () => {
      if (socket.writable && !isRefused(socket)) handle(request, response);
    });
  };
}
