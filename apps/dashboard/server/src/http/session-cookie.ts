import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIFETIME_MS } from '../accounts/sessions.ts';

/**
 * Browsers take a cookie of the second name over TLS alone, and only from this very host: no other site
 * under the same domain can set it (RFC 6265bis, section 4.1.3.2).
 */
const NAMES = { http: 'dashboard_session', https: '__Host-dashboard_session' } as const;

/** The secret of the session that a request comes with. */
export function sessionCookie({ cookies, protocol }: FastifyRequest): string | undefined {
  return cookies[NAMES[protocol]];
}

export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  secret: string,
): void {
  reply.setCookie(NAMES[request.protocol], secret, {
    ...attributes(request),
    maxAge: LIFETIME_MS / 1_000,
  });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(NAMES[request.protocol], attributes(request));
}

function attributes({ protocol }: FastifyRequest) {
  return { path: '/', httpOnly: true, secure: protocol === 'https', sameSite: 'lax' } as const;
}
