import type { IncomingMessage, ServerResponse } from 'node:http';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Handles the requests that arrive in one turn of the event loop together, at its end: their clients
 * are woken up in one go, and to wake one that sleeps costs as much as all else that an answer takes.
 * `handleWaiting` does not wait for that end.
 */
export function inTurns(handle: Handler): { onRequest: Handler; handleWaiting: () => void } {
  let waiting: { readonly request: IncomingMessage; readonly response: ServerResponse }[] = [];
  const handleWaiting = () => {
    const together = waiting;
    waiting = [];
    for (const { request, response } of together) handle(request, response);
  };
  return {
    handleWaiting,
    onRequest(request, response) {
      if (waiting.length === 0) setImmediate(handleWaiting);
      waiting.push({ request, response });
    },
  };
}
