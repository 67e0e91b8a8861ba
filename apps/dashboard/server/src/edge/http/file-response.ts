import { matchesStrongly, matchesWeakly } from '@petstore/http/entity-tags.ts';
import type { Content } from '../sites/forms.ts';
import type { PreparedFile, Representation } from '../sites/prepared-file.ts';
import type { MaybePromise, SiteCache } from '../sites/site-cache.ts';
import { acceptedCodings } from './content-coding.ts';
import type { EdgeRequest } from './edge-request.ts';
import { type EdgeResponse, textResponse } from './response.ts';

/**
 * The response to a GET or HEAD of a file: the representation that the client prefers, 304 when it has that already, or
 * 412 when it asks for another one. A promise only where the content has to be read first; it rejects as the cache does.
 */
export function fileResponse(
  request: EdgeRequest,
  file: PreparedFile,
  cache: SiteCache,
): MaybePromise<EdgeResponse> {
  const { headers, method } = request;
  const isRange = headers.range !== undefined && method === 'GET' && file.status === 200;
  // Ranges are of the content without a coding: a client that continues a download saves it so.
  const representation = isRange
    ? file.representations.identity
    : preferredRepresentation(file, headers['accept-encoding']);

  // A 404 takes no conditions, and a private file has no tag. If-Match comes first (RFC 9110, sections 13.2.1 and 13.2.2).
  if (file.status === 200 && !file.site.access) {
    const { 'if-match': wanted, 'if-none-match': known } = headers;
    if (wanted !== undefined && !matchesStrongly(wanted, representation.etag)) {
      return textResponse(412);
    }
    if (known !== undefined && matchesWeakly(known, representation.etag)) {
      const { notModifiedHeaders: headers } = representation;
      return { status: 304, headers, content: '', tally: file.notModifiedTally };
    }
  }
  if (method === 'HEAD')
    return { status: file.status, headers: representation.headers, content: '', tally: file.tally };

  const respond = (content: Content): EdgeResponse =>
    (isRange && rangeResponse(request, representation, content)) || {
      ...{ status: file.status, headers: representation.headers, content, tally: file.tally },
    };
  const content = cache.content(representation.source);
  return content instanceof Promise ? content.then(respond) : respond(content);
}

/** The representation that a client with this Accept-Encoding prefers. */
export function preferredRepresentation(
  { representations }: PreparedFile,
  acceptEncoding: string | undefined,
): Representation {
  if (acceptEncoding === undefined || (!representations.br && !representations.gzip))
    return representations.identity;
  for (const coding of acceptedCodings(acceptEncoding)) {
    const representation = representations[coding];
    if (representation) return representation;
  }
  return representations.identity;
}

/** A 206 with the requested range, or 416; undefined where the whole content is to be sent. */
function rangeResponse(
  { headers: { range = '', 'if-range': ifRange } }: EdgeRequest,
  { rangeHeaders, etag, size }: Representation,
  content: Content,
): EdgeResponse | undefined {
  // RFC 9110, section 13.1.5: the strong comparison; a date never matches, since files have no Last-Modified.
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  const part = byteRange(range, size);
  if (part === undefined) return undefined;
  if (part === 'unsatisfiable') {
    const headers = ['Content-Range', `bytes */${size}`, 'Content-Length', '0'];
    return { status: 416, headers, content: '' };
  }
  const { start, end } = part;
  return {
    status: 206,
    headers: [
      ...rangeHeaders,
      ...['Content-Range', `bytes ${start}-${end - 1}/${size}`],
      ...['Content-Length', String(end - start)],
    ],
    content: typeof content === 'string' ? content.slice(start, end) : content.subarray(start, end),
  };
}

/** `end` is exclusive. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The one range of a Range header, for a content of `size` bytes (RFC 9110, section 14.1.2); `unsatisfiable`
 * where it begins behind the end. undefined where the whole content is to be sent: several ranges, other
 * units, invalid syntax.
 */
function byteRange(header: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/i.exec(header) ?? [];
  if (first === '') {
    if (last === '') return undefined;
    const length = Math.min(Number(last), size);
    return length > 0 ? { start: size - length, end: size } : 'unsatisfiable';
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}
