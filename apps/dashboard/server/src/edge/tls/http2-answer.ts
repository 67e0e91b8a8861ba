import type { ServerHttp2Stream } from 'node:http2';
import type { Answer } from '../answer.ts';
import type { Headers } from '../file-headers.ts';

/** Headers of files stay the same, so their spelling in HTTP/2 is kept for them. */
const spelled = new WeakMap<Headers, Headers>();

export function sendAnswer(
  stream: ServerHttp2Stream,
  method: string,
  { status, headers, content }: Answer,
): void {
  const endStream = method === 'HEAD' || content.length === 0;
  // With status and date, or Node would put them into the list.
  const list = [':status', String(status), ...spell(headers), 'date', date()];
  stream.respond(list as unknown as Parameters<typeof stream.respond>[0], { endStream });
  if (!endStream) stream.end(content, 'latin1');
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
