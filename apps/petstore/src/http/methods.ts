import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from './api-error.ts';

/** Lets Fastify route every method that Node can read, so that each meets a 404 or a 405. */
export function acceptEveryMethod(app: FastifyInstance): void {
  for (const method of METHODS) {
    // CONNECT never becomes a request; see connection-errors.ts.
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) {
      app.addHttpMethod(method, { hasBody: true });
    }
  }
}

/**
 * Watches the routes that are added from here on. The function it returns gives each of their paths
 * a 405 for every other method, with `Allow` (RFC 9110, section 15.5.6); call it after the last
 * route.
 */
export function refuseOtherMethods(app: FastifyInstance): () => void {
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPath.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsByPath.set(url, methods);
  });

  return () => {
    for (const [url, methods] of [...methodsByPath]) {
      const allow = [...methods].sort().join(', ');
      const refuse = (method: string) =>
        new ApiError('method_not_allowed', `${method} is not allowed here; use ${allow}.`, {
          headers: { allow },
        });
      app.route({
        url,
        method: app.supportedMethods.filter((method) => !methods.has(method)),
        schema: { hide: true },
        // Before the body is looked at: the method is wrong whatever the body says.
        onRequest: (request, _reply, done) => done(refuse(request.method)),
        handler: () => undefined,
      });
    }
  };
}
