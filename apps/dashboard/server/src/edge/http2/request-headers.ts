import type { IncomingHttpHeaders } from 'node:http';

/** The parts of a request of HTTP/2 that the edge reads. */
export interface RequestHeaders {
  readonly method: string;
  readonly target: string;
  /** undefined where `:authority` and Host differ, or there is neither. */
  readonly authority: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Of a Content-Length. */
  readonly length: number | undefined;
}

const PSEUDO = new Set([':method', ':scheme', ':path', ':authority']);

/** RFC 9110, section 5.6.2, in lower case. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;

/** What no value has (RFC 9113, section 8.2.1). */
const NOT_IN_VALUE = /[\0-\x08\x0a-\x1f\x7f]|^[ \t]|[ \t]$/;

/** RFC 9113, section 8.3.1: an address with its host would name the host twice. */
const PATH = /^(?:\/|\*$)/;

/** They are about one connection of HTTP/1 (RFC 9113, section 8.2.2). */
const OF_CONNECTION = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'],
]);

/** Of those that a request has once, the first one counts, as in Node. */
const ONCE = new Set([
  ...['authorization', 'content-type', 'content-length', 'content-encoding', 'date', 'from'],
  ...['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range'],
  ...['max-forwards', 'origin', 'range', 'referer', 'user-agent', 'mcp-protocol-version'],
]);

/** Reads the header list of a request: names and values in turn. undefined where it is malformed (RFC 9113, section 8.1.1). */
export function readRequestHeaders(list: readonly string[]): RequestHeaders | undefined {
  const pseudo: Record<string, string> = {};
  const headers: Record<string, string> = Object.create(null);
  let isBehindPseudo = false;
  for (let at = 0; at < list.length; at += 2) {
    const [name = '', value = ''] = [list[at], list[at + 1]];
    if (NOT_IN_VALUE.test(value)) return undefined;
    if (name.charCodeAt(0) === 0x3a) {
      if (isBehindPseudo || !PSEUDO.has(name) || pseudo[name] !== undefined) return undefined;
      pseudo[name] = value;
      continue;
    }
    isBehindPseudo = true;
    if (!NAME.test(name) || OF_CONNECTION.has(name)) return undefined;
    if (name === 'te' && value.toLowerCase() !== 'trailers') return undefined;
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (name === 'host' || name === 'content-length') return undefined;
    else if (!ONCE.has(name)) headers[name] = `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  const { ':method': method, ':scheme': scheme, ':path': path, ':authority': authority } = pseudo;
  const isComplete =
    method === 'CONNECT'
      ? scheme === undefined && path === undefined
      : Boolean(scheme) && PATH.test(path ?? '');
  if (!method || !isComplete) return undefined;
  const { host, 'content-length': length } = headers;
  if (length !== undefined && !/^[0-9]{1,15}$/.test(length)) return undefined;
  // RFC 9113, section 8.3.1: they must not differ; a request translated from HTTP/1.1 may lack :authority.
  const isOne = authority === undefined || host === undefined || authority === host;
  return {
    ...{ method, target: path ?? '', headers },
    authority: isOne ? (authority ?? host) : undefined,
    length: length === undefined ? undefined : Number(length),
  };
}
