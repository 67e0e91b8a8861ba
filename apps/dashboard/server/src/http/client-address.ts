import type { FastifyRequest } from 'fastify';

/** The address of a request's client. A socket for both families has IPv4 addresses mapped into IPv6. */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  return ip.replace(/^::ffff:(?=\d+\.)/i, '');
}
