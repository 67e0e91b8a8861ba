import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Handler, ServiceResponse } from './service-response.ts';

/** The last request of a connection. */
interface Last {
  response: ServiceResponse;
  /** Whether what follows has to wait for its response. */
  isBarrier: boolean;
}

/**
 * Handles pipelined requests one after the other, unless all of them are safe: only then may they be handled side by
 * side (RFC 9112, section 9.3.2). So a GET behind a POST sees what was posted, and a request behind a response that
 * ends the connection is not carried out. `isCutOff` says whether a request was ended with an error while it was still
 * arriving: those that had arrived before it are carried out all the same. `hold` says whether a request may wait for its
 * turn; where it may not, `hold` has responded.
 */
export function handleInOrder(
  handle: Handler,
  isCutOff: (request: IncomingMessage) => boolean,
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
      if (request.socket.writable && !isCutOff(request)) handle(request, response);
    });
  };

  return (request, response) => {
    const { socket, method } = request;
    // The last response said that the connection ends, so the client does not count on what it sent ahead. It may be the
    // response to no request: that none came in time.
    if (!socket.writable) return;
    const isSafe = method === 'GET' || method === 'HEAD';
    const last = lasts.get(socket);
    if (!last) {
      lasts.set(socket, { response, isBarrier: !isSafe });
      handle(request, response);
      return;
    }
    const { response: before, isBarrier } = last;
    const isWaiting = !before.writableFinished && !(isSafe && !isBarrier);
    last.response = response;
    last.isBarrier = !isSafe || isWaiting;
    if (isWaiting) handleAfter(before, request, response);
    else handle(request, response);
  };
}
