import type { ServerHttp2Stream } from 'node:http2';
import type { EdgeResponse } from '../http/response.ts';
import type { Headers } from '../sites/file-headers.ts';
import type { SendBuffer } from './send-buffers.ts';

/** Headers of files stay the same, so their spelling in HTTP/2 is kept for them. */
const spelled = new WeakMap<Headers, Headers>();

export function sendResponse(
  stream: ServerHttp2Stream,
  method: string,
  { status, headers, content }: EdgeResponse,
  outbox: SendBuffer,
): void {
  const endStream = method === 'HEAD' || content.length === 0;
  // With status and date, or Node would put them into the list.
  const list = [':status', String(status), ...spell(headers), 'date', date()];
  stream.respond(list as unknown as Parameters<typeof stream.respond>[0], { endStream });
  if (endStream) return;
  if (typeof content !== 'string') sendPieces(stream, content, outbox);
  else {
    outbox.add(content.length);
    stream.end(content, 'latin1', (error?: Error | null) => outbox.remove(content.length, !error));
  }
}

/**
 * Piece by piece, each when the one before is on its way: what is queued counts as the session's memory, and
 * where that is full, Node resets streams (ENHANCE_YOUR_CALM).
 */
function sendPieces(stream: ServerHttp2Stream, content: Buffer, outbox: SendBuffer): void {
  let at = 0;
  const send = () => {
    if (stream.destroyed) return;
    const piece = content.subarray(at, at + outbox.pieceBytes());
    at += piece.length;
    outbox.add(piece.length);
    const sent = (error?: Error | null) => {
      outbox.remove(piece.length, !error);
      // Not at once. Of a connection that broke, Node says nothing here, and a write from within this call
      // would never end, nor the connection be closed; a turn later it has found out.
      if (!error && at < content.length) setImmediate(send);
    };
    if (at < content.length) stream.write(piece, sent);
    else stream.end(piece, sent);
  };
  send();
}

/** RFC 9113, section 8.2.1: names are in lower case. */
function spell(headers: Headers): Headers {
  const known = spelled.get(headers);
  if (known) return known;
  const lower = headers.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text));
  spelled.set(headers, lower);
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
