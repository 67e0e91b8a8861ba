import type { Server } from 'node:http';
import { createServer } from '@petstore/http/node-http.ts';
import type { Config } from '../config.ts';
import type { Limits } from '../limits.ts';
import type { RequestIds } from './request-id.ts';
import { type Handler, responseClass } from './service-response.ts';

/** Makes Node's server, within limits; every response of it has the headers `always`, and its request's id. */
export function createNodeServer(
  { headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs, maxHeaderBytes }: Limits,
  always: Readonly<Record<string, string>>,
  requestId: RequestIds,
  handle: Handler,
): Server {
  const options = {
    ServerResponse: responseClass(always, requestId, keepAliveTimeoutMs),
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    // How late Node may notice a timeout.
    connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs),
    // Node would respond to a missing Host with an empty body; checkHead sends the Error body.
    requireHostHeader: false,
  };
  const server = createServer(options, handle);
  // Node would silently drop headers beyond a number of them; the overload guard refuses them instead.
  server.maxHeadersCount = 0;
  return server;
}

type Headers = Readonly<Record<string, string>>;

/** A year, in seconds: the least that the preload lists of browsers require. */
const HSTS_MAX_AGE_SECONDS = 31_536_000;

/**
 * The security headers of every response, after OWASP's REST Security Cheat Sheet. Those that only matter to pages are
 * left out, since the pages set them themselves.
 *
 * `Strict-Transport-Security` is sent where the public address is https alone: the service speaks plain
 * HTTP to the proxy in front of it and can't see how a request reached the proxy, and over plain HTTP the
 * header must not be sent (RFC 6797, section 7.2). It speaks for its own host, not for those below.
 */
export function securityHeaders({ environment, baseUrl, stagingBaseUrl }: Config): Headers {
  const publicUrl = environment === 'production' ? baseUrl : stagingBaseUrl;
  return {
    'x-content-type-options': 'nosniff',
    ...(publicUrl?.startsWith('https:') && {
      'strict-transport-security': `max-age=${HSTS_MAX_AGE_SECONDS}`,
    }),
  };
}
