import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Handler } from './service-response.ts';

type Headers = Readonly<Record<string, string>>;

/** What a preflight allows. The request that follows still gets 404, 405 or 401 as any other. */
const PREFLIGHT_HEADERS: Headers = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, QUERY',
  'access-control-allow-headers':
    'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, Mcp-Method, Mcp-Name, MCP-Protocol-Version, Petstore-Fault, traceparent, tracestate, X-Request-Id',
  // Ten minutes, the longest that any browser keeps it. So long an origin that was taken off the list may still send
  // requests, though it can't read the responses.
  'access-control-max-age': '600',
};

/** The headers that a page may read besides the few that it always may. */
const EXPOSED_HEADERS =
  'Link, Location, ETag, Last-Event-ID, X-Request-Id, Deprecation, Sunset, Retry-After, RateLimit, RateLimit-Policy, Petstore-Fault-Applied';

/**
 * Lets pages of some origins call the service and read its responses, errors included (CORS: Fetch
 * Standard, section 3.3). Without credentials: the key stands in a header that a page has to set itself.
 *
 * `origins` are spelled as browsers send them. Where there are none, nothing here does anything.
 */
export function crossOrigin(origins: readonly string[]) {
  const allowed = new Set(origins);
  // The response depends on the origin, so a cache must not give one origin the response to another.
  const forOthers: Headers = allowed.size > 0 ? { vary: 'Origin' } : {};

  /** The headers of a response to this request. It is undefined where the headers could not be read. */
  const headersFor = (request: IncomingMessage | undefined): Headers => {
    const { origin = '' } = request?.headers ?? {};
    if (!allowed.has(origin)) return forOthers;
    return {
      ...forOthers,
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED_HEADERS,
    };
  };

  return {
    headersFor,

    /** Adds these headers to every response, whoever writes it. */
    marked(handle: Handler): Handler {
      if (allowed.size === 0) return handle;
      return (request, response) => {
        for (const [name, value] of Object.entries(headersFor(request))) {
          response.setHeader(name, value);
        }
        handle(request, response);
      };
    },

    /**
     * Responds to preflight requests (Fetch Standard, section 4.8). Other OPTIONS requests, and those of other
     * origins, go on.
     */
    respondToPreflights(app: FastifyInstance): void {
      if (allowed.size === 0) return;
      app.addHook('onRequest', function respondToPreflight(request, reply, done) {
        const { origin = '', 'access-control-request-method': method } = request.headers;
        if (request.method !== 'OPTIONS' || method === undefined || !allowed.has(origin)) {
          return done();
        }
        reply.code(204).headers(PREFLIGHT_HEADERS).send();
      });
      // A `Vary` of the route's own would replace the one that every response has.
      app.addHook('onSend', function varyByOrigin(_request, reply, payload, done) {
        const { vary } = reply.getHeaders();
        if (vary !== forOthers.vary) reply.header('vary', `${vary}, ${forOthers.vary}`);
        done(null, payload);
      });
    },
  };
}
