import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIFETIME_MS } from '../accounts/sessions.ts';
import { unauthorized } from '../api-error.ts';
import {
  clearHostCookie,
  hostCookieName,
  readHostCookie,
  setHostCookie,
  type Tls,
} from './host-cookies.ts';

const SESSION_COOKIE = 'dashboard_session';

/**
 * The cookie of a browser that is signing in and has no session yet. Pending sign-ins and passkey challenges are bound
 * to it, for SIGN_IN_MS milliseconds.
 */
const SIGN_IN_COOKIE = 'dashboard_sign_in';
const SIGN_IN_MS = 10 * 60_000;

/** The name that the cookie of a session has for whoever sends a request. */
export function sessionCookieName(request: FastifyRequest, tls: Tls): string {
  return hostCookieName(request, tls, SESSION_COOKIE);
}

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
  const [secret, second] = readHostCookie(request, tls, plainName);
  // An empty one is none: what is bound to it would be bound to every browser that has none.
  if (second === undefined) return secret || undefined;
  const name = hostCookieName(request, tls, plainName);
  throw unauthorized(
    `The request has two cookies named ${name}. Delete this site's cookies in the browser, then sign in again.`,
  );
}

export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  tls: Tls,
  secret: string,
): void {
  const seconds = LIFETIME_MS / 1_000;
  setHostCookie(request, reply, tls, SESSION_COOKIE, { value: secret, seconds });
}

export function setSignInCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  tls: Tls,
  secret: string,
): void {
  const seconds = SIGN_IN_MS / 1_000;
  setHostCookie(request, reply, tls, SIGN_IN_COOKIE, { value: secret, seconds });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply, tls: Tls): void {
  clearHostCookie(request, reply, tls, SESSION_COOKIE);
}

export function clearSignInCookie(request: FastifyRequest, reply: FastifyReply, tls: Tls): void {
  clearHostCookie(request, reply, tls, SIGN_IN_COOKIE);
}
