import type { IncomingHttpHeaders } from 'node:http';

/** What the headers of a request say of who sends it, as far as it decides what is counted. */
export interface ReaderHeaders {
  readonly userAgent: string | undefined;
  readonly referer: string | undefined;
  readonly accept: string | undefined;
  /** `Sec-Fetch-Dest`: what the browser wants it for. */
  readonly fetchDest: string | undefined;
  /** The reader does not want to be counted, or does not see what comes. */
  readonly isExcluded: boolean;
}

/**
 * Whether a header excludes its request from the counts: a wish of the reader, or a page that a browser loads ahead.
 */
export function excludes(name: string, value: string): boolean {
  switch (name) {
    // https://www.w3.org/TR/gpc/ and its predecessor.
    case 'sec-gpc':
    case 'dnt':
      return value.trim() === '1';
    case 'sec-purpose':
    case 'purpose':
    case 'x-purpose':
    case 'x-moz':
      return /prefetch|prerender|preview/i.test(value);
    default:
      return false;
  }
}

const EXCLUDING = ['sec-gpc', 'dnt', 'sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/** The same of a request over HTTP/2, or that the fast path did not answer. */
export function readerHeaders(headers: IncomingHttpHeaders): ReaderHeaders {
  const { accept, referer } = headers;
  return {
    ...{ userAgent: headers['user-agent'], referer, accept },
    fetchDest: text(headers['sec-fetch-dest']),
    isExcluded: EXCLUDING.some((name) => {
      const value = text(headers[name]);
      return value !== undefined && excludes(name, value);
    }),
  };
}

const text = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.join(', ');

/**
 * Whether a browser loads a document to show it. Over TLS each browser of these years says so; otherwise it is known by
 * its Accept, in which a script's fetch names `text/html` alone.
 */
export function isNavigation(
  { accept, fetchDest }: Pick<ReaderHeaders, 'accept' | 'fetchDest'>,
  isSecure: boolean,
): boolean {
  if (fetchDest !== undefined) return fetchDest === 'document';
  return (
    !isSecure && accept !== undefined && accept !== 'text/html' && accept.includes('text/html')
  );
}
