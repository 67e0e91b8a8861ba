import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';

/** A request for a played host of repositories. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

/** Serves JSON on loopback until the test ends; the origin. */
export async function serveJson(t: Ending, answer: (asked: Asked) => Answer): Promise<string> {
  const server = createServer(async (request, response) => {
    const { method = '', headers } = request;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://host');
    const asked = { method, headers, path: pathname, query: searchParams };
    const { status, body, headers: more } = answer({ ...asked, body: await text(request) });
    response.writeHead(status, { 'content-type': 'application/json', ...more });
    response.end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A page of a list, by `page` and `per_page`. */
export function pageOf<T>(items: readonly T[], query: URLSearchParams): T[] {
  const size = Math.min(100, Number(query.get('per_page') ?? 30));
  const from = (Number(query.get('page') ?? 1) - 1) * size;
  return items.slice(from, from + size);
}
