import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerFile } from './answer-file.ts';
import { answerBare } from './bare-answer.ts';
import { type CanonicalHost, canonicalHost } from './host.ts';
import { PrunedError, type SiteCache } from './site-cache.ts';
import { type Found, SiteFiles } from './site-files.ts';
import type { Site } from './site-source.ts';
import { decodePath, encodePath, MAX_TARGET_BYTES, readTarget } from './target.ts';

/** `uri-host [":" port]` (RFC 9110, section 7.2): what is not even that is a bad request. */
const HOST_SYNTAX = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::[0-9]*)?$/i;

const ALLOW = ['Allow', 'GET, HEAD, OPTIONS'];

/** Kept free of sites: challenges and contacts at this address are the operator's to answer. */
const WELL_KNOWN = '/.well-known';

const NOINDEX_ROBOTS = 'User-agent: *\nDisallow: /';

interface Asked {
  readonly host: CanonicalHost;
  /** Decoded. */
  readonly path: string;
  readonly query: string;
}

/**
 * Answers requests with the files of the site that their host has. Nothing is asked of the store, and
 * nothing waited for, where memory has it all: then this returns undefined and the answer is written.
 * Otherwise a promise, which rejects where the store is away, before anything is written.
 */
export function responder(cache: SiteCache) {
  const files = new SiteFiles(cache);

  const answerFrom = (
    request: IncomingMessage,
    response: ServerResponse,
    asked: Asked,
    site: Site | undefined,
  ): undefined | Promise<void> => {
    if (!site) {
      answerBare(response, 404, 'There is no site at this address.');
      return undefined;
    }
    if (refuseMethod(request, response)) return undefined;
    const { host, path } = asked;
    if (site.isPreview && path === '/robots.txt') {
      answerBare(response, 200, NOINDEX_ROBOTS);
      return undefined;
    }
    const answer = (found: Found) => {
      if (found.kind === 'file') return answerFile(request, response, found.file, cache);
      if (found.kind === 'moved') redirect(response, found.path, asked.query);
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
    const asked = whatIsAsked(request, response);
    if (!asked) return undefined;
    return answerAsked(request, response, asked)?.catch((error) => {
      if (!(error instanceof PrunedError)) throw error;
      // The site was replaced, and what it was is gone; the news of it has not come yet.
      cache.forget(asked.host);
      return answerAsked(request, response, asked);
    });
  };
}

export type Respond = ReturnType<typeof responder>;

/** What a request is about; undefined once it is answered, for want of a host or path. */
function whatIsAsked(request: IncomingMessage, response: ServerResponse): Asked | undefined {
  const { url = '', headers, rawHeaders } = request;
  const refuse = (status: number, text?: string) => {
    answerBare(response, status, text);
    return undefined;
  };
  if (url.length > MAX_TARGET_BYTES) return refuse(414);
  // RFC 9112, section 3.2. Without it, HTTP/1.0 has no way to say which site it wants.
  if (countHosts(rawHeaders) !== 1)
    return refuse(400, 'A request must have exactly one Host header.');
  const target = readTarget(url);
  if (!target) return refuse(400);
  const authority = target.authority ?? headers.host ?? '';
  const host = canonicalHost(authority);
  if (!host) {
    return HOST_SYNTAX.test(authority)
      ? refuse(404, 'There is no site at this address.')
      : refuse(400, 'The Host header is no host name.');
  }
  const path = decodePath(target.path);
  if (path === undefined) return refuse(400, 'The path is not encoded as paths are.');
  if (path === WELL_KNOWN || path.startsWith(`${WELL_KNOWN}/`)) return refuse(404);
  return { host, path, query: target.query };
}

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
