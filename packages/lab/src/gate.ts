import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createIssuing, loopbackCertificate } from './certificate-authority/issuing.ts';

/** Stands in front of an authority and turns orders away, as one does whose limits are reached. */
export interface Gate {
  /** `https://127.0.0.1:PORT`, for what the authority has at its own address. */
  readonly origin: string;
  /** PEM: whom to trust there. */
  readonly rootPem: string;
  turnAway(hostname: string, isTurnedAway: boolean): void;
  close(): Promise<void>;
}

/** How long an order that was turned away is asked to wait, in seconds. */
export const RETRY_AFTER_SECONDS = 120;

/** `upstream`: the authority's origin, and PEM of whom to trust there. */
export async function startGate(upstream: {
  readonly origin: string;
  readonly ca: string;
}): Promise<Gate> {
  const own = await createIssuing('Lab Gate', Date.now);
  const { chain, key } = await loopbackCertificate(own);
  const turnedAway = new Set<string>();
  const server = createServer({ cert: chain, key }, async (asked, response) => {
    try {
      const body = await buffer(asked);
      if (orderedNames(body).some((name) => turnedAway.has(name))) {
        response.writeHead(429, {
          'content-type': 'application/problem+json',
          'retry-after': String(RETRY_AFTER_SECONDS),
        });
        response.end(JSON.stringify(RATE_LIMITED));
        return;
      }
      const { method = 'GET', url = '/', headers } = asked;
      const answer = await forward(upstream, { method, url, headers, body });
      response.writeHead(answer.status, answer.headers).end(answer.body);
    } catch (error) {
      response.writeHead(502).end((error as Error).message);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rootPem: own.rootPem,
    turnAway: (hostname, isTurnedAway) =>
      void (isTurnedAway ? turnedAway.add(hostname) : turnedAway.delete(hostname)),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** RFC 8555, section 6.6. */
const RATE_LIMITED = {
  type: 'urn:ietf:params:acme:error:rateLimited',
  detail: 'The lab turns orders for this name away: too many certificates (made up).',
  status: 429,
};

/** The names in an order (RFC 8555, section 7.4); none in any other message. */
function orderedNames(body: Buffer): string[] {
  try {
    const { payload } = JSON.parse(body.toString()) as { payload: string };
    const { identifiers } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
      identifiers: { value: string }[];
    };
    return identifiers.map(({ value }) => value);
  } catch {
    return [];
  }
}

interface Message {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The host stays as it is: the authority makes its addresses of it, and what is signed names them. */
async function forward(
  { origin, ca }: { origin: string; ca: string },
  { method, url, headers, body }: Message,
) {
  const { hostname, port } = new URL(origin);
  const outgoing = request({ hostname, port, path: url, method, headers, ca, agent: false });
  outgoing.end(body);
  const [answer] = await once(outgoing, 'response');
  return {
    status: answer.statusCode as number,
    headers: answer.headers as IncomingHttpHeaders,
    body: await buffer(answer),
  };
}
