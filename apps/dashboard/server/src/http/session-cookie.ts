import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIFETIME_MS } from '../accounts/sessions.ts';
import type { Addresses } from '../addresses.ts';
import { unauthorized } from '../api-error.ts';

/** The name of the cookie without TLS. */
export const SESSION_COOKIE = 'dashboard_session';

/**
 * Browsers accept a cookie of this name over TLS only, and only from this very host: no other site under the same
 * domain can set it (RFC 6265bis, section 4.1.3.2).
 */
const NAME_OVER_TLS = `__Host-${SESSION_COOKIE}`;

type Tls = Pick<Addresses, 'isTlsElsewhere'>;

/**
 * The secret of a request's session. Throws ApiError `unauthorized` for two
 * cookies of the name: another site has set one of them, and nobody knows which.
 */
export function readSessionCookie(request: FastifyRequest, tls: Tls): string | undefined {
  const name = nameFor(isOverTls(request, tls));
  // RFC 6265, section 5.4: pairs are separated by "; ". Other spaces are kept: a name with a space is another name.
  const values = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  if (values.length > 1) {
    throw unauthorized(
      `The request has two cookies named ${name}. Delete this site's cookies in the browser, then sign in again.`,
    );
  }
  return values[0];
}

export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  tls: Tls,
  secret: string,
): void {
  const isSecure = isOverTls(request, tls);
  reply.setCookie(nameFor(isSecure), secret, {
    ...attributes(isSecure),
    maxAge: LIFETIME_MS / 1_000,
  });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply, tls: Tls): void {
  const isSecure = isOverTls(request, tls);
  reply.clearCookie(nameFor(isSecure), attributes(isSecure));
}

/** Whether browsers use TLS, wherever it ends: here, or at a proxy that does not say so. */
function isOverTls({ protocol }: FastifyRequest, { isTlsElsewhere }: Tls): boolean {
  return protocol === 'https' || isTlsElsewhere;
}

function nameFor(isSecure: boolean): string {
  return isSecure ? NAME_OVER_TLS : SESSION_COOKIE;
}

function attributes(isSecure: boolean) {
  return { path: '/', httpOnly: true, secure: isSecure, sameSite: 'lax' } as const;
}
