import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

/** Why a request is refused before any other check. */
export interface HeadProblem {
  readonly status: 400 | 501;
  /** A sentence for the client. */
  readonly message: string;
}

/** The parts of a request that tell its host and its framing. */
export type RequestHead = Pick<IncomingMessage, 'httpVersion' | 'headers' | 'rawHeaders'>;

/**
 * What is wrong with the framing of a request (RFC 9112, section 6) or with the host that it names (section 3.2);
 * undefined where nothing is. `target`: the request target as it was sent.
 */
export function headProblem(head: RequestHead, target: string): HeadProblem | undefined {
  return transferProblem(head.headers['transfer-encoding']) ?? hostProblem(head, target);
}

/**
 * Whether a proxy in front may have seen the end of the request elsewhere: a transfer coding other than chunked, or one
 * in HTTP/1.0, which knows none. The bytes after it on the connection could then be a smuggled request of somebody
 * else, so they must not be read (RFC 9112, section 6.1).
 */
export function isFramedUnusually({ headers, httpVersion }: RequestHead): boolean {
  const codings = headers['transfer-encoding'];
  return codings !== undefined && (httpVersion === '1.0' || codings.toLowerCase() !== 'chunked');
}

/**
 * RFC 9112, section 6.3: where chunked is not the last coding, nobody can tell where the body ends. Section 7: chunked
 * stands there once. Other codings are not supported (section 6.1).
 */
export function transferProblem(header: string | undefined): HeadProblem | undefined {
  if (header === undefined) return undefined;
  const codings = header
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim());
  const chunked = codings.indexOf('chunked');
  const isFramed = chunked < 0 || chunked === codings.length - 1;
  if (!isFramed || !codings.every((coding) => TRANSFER_CODING.test(coding))) {
    const message =
      'Transfer-Encoding must be chunked, once and last: send Transfer-Encoding: chunked.';
    return { status: 400, message };
  }
  if (codings.length === 1 && chunked === 0) return undefined;
  const message = 'The only supported transfer coding is chunked: send the body without any other.';
  return { status: 501, message };
}

/** RFC 9110, section 10.1.4; chunked has no parameters (RFC 9112, section 7.1). */
const TRANSFER_CODING = /^(?!chunked[ \t]*;)[!#$%&'*+.^_`|~0-9a-z-]+([ \t]*;.*)?$/;

/** Exactly one Host in HTTP/1.1, at most one in HTTP/1.0, and a valid one. */
function hostProblem(
  { httpVersion, headers, rawHeaders }: RequestHead,
  target: string,
): HeadProblem | undefined {
  const hosts = countHeader(rawHeaders, 'host');
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    return { status: 400, message: 'The request must have exactly one Host header.' };
  }
  // An empty Host is right for a target without an authority (RFC 9112, section 3.2).
  if (hosts === 1 && headers.host !== '' && !isAuthority(headers.host ?? '')) {
    return { status: 400, message: 'Host must be a host name or an address, with a port at most.' };
  }
  const absolute = ABSOLUTE.exec(target);
  if (absolute && !isAuthority(absolute[1] ?? '')) {
    const message = 'The target must name a host or an address, with a port at most and no user.';
    return { status: 400, message };
  }
  return undefined;
}

/** A target in absolute form (RFC 9112, section 3.2.2), with its authority. */
const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;

/**
 * The target as routes know it: clients of proxies send `GET http://host/path`, which a server must
 * accept as well (RFC 9112, section 3.2.2).
 */
export function originForm({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  if (url.startsWith('/')) return url;
  const absolute = ABSOLUTE.exec(url);
  if (!absolute) return url;
  const rest = url.slice(absolute[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * A registered name (RFC 3986, section 3.2.2) with a port. Without the comma that the grammar allows: with one
 * a list of two hosts would be a name.
 */
const NAME = /^(?:[\w.~!$&'()*+;=-]|%[0-9a-f]{2})+(?::[0-9]*)?$/i;

const IN_BRACKETS = /^\[([0-9a-f:.]+)\](?::[0-9]*)?$/i;

/** Whether text is a host as http has one: not empty (RFC 9110, section 4.2.1), and without a user (4.2.4). */
export function isAuthority(text: string): boolean {
  if (!text.startsWith('[')) return NAME.test(text);
  return isIPv6(IN_BRACKETS.exec(text)?.[1] ?? '');
}

/**
 * Whether a request has more than one Content-Type: in several headers, of which Node keeps the first, or as a list in
 * one. It has one value (RFC 9110, section 8.3), and another reader may use the other one.
 */
export function hasTwoContentTypes({ headers, rawHeaders }: RequestHead): boolean {
  if (countHeader(rawHeaders, 'content-type') > 1) return true;
  const unquoted = headers['content-type']?.replace(QUOTED, (text, end) =>
    end === '' ? text : '',
  );
  return unquoted?.includes(',') ?? false;
}

/**
 * A quoted string with its end. One that never ends takes the rest of the text, so that the end is not searched for
 * again at each quote in it.
 */
const QUOTED = /"(?:[^"\\]|\\.?)*("|$)/g;

export const TWO_CONTENT_TYPES =
  'The request must have at most one Content-Type, with one media type.';

/**
 * How many headers of this name a request has. Node keeps one of several and silently drops the rest; only the raw
 * list, names and values in turn, shows them. `name` is in lower case.
 */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const candidate = rawHeaders[at];
    if (candidate?.length === name.length && candidate.toLowerCase() === name) count++;
  }
  return count;
}
