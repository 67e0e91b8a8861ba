import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import {
  type FrameKind,
  framePrefix,
  type ProxiedEnd,
  type ProxiedHead,
} from '@petstore/site/request/proxy-format.ts';
import { type ContentCoding, DECODERS, isCodingError } from '../../content-decoders.ts';
import type { FinalResponse } from './follow-redirects.ts';
import { responseHeaders } from './header-fields.ts';
import { ProxyError } from './proxy-error.ts';
import { explainConnectionError } from './send-upstream.ts';

interface FrameOptions {
  readonly method: string;
  /** Of the body, decoded. */
  readonly maxBytes: number;
  /** Aborted with a ProxyError. */
  readonly signal: AbortSignal;
  /** Called with each piece of the body. */
  readonly onPiece: () => void;
}

/** A response as frames, as it comes. How it ended stands in the last one: it never throws. */
export async function* responseFrames(
  { response, url, redirected }: FinalResponse,
  { method, maxBytes, signal, onPiece }: FrameOptions,
): AsyncGenerator<Buffer> {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = response;
  const headers = responseHeaders(rawHeaders);
  const head = { status, statusText, headers, url: url.href, redirected } satisfies ProxiedHead;
  yield valueFrame('head', head);
  let end: ProxiedEnd = {};
  try {
    let left = maxBytes;
    for await (const piece of decoded(response, method) as AsyncIterable<Buffer>) {
      onPiece();
      yield frame('data', piece.subarray(0, left));
      left -= piece.length;
      if (left < 0)
        throw new ProxyError(
          'response_too_large',
          `The response was cut off: its body has more than ${maxBytes} bytes.`,
        );
    }
  } catch (error) {
    end = { problem: proxyErrorOf(error, url, signal).problem() };
  } finally {
    response.destroy();
  }
  yield valueFrame('end', end);
}

function proxyErrorOf(error: unknown, url: URL, signal: AbortSignal): ProxyError {
  if (error instanceof ProxyError) return error;
  if (signal.reason instanceof ProxyError) return signal.reason;
  return isCodingError(error as NodeJS.ErrnoException)
    ? new ProxyError(
        'no_response',
        `The body of the response of ${url.origin} is not compressed as its Content-Encoding says.`,
      )
    : new ProxyError('no_response', explainConnectionError(url, error));
}

/** The memory of a decoder, in bytes, where that matters. */
const WINDOWS: Readonly<Record<string, number>> = { br: 16 * 2 ** 20, zstd: 8 * 2 ** 20 };

/** Of all responses that are decoded at once. The proxy asks for none, so few are. */
const MAX_WINDOWS = 128 * 2 ** 20;

let windows = 0;

/** The body as a browser gives it to a page: decoded, though the proxy asked for none. An unknown coding stays. */
function decoded(response: IncomingMessage, method: string): Readable {
  const coding = (response.headers['content-encoding'] ?? '').trim().toLowerCase();
  const isEmpty =
    method.toUpperCase() === 'HEAD' || response.statusCode === 204 || response.statusCode === 304;
  if (isEmpty || !Object.hasOwn(DECODERS, coding)) return response;
  const window = WINDOWS[coding] ?? 0;
  if (windows + window > MAX_WINDOWS)
    throw new ProxyError(
      'unavailable',
      'Too many compressed responses are passing through. Try again in a few seconds.',
    );
  windows += window;
  // The error goes to who reads the last one.
  return pipeline(response, DECODERS[coding as ContentCoding](), () => {
    windows -= window;
  });
}

function frame(kind: FrameKind, bytes: Uint8Array): Buffer {
  return Buffer.concat([framePrefix(kind, bytes.length), bytes]);
}

const valueFrame = (kind: FrameKind, value: ProxiedHead | ProxiedEnd) =>
  frame(kind, Buffer.from(JSON.stringify(value)));
