import { STATUS_CODES } from '@petstore/http/node-http.ts';
import type { Headers } from '../sites/file-headers.ts';
import type { Content } from '../sites/site-cache.ts';

/** What a request is answered with, over whichever version of HTTP. */
export interface EdgeResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Empty where there is none; left out of the answer to HEAD. */
  readonly content: Content;
}

/** An answer without a file: a short text that no one keeps. */
export function textResponse(
  status: number,
  text = STATUS_CODES[status] ?? '',
  headers: Headers = [],
): EdgeResponse {
  // ASCII, so that a character is a byte.
  const content = `${text}\n`;
  return {
    status,
    headers: [
      ...['Content-Type', 'text/plain; charset=utf-8'],
      ...['X-Content-Type-Options', 'nosniff'],
      ...['Cache-Control', 'no-store'],
      ...headers,
      ...['Content-Length', String(content.length)],
    ],
    content,
  };
}
