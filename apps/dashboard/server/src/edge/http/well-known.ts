import type { CanonicalHost } from '../host.ts';
import type { Soon } from '../sites/site-cache.ts';
import type { SiteSource } from '../sites/site-source.ts';
import { atMost, inTime, SharedReads } from '../store-reads.ts';
import type { Asked, Question } from './edge-request.ts';
import { type Answer, bareAnswer } from './response.ts';

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
  const reads = new SharedReads<string | undefined>();
  const limited = atMost(AT_ONCE, MAX_WAITING);

  const answerChallenge = async (host: CanonicalHost, token: string): Promise<Answer> => {
    const read = reads.read(`${host} ${token}`, () =>
      limited(() => inTime(source.findHttpChallenge(host, token))),
    );
    const keyAuthorization = await read;
    return keyAuthorization === undefined ? bareAnswer(404) : keyAnswer(keyAuthorization);
  };

  return ({ method, serverName }: Question, { host, rawPath }: Asked): Soon<Answer> => {
    const token = CHALLENGE.exec(rawPath)?.[1];
    const isAnswered = method === 'GET' || method === 'HEAD';
    if (token === undefined || serverName !== undefined || !isAnswered) return bareAnswer(404);
    return answerChallenge(host, token);
  };
}

export type WellKnown = ReturnType<typeof wellKnown>;

/** The bytes of the key authorization and no more. */
function keyAnswer(keyAuthorization: string): Answer {
  const { status, headers } = bareAnswer(200, keyAuthorization);
  return {
    status,
    headers: [...headers.slice(0, -1), String(keyAuthorization.length)],
    content: keyAuthorization,
  };
}
