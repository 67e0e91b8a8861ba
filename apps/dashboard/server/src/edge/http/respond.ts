import type { Headers } from '../sites/file-headers.ts';
import { type MaybePromise, PrunedError, type SiteCache } from '../sites/site-cache.ts';
import type { FoundResource, SiteFiles } from '../sites/site-files.ts';
import type { Site } from '../sites/site-source.ts';
import {
  type EdgeRequest,
  encodePath,
  NO_SITE,
  type RequestTarget,
  readRequestTarget,
} from './edge-request.ts';
import { fileResponse } from './file-response.ts';
import { type EdgeResponse, textResponse } from './response.ts';
import { isWellKnown, type WellKnown } from './well-known.ts';

const ALLOW = ['Allow', 'GET, HEAD, OPTIONS'];

/**
 * Answers questions with the files of the site that their host has. Nothing is asked of the store, and
 * nothing waited for, where memory has it all: then this returns the answer. Otherwise a promise, which
 * rejects where the store is away.
 */
export function responder(cache: SiteCache, files: SiteFiles, wellKnown: WellKnown) {
  const answerFrom = (
    question: EdgeRequest,
    asked: RequestTarget,
    site: Site | undefined,
  ): MaybePromise<EdgeResponse> => {
    if (!site) return textResponse(404, NO_SITE);
    const always = secureHeaders(question, site);
    // Before the way elsewhere: a site takes no forms, so none is to be sent on, least of all in the clear.
    const refused = methodResponse(question.method, always);
    if (refused) return refused;
    const elsewhere = redirectOriginOf(question, site);
    if (elsewhere !== undefined)
      return textResponse(301, undefined, [...always, ...locationOf(elsewhere, asked)]);

    const answer = (found: FoundResource): MaybePromise<EdgeResponse> => {
      switch (found.kind) {
        case 'file':
          return fileResponse(question, found.file, cache);
        case 'text':
          return textResponse(200, found.text, always);
        case 'moved':
          // Of a file, so what follows its first slash is none: the way never leads off the site.
          return textResponse(308, undefined, [
            ...always,
            ...['Location', encodePath(found.path) + asked.query],
          ]);
        case 'nothing':
          return textResponse(404, undefined, always);
      }
    };
    const found = files.find(asked.host, site, asked.path);
    return found instanceof Promise ? found.then(answer) : answer(found);
  };

  const answerAsked = (question: EdgeRequest, asked: RequestTarget): MaybePromise<EdgeResponse> => {
    const site = cache.findSite(asked.host);
    return site instanceof Promise
      ? site.then((found) => answerFrom(question, asked, found))
      : answerFrom(question, asked, site);
  };

  return (question: EdgeRequest): MaybePromise<EdgeResponse> => {
    const { target, authority, serverName } = question;
    // RFC 9112, section 3.2. Without it, HTTP/1.0 has no way to say which site it wants.
    if (authority === undefined) {
      return textResponse(400, 'A request must have exactly one Host header.');
    }
    const asked = readRequestTarget(target, authority);
    if ('status' in asked) {
      const isMisdirected = asked.status === 404 && serverName !== undefined;
      return isMisdirected ? textResponse(421) : textResponse(asked.status, asked.text);
    }
    // RFC 9110, section 7.4: whoever proved to be one host speaks for no other.
    if (serverName !== undefined && asked.host !== serverName) return textResponse(421);
    if (isWellKnown(asked.path)) return wellKnown(question, asked);
    const answer = answerAsked(question, asked);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error) => {
      if (!(error instanceof PrunedError)) throw error;
      // The site was replaced, and what it was is gone; the news of it has not come yet.
      cache.evict(asked.host);
      return answerAsked(question, asked);
    });
  };
}

export type Respond = ReturnType<typeof responder>;

/** The origin that a question is sent to instead of being answered; undefined where it is answered. */
export function redirectOriginOf(
  { serverName }: Pick<EdgeRequest, 'serverName'>,
  { redirectOrigin, secureOrigin }: Site,
): string | undefined {
  return redirectOrigin ?? (serverName === undefined ? secureOrigin : undefined);
}

/** RFC 6797, section 7.2: never without TLS. */
function secureHeaders({ serverName }: EdgeRequest, { hsts }: Site): Headers {
  return serverName !== undefined && hsts ? ['Strict-Transport-Security', hsts] : [];
}

/** An origin ends before the path and the path begins with a slash: whatever it holds, it stays behind the origin. */
function locationOf(origin: string, { rawPath, query }: RequestTarget): Headers {
  return ['Location', origin + rawPath + query];
}

/** The answer to every method but GET and HEAD. */
function methodResponse(method: string, always: Headers): EdgeResponse | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (method === 'OPTIONS') return { status: 204, headers: [...always, ...ALLOW], content: '' };
  return textResponse(405, undefined, [...always, ...ALLOW]);
}
