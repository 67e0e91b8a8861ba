import type { FastifyInstance } from 'fastify';
import { ApiError } from './errors.ts';
import { METHODS } from './node-http.ts';

/** Lets Fastify route every method that Node can parse, so that a path without a route for it gets a 405. */
export function acceptEveryMethod(app: FastifyInstance, options?: { hasBody: boolean }): void {
  for (const method of METHODS) {
    // CONNECT never becomes a request: refuseBadConnections responds to it.
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) {
      app.addHttpMethod(method, options);
    }
  }
}

/** 405, with `Allow` (RFC 9110, section 15.5.6). `allowed`: the methods that the path has. */
export function methodNotAllowed(method: string, allowed: ReadonlySet<string>): ApiError {
  const allow = [...allowed].sort().join(', ');
  const message = `${method} is not allowed here; use ${allow}.`;
  return new ApiError('method_not_allowed', message, { headers: { allow } });
}
