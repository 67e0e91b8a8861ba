import type { FastifyRequest } from 'fastify';

/**
 * The address of a request's client; `unknown` where the client has reset the stream of an HTTP/2 request. A dual-stack
 * socket reports IPv4 addresses mapped into IPv6.
 */
export function clientAddress({ ip }: { readonly ip: FastifyRequest['ip'] | undefined }): string {
  return ip?.replace(/^::ffff:(?=\d+\.)/i, '') ?? 'unknown';
}
