import type { ApiError } from '@petstore/http/errors.ts';
import { methodNotAllowed } from '@petstore/http/methods.ts';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify';
import { isOffered, type StabilityLevel } from '../stability.ts';
import { pathNotFound } from './api-error.ts';
import { headerLines, responseOf } from './service-response.ts';

/** The media types of a QUERY's body, as a List of RFC 9651. */
export const ACCEPT_QUERY = 'application/json';

/** Adds `Accept-Query` (RFC 10008, section 3) to a response. */
const acceptQuery: onRequestHookHandler = (_request, reply, done) => {
  responseOf(reply).addLines(headerLines(['accept-query', ACCEPT_QUERY]));
  done();
};

/**
 * Watches the routes that are added from here on. Every method that a path does not have, or not at this level of
 * stability, is a 405 with `Allow` (RFC 9110, section 15.5.6). Paths without an operation at this level are unknown.
 */
export class OtherMethods {
  readonly #routesByPath = new Map<string, RouteOptions[]>();
  /** The methods of each path at this level. */
  readonly #allowed = new Map<string, Set<string>>();
  readonly #level: StabilityLevel;

  constructor(app: FastifyInstance, level: StabilityLevel) {
    this.#level = level;
    app.addHook('onRoute', (route) => {
      const others = this.#routesByPath.get(route.url) ?? [];
      this.#routesByPath.set(route.url, [...others, route]);
    });
  }

  /** Refuses the methods for which there is no route at all. To be called after the last route. */
  refuse(app: FastifyInstance): void {
    for (const [url, routes] of [...this.#routesByPath]) {
      const methods = new Set(routes.flatMap(({ method }) => method));
      const offered = routes.filter(({ config = {} }) => isOffered(config, this.#level));
      if (offered.length === 0) continue;
      const allowed = new Set(offered.flatMap(({ method }) => method));
      this.#allowed.set(url, allowed);
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
  }

  /** The refusal of a request whose route is not offered at this level; undefined where it is. */
  refusalOf({ method, route: { url = '', config } }: FastifyRequest): ApiError | undefined {
    if (isOffered(config, this.#level)) return undefined;
    const allowed = this.#allowed.get(url);
    return allowed ? methodNotAllowed(method, allowed) : pathNotFound();
  }
}
