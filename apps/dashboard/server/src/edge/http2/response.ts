import type { ServerHttp2Stream } from 'node:http2';
import type { EdgeResponse } from '../http/response.ts';
import type { Headers } from '../sites/file-headers.ts';
import type { SendBuffer } from './send-buffers.ts';

/** The headers of a file are one object for all its responses, so their names in lower case are cached. */
const lowerCased = new WeakMap<Headers, Headers>();

export function sendResponse(
  stream: ServerHttp2Stream,
  method: string,
  { status, headers, content }: EdgeResponse,
  buffer: SendBuffer,
): void {
  const endStream = method === 'HEAD' || content.length === 0;
  // With status and date, or Node would put them into the list.
  const list = [':status', String(status), ...toLowerCaseNames(headers), 'date', date()];
  stream.respond(list as unknown as Parameters<typeof stream.respond>[0], { endStream });
  if (endStream) return;
  if (typeof content !== 'string') sendChunks(stream, content, buffer);
  else {
    buffer.add(content.length);
    stream.end(content, 'latin1', (error?: Error | null) => buffer.remove(content.length, !error));
  }
}

/**
 * Chunk by chunk, each when the one before is sent: what is queued counts as the session's memory, and where that is
 * full, Node resets streams (ENHANCE_YOUR_CALM).
 */
function sendChunks(stream: ServerHttp2Stream, content: Buffer, buffer: SendBuffer): void {
  let at = 0;
  const send = () => {
    if (stream.destroyed) return;
    const chunk = content.subarray(at, at + buffer.chunkBytes());
    at += chunk.length;
    buffer.add(chunk.length);
    const sent = (error?: Error | null) => {
      buffer.remove(chunk.length, !error);
      // Not at once. Node does not report a broken connection here, and a write from within this call would never
      // finish, nor the connection close. A turn later Node knows.
      if (!error && at < content.length) setImmediate(send);
    };
    if (at < content.length) stream.write(chunk, sent);
    else stream.end(chunk, sent);
  };
  send();
}

/** RFC 9113, section 8.2.1: names are in lower case. */
function toLowerCaseNames(headers: Headers): Headers {
  const known = lowerCased.get(headers);
  if (known) return known;
  const lower = headers.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text));
  lowerCased.set(headers, lower);
  return lower;
}

let second = Number.NaN;
let text = '';

function date(): string {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) {
    second = now;
    text = new Date(now * 1_000).toUTCString();
  }
  return text;
}
