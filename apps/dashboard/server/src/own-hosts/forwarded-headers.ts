import type { IncomingMessage } from 'node:http';
import { endToEnd } from '../edge/request-proxy/header-fields.ts';

type Pair = readonly [string, string];

/** What this proxy writes itself, or has done already; and what a client could tell of itself that is not so. */
const OWN = /^(?:host|via|expect|forwarded|x-forwarded-.*|x-real-ip)$/i;

/**
 * The headers of a request for the API, names and values in turn: those of the client that go to the end, and what is
 * known of the connection (RFC 7239, and its older form).
 */
export function forwardedHeaders(request: IncomingMessage, host: string): string[] {
  const { socket, rawHeaders, httpVersionMajor, httpVersion } = request;
  // Pseudo-headers of HTTP/2 begin with a colon.
  const given = pairsOf(rawHeaders).filter(([name]) => !name.startsWith(':') && !OWN.test(name));
  const cookies = given.filter(([name]) => isCookie(name)).map(([, value]) => value);
  const client = (socket.remoteAddress ?? 'unknown').replace(/^::ffff:(?=\d+\.)/i, '');
  const node = client.includes(':') ? `"[${client}]"` : client;
  const via = pairsOf(rawHeaders).filter(([name]) => /^via$/i.test(name));
  const passed = endToEnd(given).filter(([name]) => !isCookie(name));
  return [
    ['host', host],
    ...framingOf(request, passed),
    ...passed,
    // HTTP/2 may have one for each (RFC 9113, section 8.2.3).
    ...(cookies.length > 0 ? [['cookie', cookies.join('; ')] as const] : []),
    ['forwarded', `for=${node};host=${host};proto=https`],
    ['x-forwarded-for', client],
    ['x-forwarded-host', host],
    ['x-forwarded-proto', 'https'],
    [
      'via',
      [
        ...via.map(([, value]) => value),
        `${httpVersionMajor === 2 ? '2' : httpVersion} ${host}`,
      ].join(', '),
    ],
  ].flat();
}

/** Whether a body follows: in HTTP/1 it is announced, and in HTTP/2 the stream is still open. */
export function hasBody(request: IncomingMessage): boolean {
  const { headers, httpVersionMajor } = request;
  if (httpVersionMajor === 2)
    return !(request as unknown as { stream: { endAfterHeaders: boolean } }).stream.endAfterHeaders;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * How the end of the body is told where none of the headers that are `passed` says it: Node would leave it open for some
 * methods, and the API would take the body for the next request on the connection, which is another client's.
 */
function framingOf(request: IncomingMessage, passed: readonly Pair[]): Pair[] {
  if (passed.some(([name]) => /^content-length$/i.test(name))) return [];
  if (hasBody(request)) return [['transfer-encoding', 'chunked']];
  return /^(?:POST|PUT|PATCH|QUERY)$/.test(request.method ?? '') ? [['content-length', '0']] : [];
}

/** The headers of the API's response for the client, each with all of its values. */
export function responseHeaders(raw: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, value] of endToEnd(pairsOf(raw))) {
    const key = name.toLowerCase();
    found.set(key, [...(found.get(key) ?? []), value]);
  }
  return found;
}

const isCookie = (name: string) => /^cookie$/i.test(name);

/** `raw`: names and values in turn. */
function pairsOf(raw: readonly string[]): Pair[] {
  return raw.flatMap((name, at): Pair[] => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : []));
}
