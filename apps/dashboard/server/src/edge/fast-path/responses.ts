import { readAsked } from '../http/edge-request.ts';
import { matchesTag } from '../http/entity-tag.ts';
import { preferredForm } from '../http/file-response.ts';
import { originElsewhere } from '../http/respond.ts';
import type { Content, SiteCache } from '../sites/site-cache.ts';
import type { SiteFiles } from '../sites/site-files.ts';
import type { PlainRequest } from './request.ts';

/** An answer as it goes over the wire, but for its date and what is said of the connection. */
export interface PlainAnswer {
  readonly head: string;
  readonly content: Content;
}

/**
 * The answers to plain requests that memory has whole; undefined for all others. `serverName` is that of
 * the TLS connection, undefined where there is none.
 */
export function plainAnswers(cache: SiteCache, files: SiteFiles) {
  return (
    { target, host, acceptEncoding, ifNoneMatch }: PlainRequest,
    serverName: string | undefined,
  ): PlainAnswer | undefined => {
    const asked = readAsked(target, host);
    if ('status' in asked) return undefined;
    if (serverName !== undefined && serverName !== asked.host) return undefined;
    const site = cache.knownSite(asked.host);
    const found = site && files.known(asked.host, site, asked.path);
    if (!found || originElsewhere({ serverName }, site) !== undefined) return undefined;
    const { file } = found;
    const form = preferredForm(file, acceptEncoding);
    if (ifNoneMatch !== undefined && file.status === 200 && matchesTag(ifNoneMatch, form.etag)) {
      return { head: form.notModifiedHead, content: '' };
    }
    const content = cache.knownContent(form.hash, file.origin);
    return content === undefined ? undefined : { head: form.head, content };
  };
}

export type AnswerPlainly = ReturnType<typeof plainAnswers>;
