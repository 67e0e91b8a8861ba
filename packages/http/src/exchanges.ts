import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { LINGER_MS } from './lingering.ts';

/** The response to the last request of a connection, and the one before it if that is not sent yet. */
interface Exchange {
  response: ServerResponse;
  previous: ServerResponse | undefined;
}

/**
 * Closes connections on which something other than a request, or an incomplete one, arrived: each request gets one
 * response, in the order of the requests, and the last bytes come behind them all.
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
   * Closes a connection with one more response, whose bytes these are. It is left out where the request that was still
   * arriving gets its response in this turn of the event loop, or has it already.
   */
  end(socket: Duplex, bytes: string): void {
    setImmediate(() => {
      const { response, previous } = this.#exchanges.get(socket) ?? {};
      const send = () => {
        if (!socket.writable) return;
        socket.write(bytes);
        closeSlowly(socket);
      };
      // Earlier requests get their responses first: a pipelining client relies on the order.
      if (response?.req.complete) whenFinished(response, send);
      else if (response?.headersSent) whenFinished(response, () => closeSlowly(socket));
      else whenFinished(previous, send);
    });
  }
}

/**
 * Closes a connection whose client may still be sending (lingering close). What arrives is read and dropped for a
 * while: to close at once would reset the connection before the client has read its response.
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
