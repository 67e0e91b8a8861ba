import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerFile } from './answer-file.ts';
import { type Asked, NO_SITE, readAsked } from './asked.ts';
import { answerBare } from './bare-answer.ts';
import { PrunedError, type SiteCache } from './site-cache.ts';
import type { Found, SiteFiles } from './site-files.ts';
import type { Site } from './site-source.ts';
import { encodePath } from './target.ts';

const ALLOW = ['Allow', 'GET, HEAD, OPTIONS'];

/**
 * Answers requests with the files of the site that their host has. Nothing is asked of the store, and
 * nothing waited for, where memory has it all: then this returns undefined and the answer is written.
 * Otherwise a promise, which rejects where the store is away, before anything is written.
 */
export function responder(cache: SiteCache, files: SiteFiles) {
  const answerFrom = (
    request: IncomingMessage,
    response: ServerResponse,
    { host, path, query }: Asked,
    site: Site | undefined,
  ): undefined | Promise<void> => {
    if (!site) {
      answerBare(response, 404, NO_SITE);
      return undefined;
    }
    if (refuseMethod(request, response)) return undefined;
    const answer = (found: Found) => {
      if (found.kind === 'file') return answerFile(request, response, found.file, cache);
      if (found.kind === 'text') answerBare(response, 200, found.text);
      else if (found.kind === 'moved') redirect(response, found.path, query);
      else answerBare(response, 404);
      return undefined;
    };
    const found = files.find(host, site, path);
    return found instanceof Promise ? found.then(answer) : answer(found);
  };

  const answerAsked = (
    request: IncomingMessage,
    response: ServerResponse,
    asked: Asked,
  ): undefined | Promise<void> => {
    const site = cache.findSite(asked.host);
    return site instanceof Promise
      ? site.then((found) => answerFrom(request, response, asked, found))
      : answerFrom(request, response, asked, site);
  };

  return (request: IncomingMessage, response: ServerResponse): undefined | Promise<void> => {
    const { url = '', headers, rawHeaders } = request;
    // RFC 9112, section 3.2. Without it, HTTP/1.0 has no way to say which site it wants.
    if (countHosts(rawHeaders) !== 1) {
      answerBare(response, 400, 'A request must have exactly one Host header.');
      return undefined;
    }
    const asked = readAsked(url, headers.host ?? '');
    if ('status' in asked) {
      answerBare(response, asked.status, asked.text);
      return undefined;
    }
    return answerAsked(request, response, asked)?.catch((error) => {
      if (!(error instanceof PrunedError)) throw error;
      // The site was replaced, and what it was is gone; the news of it has not come yet.
      cache.forget(asked.host);
      return answerAsked(request, response, asked);
    });
  };
}

export type Respond = ReturnType<typeof responder>;

/** Node keeps the first of several Host headers and drops the rest in silence. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}

/** Answers every method but GET and HEAD. */
function refuseMethod({ method }: IncomingMessage, response: ServerResponse): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  if (method === 'OPTIONS') {
    response.writeHead(204, ALLOW);
    response.end();
  } else {
    answerBare(response, 405, undefined, ALLOW);
  }
  return true;
}

/** `path` is that of a file, so what follows its first slash is none: the way never leads off the site. */
function redirect(response: ServerResponse, path: string, query: string): void {
  answerBare(response, 308, undefined, ['Location', encodePath(path) + query]);
}
