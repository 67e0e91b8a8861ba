import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Handler, ServiceResponse } from './service-response.ts';

/** The last request of a connection. */
interface Last {
  response: ServiceResponse;
  /** Whether what follows has to wait for its answer. */
  isBarrier: boolean;
}

/**
 * Handles the requests that a client sends without waiting for answers as if it had waited, where that
 * makes a difference: they may be handled side by side only if all of them are safe (RFC 9112, section
 * 9.3.2). So a GET behind a POST sees what was posted, and what stands behind an answer that ends the
 * connection has not been done. `isRefused` tells of a connection that is ended because what came on it
 * is no HTTP. `hold` is asked whether a request may wait for its turn; if not, it has been answered.
 */
export function handleInOrder(
  handle: Handler,
  isRefused: (socket: Socket) => boolean,
  hold: (request: IncomingMessage, response: ServiceResponse) => boolean,
): Handler {
  const lasts = new WeakMap<Socket, Last>();

  const handleAfter = (
    last: ServerResponse,
    request: IncomingMessage,
    response: ServiceResponse,
  ) => {
    if (!hold(request, response)) return;
    last.once('finish', () => {
      if (request.socket.writable && !isRefused(request.socket)) handle(request, response);
    });
  };

  return (request, response) => {
    const { socket, method } = request;
    const isSafe = method === 'GET' || method === 'HEAD';
    const last = lasts.get(socket);
    if (!last) {
      lasts.set(socket, { response, isBarrier: !isSafe });
      handle(request, response);
      return;
    }
    // It was told that the connection ends, and not to count on what it sent ahead.
    if (!socket.writable) return;
    const { response: before, isBarrier } = last;
    const isWaiting = !before.writableFinished && !(isSafe && !isBarrier);
    last.response = response;
    last.isBarrier = !isSafe || isWaiting;
    if (isWaiting) handleAfter(before, request, response);
    else handle(request, response);
  };
}
