import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

// Pages for people at the machine that serves them, with buttons that act on it.

/** The headers of every response: nothing is loaded from elsewhere, framed, or cached. */
export const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** A request of a foreign page by DNS rebinding has another Host. */
export function isOwnHost({ headers: { host = '' } }: IncomingMessage): boolean {
  return /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host);
}

/** Browsers send the origin of the page with every POST; commands send none. */
export function isOwnPage({ headers }: IncomingMessage): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  return origin === undefined
    ? site === undefined || site === 'same-origin'
    : origin === `http://${host}`;
}

export function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Buffer,
): void {
  response.writeHead(status, { ...PAGE_HEADERS, 'content-type': type }).end(body);
}

/** Listens on 127.0.0.1. Rejects where the port is taken. */
export async function listenLocally(port: number, listener: RequestListener) {
  const server = createServer(listener).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
