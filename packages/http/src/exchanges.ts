import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { LINGER_MS } from './lingering.ts';

/** The last request of a connection, and the response before its own if that is still on its way. */
interface Exchange {
  response: ServerResponse;
  previous: ServerResponse | undefined;
}

/**
 * Ends connections on which something came that is no request, or broke off one: each request gets one response, in
 * the order in which they were asked, and what is sent at the end comes behind them all.
 */
export class Exchanges {
  readonly #exchanges = new WeakMap<Duplex, Exchange>();

  constructor(server: Server) {
    server.on('request', ({ socket }, response) => {
      const exchange = this.#exchanges.get(socket);
      if (exchange) {
        const last = exchange.response;
        exchange.previous = last.writableFinished ? undefined : last;
        exchange.response = response;
      } else {
        this.#exchanges.set(socket, { response, previous: undefined });
      }
    });
  }

  /** The request that was still arriving on a connection. */
  unfinished(socket: Duplex): IncomingMessage | undefined {
    const request = this.#exchanges.get(socket)?.response.req;
    return request?.complete ? undefined : request;
  }

  /**
   * Ends a connection with one more response, whose bytes these are; without it where the request that was
   * still arriving is answered in this turn of the event loop, or has been.
   */
  end(socket: Duplex, bytes: string): void {
    setImmediate(() => {
      const { response, previous } = this.#exchanges.get(socket) ?? {};
      const send = () => {
        if (!socket.writable) return;
        socket.write(bytes);
        closeSlowly(socket);
      };
      // Whoever asked before must get its answer first: a pipelining client counts on the order.
      if (response?.req.complete) whenFinished(response, send);
      else if (response?.headersSent) whenFinished(response, () => closeSlowly(socket));
      else whenFinished(previous, send);
    });
  }
}

/**
 * Ends a connection whose client may still be sending. That is read and dropped for a while: to
 * close at once would reset the connection before the client has read its answer.
 */
function closeSlowly(socket: Duplex): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', () => socket.destroy());
}

function whenFinished(response: ServerResponse | undefined, next: () => void): void {
  if (!response || response.writableFinished) next();
  else response.once('finish', next);
}
