import type { CanonicalHost } from '../host.ts';
import type { MaybePromise } from '../sites/site-cache.ts';
import type { SiteSource } from '../sites/site-source.ts';
import { concurrencyLimit, SingleFlight, withReadTimeout } from '../store-reads.ts';
import type { EdgeRequest, RequestTarget } from './edge-request.ts';
import { type EdgeResponse, textResponse } from './response.ts';

/** Kept free of sites: challenges and contacts at this address are the operator's to answer. */
const WELL_KNOWN = '/.well-known';

/** RFC 8555, section 8.3: a token is of base64url. */
const CHALLENGE = /^\/\.well-known\/acme-challenge\/([\w-]{1,200})$/;

/** Questions about challenges to the store at once, and those that may wait: anybody can make tokens up. */
const AT_ONCE = 8;
const MAX_WAITING = 500;

export function isWellKnown(path: string): boolean {
  return (
    path.startsWith(WELL_KNOWN) &&
    (path.length === WELL_KNOWN.length || path[WELL_KNOWN.length] === '/')
  );
}

/**
 * Answers what is asked below /.well-known: HTTP-01 challenges, of any host, over plain HTTP alone (RFC 8555,
 * section 8.3), and 404 for all else. Nothing is remembered: an authority comes once, from several places.
 */
export function wellKnown(source: Pick<SiteSource, 'findHttpChallenge'>) {
  const reads = new SingleFlight<string | undefined>();
  const limited = concurrencyLimit(AT_ONCE, MAX_WAITING);

  const answerChallenge = async (host: CanonicalHost, token: string): Promise<EdgeResponse> => {
    const read = reads.read(`${host} ${token}`, () =>
      limited(() => withReadTimeout(source.findHttpChallenge(host, token))),
    );
    const keyAuthorization = await read;
    return keyAuthorization === undefined ? textResponse(404) : keyAnswer(keyAuthorization);
  };

  return (
    { method, serverName }: EdgeRequest,
    { host, rawPath }: RequestTarget,
  ): MaybePromise<EdgeResponse> => {
    const token = CHALLENGE.exec(rawPath)?.[1];
    const isAnswered = method === 'GET' || method === 'HEAD';
    if (token === undefined || serverName !== undefined || !isAnswered) return textResponse(404);
    return answerChallenge(host, token);
  };
}

export type WellKnown = ReturnType<typeof wellKnown>;

/** The bytes of the key authorization and no more. */
function keyAnswer(keyAuthorization: string): EdgeResponse {
  const { status, headers } = textResponse(200, keyAuthorization);
  return {
    status,
    headers: [...headers.slice(0, -1), String(keyAuthorization.length)],
    content: keyAuthorization,
  };
}
