import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIFETIME_MS } from '../accounts/sessions.ts';

/** The name of the cookie where there is no TLS. */
export const SESSION_COOKIE = 'dashboard_session';

/**
 * Browsers take a cookie of this name over TLS alone, and only from this very host: no other site
 * under the same domain can set it (RFC 6265bis, section 4.1.3.2).
 */
const NAME_OVER_TLS = `__Host-${SESSION_COOKIE}`;

/** The secret of the session that a request comes with. */
export function sessionCookie({ cookies, protocol }: FastifyRequest): string | undefined {
  return cookies[nameFor(protocol)];
}

export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  secret: string,
): void {
  reply.setCookie(nameFor(request.protocol), secret, {
    ...attributes(request),
    maxAge: LIFETIME_MS / 1_000,
  });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(nameFor(request.protocol), attributes(request));
}

function nameFor(protocol: string): string {
  return protocol === 'https' ? NAME_OVER_TLS : SESSION_COOKIE;
}

function attributes({ protocol }: FastifyRequest) {
  return { path: '/', httpOnly: true, secure: protocol === 'https', sameSite: 'lax' } as const;
}
