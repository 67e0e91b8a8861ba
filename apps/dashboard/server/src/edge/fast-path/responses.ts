import { matchesWeakly } from '@petstore/http/entity-tags.ts';
import { readRequestTarget } from '../http/edge-request.ts';
import { preferredRepresentation } from '../http/file-response.ts';
import { redirectOf } from '../http/respond.ts';
import type { Tally } from '../metrics/response-kind.ts';
import type { ReaderRequestCounter } from '../readers/reader-request-counter.ts';
import type { Content } from '../sites/forms.ts';
import type { RequestCounts } from '../sites/request-counts.ts';
import type { SiteCache } from '../sites/site-cache.ts';
import type { SiteFiles } from '../sites/site-files.ts';
import type { FastPathRequest } from './request.ts';

/** The bytes of a response, without its Date and Connection headers. */
export interface FastPathResponse {
  readonly head: string;
  readonly content: Content;
  readonly tally: Tally;
}

/**
 * Responds to fast-path requests from memory alone; undefined where memory lacks a part, or the response is not a file.
 * `serverName`: that of the TLS connection, undefined without TLS.
 */
export function fastPathResponder(
  cache: SiteCache,
  files: SiteFiles,
  counts: RequestCounts,
  readers: ReaderRequestCounter,
) {
  return (
    { target, host, accept, acceptEncoding, ifNoneMatch, reader }: FastPathRequest,
    serverName: string | undefined,
  ): FastPathResponse | undefined => {
    const requestTarget = readRequestTarget(target, host);
    if ('status' in requestTarget) return undefined;
    if (serverName !== undefined && serverName !== requestTarget.host) return undefined;
    const isSecure = serverName !== undefined;
    const site = cache.cachedSite(requestTarget.host);
    // Who may read a private site takes more than memory to say.
    if (!site || site.access) return undefined;
    const found = files.cached(requestTarget.host, site, requestTarget.path, accept);
    if (!found || redirectOf({ serverName }, site) !== undefined) return undefined;
    const { file } = found;
    const { reading } = file;
    const representation = preferredRepresentation(file, acceptEncoding);
    if (
      ifNoneMatch !== undefined &&
      file.status === 200 &&
      matchesWeakly(ifNoneMatch, representation.etag)
    ) {
      counts.count(site);
      if (reading) readers.read(reading, site, requestTarget.host, isSecure, reader);
      return {
        head: representation.notModifiedHead,
        content: '',
        tally: file.notModifiedTally,
      };
    }
    const content = cache.cachedContent(representation.source);
    if (content === undefined) return undefined;
    counts.count(site);
    if (reading) readers.read(reading, site, requestTarget.host, isSecure, reader);
    return { head: representation.head, content, tally: file.tally };
  };
}

export type FastPathResponder = ReturnType<typeof fastPathResponder>;
