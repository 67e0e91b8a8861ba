import { ApiError } from '@petstore/http/errors.ts';
import type { onRouteHookHandler } from 'fastify';
import { covers, type Scope } from '../../keys/scope.ts';
import type { Check } from './check.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a key must be allowed to do for the operation. */
    scope?: Scope;
  }
}

/**
 * Throws Error where a route that is added from here on names no scope: a forgotten scope must not open an operation to
 * every key.
 */
export const expectScope: onRouteHookHandler = ({ method, url, config }) => {
  if (config?.scope === undefined) {
    throw new Error(`${method} ${url} takes a key, and its config names no scope.`);
  }
};

/** Lets a key pass that has the scope of the route. Throws ApiError `forbidden` for any other. */
export const checkScope: Check = ({ key, config: { scope = 'admin' } }) => {
  if (covers(key.scopes, scope)) return;
  throw new ApiError('forbidden', missingScope(scope), {
    headers: { 'www-authenticate': scopeChallenge(scope) },
  });
};

/** The sentence of a refusal. */
export function missingScope(scope: Scope): string {
  return `The API key lacks the scope ${scope}, which this operation needs.`;
}

/** The challenge that comes with it: RFC 6750, section 3.1. */
export function scopeChallenge(scope: Scope): string {
  return `Bearer error="insufficient_scope", scope="${scope}"`;
}
