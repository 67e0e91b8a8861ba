import type { ApiError } from '@petstore/http/errors.ts';
import { methodNotAllowed } from '@petstore/http/methods.ts';
import { PathPatterns } from '@petstore/http/path-patterns.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isOffered, type StabilityLevel } from '../stability.ts';
import { pathNotFound } from './api-error.ts';
import { MAX_TARGET_BYTES } from './limits.ts';
import { headerLines, responseOf } from './service-response.ts';

/** The media types of a QUERY's body, as a List of RFC 9651. */
export const ACCEPT_QUERY = 'application/json';

/**
 * The methods of each path. Every method that a path does not have, or not at this level of stability, is a 405 with
 * `Allow` (RFC 9110, section 15.5.6). Paths without an operation at this level are unknown.
 */
export class OtherMethods {
  readonly #paths = new PathPatterns(MAX_TARGET_BYTES);
  /** The methods of each path at this level. */
  readonly #allowed = new Map<string, Set<string>>();
  readonly #level: StabilityLevel;

  constructor(level: StabilityLevel) {
    this.#level = level;
  }

  /** Called once with the app, before its routes are added. */
  watch(app: FastifyInstance): void {
    app.addHook('onRoute', ({ url, method, config = {} }) => {
      if (!isOffered(config, this.#level)) return;
      const methods = this.#allowed.get(url) ?? new Set();
      for (const each of [method].flat()) methods.add(each);
      this.#allowed.set(url, methods);
      this.#paths.add(url);
    });
  }

  /** The path, such as `/v1/pets/:petId`, of a request that the router has no route for; undefined where it is unknown. */
  pathOf({ url }: FastifyRequest): string | undefined {
    return this.#paths.of(url)[0];
  }

  /**
   * The error of a request that has no route, or none at this level; undefined where it has one. Before the body is
   * checked: the method is wrong whatever the body says.
   */
  errorFor(request: FastifyRequest, reply: FastifyReply): ApiError | undefined {
    const { method, is404 } = request;
    const { url = '', config } = request.route;
    if (!is404 && isOffered(config, this.#level)) return undefined;
    const allowed = this.#allowed.get(url);
    if (!allowed) return pathNotFound();
    // RFC 10008, section 3.
    if (is404 && allowed.has('QUERY'))
      responseOf(reply).addLines(headerLines(['accept-query', ACCEPT_QUERY]));
    return methodNotAllowed(method, allowed);
  }
}
