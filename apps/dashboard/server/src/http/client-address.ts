import type { FastifyRequest } from 'fastify';

/**
 * The address of a request's client; `unknown` where the client has taken a request over HTTP/2 back. A socket for both
 * families has IPv4 addresses mapped into IPv6.
 */
export function clientAddress({ ip }: { readonly ip: FastifyRequest['ip'] | undefined }): string {
  return ip?.replace(/^::ffff:(?=\d+\.)/i, '') ?? 'unknown';
}
