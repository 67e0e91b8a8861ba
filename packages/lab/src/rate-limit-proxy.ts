import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createIssuing, loopbackCertificate } from './certificate-authority/issuing.ts';

/** A proxy in front of an authority that refuses orders for some names with `rateLimited`. */
export interface RateLimitProxy {
  /** `https://127.0.0.1:PORT`, instead of the authority's own origin. */
  readonly origin: string;
  /** The root of its HTTPS certificate, in PEM. */
  readonly rootPem: string;
  setRateLimited(hostname: string, isLimited: boolean): void;
  close(): Promise<void>;
}

/** The Retry-After of a refused order, in seconds. */
export const RETRY_AFTER_SECONDS = 120;

/** `upstream`: the authority's origin, and the root of its HTTPS certificate, in PEM. */
export async function startRateLimitProxy(upstream: {
  readonly origin: string;
  readonly ca: string;
}): Promise<RateLimitProxy> {
  const own = await createIssuing('Lab RateLimitProxy', Date.now);
  const { chain, key } = await loopbackCertificate(own);
  const limited = new Set<string>();
  const server = createServer({ cert: chain, key }, async (request, response) => {
    try {
      const body = await buffer(request);
      if (orderedNames(body).some((name) => limited.has(name))) {
        response.writeHead(429, {
          'content-type': 'application/problem+json',
          'retry-after': String(RETRY_AFTER_SECONDS),
        });
        response.end(JSON.stringify(RATE_LIMITED));
        return;
      }
      const { method = 'GET', url = '/', headers } = request;
      const forwarded = await forward(upstream, { method, url, headers, body });
      response.writeHead(forwarded.status, forwarded.headers).end(forwarded.body);
    } catch (error) {
      response.writeHead(502).end((error as Error).message);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rootPem: own.rootPem,
    setRateLimited: (hostname, isLimited) =>
      void (isLimited ? limited.add(hostname) : limited.delete(hostname)),
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
  detail: 'The lab refuses orders for this name: too many certificates (made up).',
  status: 429,
};

/** The names in an order (RFC 8555, section 7.4); empty for any other message. */
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

/** Keeps the Host header: the authority builds its URLs from it, and the signed requests contain them. */
async function forward(
  { origin, ca }: { origin: string; ca: string },
  { method, url, headers, body }: Message,
) {
  const { hostname, port } = new URL(origin);
  const outgoing = request({ hostname, port, path: url, method, headers, ca, agent: false });
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  return {
    status: response.statusCode as number,
    headers: response.headers as IncomingHttpHeaders,
    body: await buffer(response),
  };
}
