import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIFETIME_MS } from '../accounts/sessions.ts';
import type { Addresses } from '../addresses.ts';
import { unauthorized } from '../api-error.ts';

/** The name of the session's cookie without TLS. */
export const SESSION_COOKIE = 'dashboard_session';

/**
 * The same for a browser without a session, which signs in: what it is asked for holds for this browser alone, and for
 * this long, in milliseconds.
 */
const SIGN_IN_COOKIE = 'dashboard_sign_in';
const SIGN_IN_MS = 10 * 60_000;

type Tls = Pick<Addresses, 'isTlsElsewhere'>;

/**
 * The secret of a request's session. Throws ApiError `unauthorized` for two
 * cookies of the name: another site has set one of them, and nobody knows which.
 */
export function readSessionCookie(request: FastifyRequest, tls: Tls): string | undefined {
  return readCookie(request, tls, SESSION_COOKIE);
}

/** The secret of a browser that signs in. Throws as `readSessionCookie` does. */
export function readSignInCookie(request: FastifyRequest, tls: Tls): string | undefined {
  return readCookie(request, tls, SIGN_IN_COOKIE);
}

function readCookie(request: FastifyRequest, tls: Tls, plainName: string): string | undefined {
  const name = nameFor(plainName, isOverTls(request, tls));
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
  setCookie(request, reply, tls, { name: SESSION_COOKIE, secret, maxAgeMs: LIFETIME_MS });
}

export function setSignInCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  tls: Tls,
  secret: string,
): void {
  setCookie(request, reply, tls, { name: SIGN_IN_COOKIE, secret, maxAgeMs: SIGN_IN_MS });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply, tls: Tls): void {
  clearCookie(request, reply, tls, SESSION_COOKIE);
}

export function clearSignInCookie(request: FastifyRequest, reply: FastifyReply, tls: Tls): void {
  clearCookie(request, reply, tls, SIGN_IN_COOKIE);
}

function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  tls: Tls,
  { name, secret, maxAgeMs }: { name: string; secret: string; maxAgeMs: number },
): void {
  const isSecure = isOverTls(request, tls);
  const maxAge = maxAgeMs / 1_000;
  reply.setCookie(nameFor(name, isSecure), secret, { ...attributes(isSecure), maxAge });
}

function clearCookie(request: FastifyRequest, reply: FastifyReply, tls: Tls, name: string): void {
  const isSecure = isOverTls(request, tls);
  reply.clearCookie(nameFor(name, isSecure), attributes(isSecure));
}

/** Whether browsers use TLS, wherever it ends: here, or at a proxy that does not say so. */
function isOverTls({ protocol }: FastifyRequest, { isTlsElsewhere }: Tls): boolean {
  return protocol === 'https' || isTlsElsewhere;
}

/**
 * Browsers accept a cookie whose name begins like this over TLS only, and only from this very host: no other site under
 * the same domain can set it (RFC 6265bis, section 4.1.3.2).
 */
function nameFor(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

function attributes(isSecure: boolean) {
  return { path: '/', httpOnly: true, secure: isSecure, sameSite: 'lax' } as const;
}
