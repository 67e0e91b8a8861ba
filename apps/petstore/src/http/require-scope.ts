import type { onRequestHookHandler, onRouteHookHandler } from 'fastify';
import { covers, type Scope } from '../keys/scope.ts';
import { ApiError } from './api-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a key must be allowed to do for the operation. */
    scope?: Scope;
  }
}

/**
 * Lets each route that is added from here on be reached only with a key that has the scope which the
 * route's config names, else 403. The check comes behind all `onRequest` hooks of the instance, so
 * behind `authenticate`, and before the body is looked at. Throws Error where a route names no scope:
 * an operation that nobody thought of must not be open to every key.
 */
export const requireScopes: onRouteHookHandler = (route) => {
  const scope = route.config?.scope;
  if (scope === undefined) {
    throw new Error(`${route.method} ${route.url} takes a key, and its config names no scope.`);
  }
  route.onRequest = [route.onRequest ?? [], requireScope(scope)].flat();
};

function requireScope(scope: Scope): onRequestHookHandler {
  return (request, _reply, done) => {
    done(covers(request.apiKey.scopes, scope) ? undefined : forbidden(scope));
  };
}

function forbidden(scope: Scope): ApiError {
  return new ApiError('forbidden', missingScope(scope), {
    headers: { 'www-authenticate': scopeChallenge(scope) },
  });
}

/** The sentence of a refusal. */
export function missingScope(scope: Scope): string {
  return `The API key lacks the scope ${scope}, which this operation needs.`;
}

/** The challenge that comes with it: RFC 6750, section 3.1. */
export function scopeChallenge(scope: Scope): string {
  return `Bearer error="insufficient_scope", scope="${scope}"`;
}
