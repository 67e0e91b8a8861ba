import { methodNotAllowed } from '@petstore/http/methods.ts';
import type { FastifyInstance, onRequestHookHandler, RouteOptions } from 'fastify';
import { isOffered, type StabilityLevel } from '../stability.ts';
import { headerLines, responseOf } from './service-response.ts';

/** The media types of a QUERY's body, as a List of RFC 9651. */
export const ACCEPT_QUERY = 'application/json';

/** Adds `Accept-Query` (RFC 10008, section 3) to a response. */
const acceptQuery: onRequestHookHandler = (_request, reply, done) => {
  responseOf(reply).addLines(headerLines(['accept-query', ACCEPT_QUERY]));
  done();
};

/**
 * Watches the routes that are added from here on. The function it returns gives each of their paths a 405 for every
 * other method, with `Allow` (RFC 9110, section 15.5.6); call it after the last route. Paths without an operation at
 * this level of stability are left out.
 */
export function refuseOtherMethods(app: FastifyInstance, level: StabilityLevel): () => void {
  const routesByPath = new Map<string, RouteOptions[]>();
  app.addHook('onRoute', (route) => {
    routesByPath.set(route.url, [...(routesByPath.get(route.url) ?? []), route]);
  });

  return () => {
    for (const [url, routes] of [...routesByPath]) {
      const methods = new Set(routes.flatMap(({ method }) => method));
      const offered = routes.filter(({ config = {} }) => isOffered(config, level));
      if (offered.length === 0) continue;
      const allowed = new Set(offered.flatMap(({ method }) => method));
      app.route({
        url,
        method: app.supportedMethods.filter((method) => !methods.has(method)),
        schema: { hide: true },
        // Before the body is checked: the method is wrong whatever the body says.
        onRequest: [
          ...(allowed.has('QUERY') ? [acceptQuery] : []),
          function refuseMethod(request, _reply, done) {
            done(methodNotAllowed(request.method, allowed));
          },
        ],
        handler: () => undefined,
      });
    }
  };
}
