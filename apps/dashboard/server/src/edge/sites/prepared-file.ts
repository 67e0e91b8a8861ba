import { entityTag } from '@petstore/http/entity-tags.ts';
import { STATUS_CODES, validateHeaderValue } from '@petstore/http/node-http.ts';
import type { Coding, Manifest, ManifestEntry } from '../../deploys/artifact.ts';
import { fileHeaders, type Headers } from './file-headers.ts';
import type { Site } from './site-source.ts';

/** A site's page for paths that it does not have. */
export const NOT_FOUND_PAGE = '/404.html';

/** A file in one content coding. */
export interface Representation {
  /** Of the content. */
  readonly hash: string;
  readonly size: number;
  /** Strong, quotes included. */
  readonly etag: string;
  /** The headers of a response with the whole content. */
  readonly headers: Headers;
  /** The same without Content-Length: for a response with a range. */
  readonly rangeHeaders: Headers;
  readonly notModifiedHeaders: Headers;
  /** `headers` behind their status line, as they go over the wire, without the empty line. */
  readonly head: string;
  readonly notModifiedHead: string;
}

/** A file of a site with all that its responses share. */
export interface PreparedFile {
  readonly site: Site;
  readonly status: 200 | 404;
  /** Replaces `{{origin}}` in the content; undefined where the file is not a template. */
  readonly origin: string | undefined;
  readonly representations: { readonly identity: Representation } & {
    readonly [coding in Coding]?: Representation;
  };
}

/**
 * `size` is that of the content as it is sent, which a template's entry does not say. Throws where a
 * value of the manifest can't stand in a header.
 */
export function prepareFile(
  site: Site,
  { contentSecurityPolicy }: Manifest,
  path: string,
  entry: ManifestEntry,
  size: number,
): PreparedFile {
  const status = path === NOT_FOUND_PAGE ? 404 : 200;
  const headers = fileHeaders(site, path, entry, contentSecurityPolicy);
  const origin = entry.template ? site.origin : undefined;

  const representation = (
    coding: Coding | 'identity',
    content: { hash: string; size: number },
  ): Representation => {
    const described = [
      ...headers.withContent,
      ...(coding === 'identity' ? ['Accept-Ranges', 'bytes'] : ['Content-Encoding', coding]),
    ];
    // The tag covers the headers too: after a 304 a browser goes on with the headers that it has.
    const tagged = JSON.stringify([content.hash, origin, headers.always, described]);
    const etag = entityTag(tagged);
    // A 404 takes no conditions and no ranges (RFC 9110, section 13.2.1).
    const always = status === 404 ? headers.always : [...headers.always, 'ETag', etag];
    const rangeHeaders = [...always, ...described];
    const whole = [...rangeHeaders, 'Content-Length', String(content.size)];
    return {
      ...content,
      etag,
      headers: whole,
      rangeHeaders,
      notModifiedHeaders: always,
      head: headOf(status, whole),
      notModifiedHead: headOf(304, always),
    };
  };

  const { br, gzip } = entry.codings ?? {};
  return {
    site,
    status,
    origin,
    representations: {
      identity: representation('identity', { hash: entry.hash, size }),
      ...(br && { br: representation('br', br) }),
      ...(gzip && { gzip: representation('gzip', gzip) }),
    },
  };
}

function headOf(status: number, headers: Headers): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    validateHeaderValue(name, value);
    head += `${name}: ${value}\r\n`;
  }
  return head;
}
