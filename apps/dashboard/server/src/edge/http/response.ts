import type { Readable } from 'node:stream';
import { STATUS_CODES } from '@petstore/http/node-http.ts';
import type { Tally } from '../metrics/response-kind.ts';
import type { Headers } from '../sites/file-headers.ts';
import type { Content } from '../sites/forms.ts';

/** A response over any version of HTTP. */
export interface EdgeResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Empty where there is none; not sent in response to HEAD. */
  readonly content: Content;
  /** Sent as it comes, in place of `content`, which is empty then. It is destroyed where the client leaves. */
  readonly body?: Readable;
  /** The counter of this response, set for files; undefined: it follows from the request and the status. */
  readonly tally?: Tally;
}

/** A short text that is not cached: ASCII. */
export function textResponse(
  status: number,
  text = STATUS_CODES[status] ?? '',
  headers: Headers = [],
): EdgeResponse {
  // A character is a byte.
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
