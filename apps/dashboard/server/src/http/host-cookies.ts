import { cookieValues } from '@petstore/http/cookies.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Addresses } from '../addresses.ts';

export type Tls = Pick<Addresses, 'isTlsElsewhere'>;

/**
 * The values of a request's cookies of a name. Several: another site has set one of them, and nobody knows which.
 */
export function readHostCookie(request: FastifyRequest, tls: Tls, base: string): string[] {
  return cookieValues(request.headers.cookie, hostCookieName(request, tls, base));
}

/** Sets a cookie that scripts cannot read (HttpOnly), and that other sites send only when a link is followed (Lax). */
export function setHostCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  tls: Tls,
  base: string,
  { value, seconds }: { value: string; seconds: number },
): void {
  reply.setCookie(hostCookieName(request, tls, base), value, {
    ...attributes(request, tls),
    maxAge: seconds,
  });
}

export function clearHostCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  tls: Tls,
  base: string,
): void {
  reply.clearCookie(hostCookieName(request, tls, base), attributes(request, tls));
}

/**
 * The name of a cookie: over TLS with a prefix, for which browsers accept it over TLS only, and only from this very
 * host: no other site under the same domain can set it (RFC 6265bis, section 4.1.3.2).
 */
export function hostCookieName(request: FastifyRequest, tls: Tls, base: string): string {
  return isOverTls(request, tls) ? `__Host-${base}` : base;
}

/** Whether browsers use TLS, wherever it ends: here, or at a proxy that does not say so. */
function isOverTls({ protocol }: FastifyRequest, { isTlsElsewhere }: Tls): boolean {
  return protocol === 'https' || isTlsElsewhere;
}

function attributes(request: FastifyRequest, tls: Tls) {
  return { path: '/', httpOnly: true, secure: isOverTls(request, tls), sameSite: 'lax' } as const;
}
