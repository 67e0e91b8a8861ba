import { readRequestTarget } from '../http/edge-request.ts';
import { matchesTag } from '../http/entity-tag.ts';
import { preferredRepresentation } from '../http/file-response.ts';
import { redirectOriginOf } from '../http/respond.ts';
import type { Content, SiteCache } from '../sites/site-cache.ts';
import type { SiteFiles } from '../sites/site-files.ts';
import type { FastPathRequest } from './request.ts';

/** An answer as it goes over the wire, but for its date and what is said of the connection. */
export interface FastPathResponse {
  readonly head: string;
  readonly content: Content;
}

/**
 * The answers to plain requests that memory has whole; undefined for all others. `serverName` is that of
 * the TLS connection, undefined where there is none.
 */
export function fastPathResponder(cache: SiteCache, files: SiteFiles) {
  return (
    { target, host, acceptEncoding, ifNoneMatch }: FastPathRequest,
    serverName: string | undefined,
  ): FastPathResponse | undefined => {
    const asked = readRequestTarget(target, host);
    if ('status' in asked) return undefined;
    if (serverName !== undefined && serverName !== asked.host) return undefined;
    const site = cache.cachedSite(asked.host);
    const found = site && files.cached(asked.host, site, asked.path);
    if (!found || redirectOriginOf({ serverName }, site) !== undefined) return undefined;
    const { file } = found;
    const form = preferredRepresentation(file, acceptEncoding);
    if (ifNoneMatch !== undefined && file.status === 200 && matchesTag(ifNoneMatch, form.etag)) {
      return { head: form.notModifiedHead, content: '' };
    }
    const content = cache.cachedContent(form.hash, file.origin);
    return content === undefined ? undefined : { head: form.head, content };
  };
}

export type FastPathResponder = ReturnType<typeof fastPathResponder>;
