import { METHODS } from '@petstore/service/node-http.ts';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../api-error.ts';

/** Has the router know every method, so that one which no route has is refused by its path's 405. */
export function acceptEveryMethod(app: FastifyInstance): void {
  for (const method of METHODS) {
    // CONNECT never becomes a request: refuseBadConnections answers it.
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
}

/**
 * Watches the routes that are added from here on. The function it returns gives each of the API's paths a
 * 405 for every other method, with `Allow` (RFC 9110, section 15.5.6); call it after the last route.
 */
export function refuseOtherMethods(app: FastifyInstance): () => void {
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    if (!url.startsWith('/api/')) return;
    const methods = methodsByPath.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    methodsByPath.set(url, methods);
  });

  return () => {
    for (const [url, methods] of [...methodsByPath]) {
      const allow = [...methods].sort().join(', ');
      app.route({
        url,
        method: app.supportedMethods.filter((method) => !methods.has(method)),
        config: { access: 'public' },
        schema: { hide: true },
        // Before the body is looked at: the method is wrong whatever the body says.
        onRequest: async ({ method }) => {
          throw new ApiError('method_not_allowed', `${method} is not allowed here; use ${allow}.`, {
            headers: { allow },
          });
        },
        handler: () => undefined,
      });
    }
  };
}
