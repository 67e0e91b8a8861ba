import { isIP } from 'node:net';
import { bareHost } from '@petstore/http/reachable-addresses.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DomainConfig } from '../config-domain.ts';
import type { CanonicalHost } from '../edge/host.ts';
import { isMisdirected } from '../edge/own-hosts/own-host.ts';

/**
 * Whether a request came over TLS to the dashboard's own name. The edge hands these connections over, and no others use
 * HTTP/2. A request over HTTP/2 has no socket any more once its client has reset the stream.
 */
export function isOverOwnTls({ raw }: Pick<FastifyRequest, 'raw'>): boolean {
  return raw.httpVersionMajor === 2 || ('encrypted' in raw.socket && raw.socket.encrypted === true);
}

/**
 * Whether a request comes from the machine that the dashboard runs on. Its plain port may be bound to an address that
 * others reach.
 */
export function isFromThisMachine(request: Pick<FastifyRequest, 'raw'>): boolean {
  const address = request.raw.socket.remoteAddress ?? '';
  return !isOverOwnTls(request) && /^(::1|(::ffff:)?127\.[\d.]+)$/.test(address);
}

/**
 * Where the dashboard has a name of its own. Requests over TLS that are for another host are refused (RFC 9110, section
 * 7.4), and browsers are told to use TLS alone (RFC 6797). Without TLS it is set up on the server itself: there a page of
 * a foreign name was made to lead to this machine (DNS rebinding), and is refused as well.
 */
export function guardOwnName(app: FastifyInstance, { name, hstsSeconds }: DomainConfig): void {
  app.addHook('onRequest', async (request, reply) => {
    const isSecure = isOverOwnTls(request);
    if (isSecure && hstsSeconds > 0)
      reply.header('strict-transport-security', `max-age=${hstsSeconds}`);
    const isForOther = isSecure
      ? isMisdirected(request, request.originalUrl, name as CanonicalHost)
      : request.protocol !== 'https' && !isThisMachine(request.hostname);
    if (!isForOther) return;
    return reply.code(421).type('text/plain; charset=utf-8').send('Misdirected Request\n');
  });
}

/** A name that no DNS has to resolve. */
function isThisMachine(hostname: string): boolean {
  const host = bareHost(hostname);
  return isIP(host) !== 0 || host === 'localhost' || host === '';
}
