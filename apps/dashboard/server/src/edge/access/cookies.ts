import { cookieValues } from '@petstore/http/cookies.ts';
import type { EdgeRequest } from '../http/edge-request.ts';
import type { SiteAccess } from './site-access.ts';

const SESSION = 'site_access';
/** Binds a sign-in with an account to the browser that began it. */
const ATTEMPT = 'site_sign_in';

/** Secrets of 256 bits in base64url. */
const SECRET = /^[\w-]{43}$/;

/** How long a sign-in with an account may take, in seconds. */
const ATTEMPT_S = 600;

/** Whether browsers come to this host over TLS, wherever it ends. */
type Host = Pick<SiteAccess, 'origin'>;

/**
 * Browsers take a cookie with the prefix over TLS alone, and only from this very host: no other site under the same
 * domain can set it (RFC 6265bis, section 4.1.3.2). Without TLS, on a machine of one's own, there is no such cookie.
 */
const nameOf = (name: string, { origin }: Host) =>
  origin.startsWith('https:') ? `__Host-${name}` : name;

/** The secret of the session; undefined without one, or with two of the name: nobody knows which of them is ours. */
export const sessionSecretOf = (request: EdgeRequest, host: Host) =>
  readCookie(request, nameOf(SESSION, host));

export const attemptOf = (request: EdgeRequest, host: Host) =>
  readCookie(request, nameOf(ATTEMPT, host));

function readCookie({ headers }: EdgeRequest, name: string): string | undefined {
  const [value, another] = cookieValues(headers.cookie, name);
  return value !== undefined && another === undefined && SECRET.test(value) ? value : undefined;
}

export const setSession = (secret: string, lifetimeMs: number, host: Host) =>
  setCookie(SESSION, secret, Math.floor(lifetimeMs / 1_000), host);
export const clearSession = (host: Host) => setCookie(SESSION, '', 0, host);
export const setAttempt = (secret: string, host: Host) =>
  setCookie(ATTEMPT, secret, ATTEMPT_S, host);
export const clearAttempt = (host: Host) => setCookie(ATTEMPT, '', 0, host);

function setCookie(name: string, value: string, maxAge: number, host: Host): string[] {
  const secure = host.origin.startsWith('https:') ? '; Secure' : '';
  const attributes = `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
  return ['Set-Cookie', `${nameOf(name, host)}=${value}; ${attributes}`];
}
