import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Handler } from './service-response.ts';

type Headers = Readonly<Record<string, string>>;

/** What a page may send. The request that follows meets the checks of all others: 404, 405, 401. */
const PREFLIGHT_HEADERS: Headers = {
  'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, traceparent, tracestate, X-Request-Id',
  // Ten minutes, as long as any browser keeps it: so long may an origin that was taken off the list
  // still send what it can't read the answer of.
  'access-control-max-age': '600',
};

/** What a page may read of an answer beside the few headers that it always may. */
const EXPOSED_HEADERS =
  'Link, Location, ETag, X-Request-Id, Deprecation, Sunset, Retry-After, RateLimit, RateLimit-Policy';

/**
 * Lets pages of some origins call the service and read what it answers, errors included (CORS: Fetch
 * Standard, section 3.3). Without credentials: the key stands in a header that a page has to set itself.
 *
 * `origins` are spelled as browsers send them. Where there are none, nothing here does anything.
 */
export function crossOrigin(origins: readonly string[]) {
  const allowed = new Set(origins);
  // Who asks makes a difference, so a cache must not give the one's answer to the other.
  const forOthers: Headers = allowed.size > 0 ? { vary: 'Origin' } : {};

  /** The headers of an answer to this request; undefined where what came was not read so far. */
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

    /** Gives every answer its headers, whoever makes it. */
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
     * Answers a page's question whether it may send a request (Fetch Standard, section 4.8). OPTIONS
     * that ask something else, or for another origin, go on.
     */
    answerPreflights(app: FastifyInstance): void {
      if (allowed.size === 0) return;
      app.addHook('onRequest', function answerPreflight(request, reply, done) {
        const { origin = '', 'access-control-request-method': method } = request.headers;
        if (request.method !== 'OPTIONS' || method === undefined || !allowed.has(origin)) {
          return done();
        }
        reply.code(204).headers(PREFLIGHT_HEADERS).send();
      });
      // What a route says of its own would take the place of what every answer has.
      app.addHook('onSend', function varyByOrigin(_request, reply, payload, done) {
        const { vary } = reply.getHeaders();
        if (vary !== forOthers.vary) reply.header('vary', `${vary}, ${forOthers.vary}`);
        done(null, payload);
      });
    },
  };
}
