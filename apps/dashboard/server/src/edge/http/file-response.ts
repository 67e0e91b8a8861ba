import type { PreparedFile, Representation } from '../sites/prepared-file.ts';
import type { Content, MaybePromise, SiteCache } from '../sites/site-cache.ts';
import { acceptedCodings } from './content-coding.ts';
import type { EdgeRequest } from './edge-request.ts';
import { matchesTag } from './entity-tag.ts';
import type { EdgeResponse } from './response.ts';

/**
 * The answer to a GET or HEAD with a file, in the form that the client prefers, or 304 when it has that
 * already. A promise only where the content has to be read first; it rejects as the cache does.
 */
export function fileResponse(
  question: EdgeRequest,
  file: PreparedFile,
  cache: SiteCache,
): MaybePromise<EdgeResponse> {
  const { headers, method } = question;
  const isPart = headers.range !== undefined && method === 'GET' && file.status === 200;
  // Parts are those of the content as it is: whoever continues a download wants to save it.
  const form = isPart
    ? file.representations.identity
    : preferredRepresentation(file, headers['accept-encoding']);

  const known = headers['if-none-match'];
  if (known !== undefined && file.status === 200 && matchesTag(known, form.etag)) {
    return { status: 304, headers: form.notModifiedHeaders, content: '' };
  }
  if (method === 'HEAD') return { status: file.status, headers: form.headers, content: '' };

  const answer = (content: Content): EdgeResponse =>
    (isPart && rangeResponse(question, form, content)) || {
      ...{ status: file.status, headers: form.headers, content },
    };
  const content = cache.content(form.hash, file.origin);
  return content instanceof Promise ? content.then(answer) : answer(content);
}

/** The form that a client prefers who sent this Accept-Encoding. */
export function preferredRepresentation(
  { representations: forms }: PreparedFile,
  acceptEncoding: string | undefined,
): Representation {
  if (acceptEncoding === undefined || (!forms.br && !forms.gzip)) return forms.identity;
  for (const coding of acceptedCodings(acceptEncoding)) {
    const form = forms[coding];
    if (form) return form;
  }
  return forms.identity;
}

/** The part that was asked for, or 416; undefined where the whole content is to be sent. */
function rangeResponse(
  { headers: { range = '', 'if-range': ifRange } }: EdgeRequest,
  { rangeHeaders: partHeaders, etag, size }: Representation,
  content: Content,
): EdgeResponse | undefined {
  // RFC 9110, section 13.1.5: the strong comparison; a date never matches, for files have none here.
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
      ...partHeaders,
      ...['Content-Range', `bytes ${start}-${end - 1}/${size}`],
      ...['Content-Length', String(end - start)],
    ],
    content: typeof content === 'string' ? content.slice(start, end) : content.subarray(start, end),
  };
}

/** The first byte and the one behind the last. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The part that a Range header asks for, of a content of `size` bytes (RFC 9110, section 14.1.2);
 * `unsatisfiable` where it begins behind the end. undefined where the whole is to be sent: several
 * parts, other units, what is no range.
 */
export function byteRange(header: string, size: number): ByteRange | 'unsatisfiable' | undefined {
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
