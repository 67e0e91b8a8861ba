import { concurrencyLimit } from '@petstore/service/concurrency-limit.ts';
import { SingleFlight } from '@petstore/service/single-flight.ts';
import type { CanonicalHost } from '../host.ts';
import { API_CATALOG } from '../sites/manifest-paths.ts';
import type { MaybePromise } from '../sites/site-cache.ts';
import type { SiteSource } from '../sites/site-source.ts';
import type { EdgeRequest, RequestTarget } from './edge-request.ts';
import { type EdgeResponse, textResponse } from './response.ts';

/** Challenges and contacts there are the operator's. */
const WELL_KNOWN = '/.well-known';

/** RFC 8555, section 8.3: a token is base64url. */
const CHALLENGE = /^\/\.well-known\/acme-challenge\/([\w-]{1,200})$/;

/** Look-ups of challenges in progress, and those waiting: anyone can make tokens up. */
const MAX_RUNNING = 8;
const MAX_WAITING = 500;

/** Whether the path is the operator's, on every site. */
export function isWellKnown(path: string): boolean {
  return (
    path.startsWith(WELL_KNOWN) &&
    path !== API_CATALOG &&
    (path.length === WELL_KNOWN.length || path[WELL_KNOWN.length] === '/')
  );
}

/**
 * Responds to requests below /.well-known: to HTTP-01 challenges of any host, over HTTP without TLS alone (RFC 8555,
 * section 8.3), and with 404 to all else. Nothing is cached: an authority comes once, from several places.
 */
export function wellKnown(source: Pick<SiteSource, 'findHttpChallenge'>) {
  const reads = new SingleFlight<string | undefined>();
  const limited = concurrencyLimit(
    MAX_RUNNING,
    MAX_WAITING,
    () => new Error('Too many look-ups of challenges are waiting.'),
  );

  const challengeResponse = async (host: CanonicalHost, token: string): Promise<EdgeResponse> => {
    const read = reads.read(`${host} ${token}`, () =>
      limited(() => source.findHttpChallenge(host, token)),
    );
    const keyAuthorization = await read;
    return keyAuthorization === undefined ? textResponse(404) : keyResponse(keyAuthorization);
  };

  return (
    { method, serverName }: EdgeRequest,
    { host, rawPath }: RequestTarget,
  ): MaybePromise<EdgeResponse> => {
    const token = CHALLENGE.exec(rawPath)?.[1];
    const isRead = method === 'GET' || method === 'HEAD';
    if (token === undefined || serverName !== undefined || !isRead) return textResponse(404);
    return challengeResponse(host, token);
  };
}

export type WellKnown = ReturnType<typeof wellKnown>;

/** The key authorization without a line break. */
function keyResponse(keyAuthorization: string): EdgeResponse {
  const { status, headers } = textResponse(200, keyAuthorization);
  return {
    status,
    headers: [...headers.slice(0, -1), String(keyAuthorization.length)],
    content: keyAuthorization,
  };
}
