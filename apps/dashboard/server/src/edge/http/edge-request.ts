import type { IncomingHttpHeaders } from 'node:http';
import { isAuthority } from '@petstore/http/request-head.ts';
import { type CanonicalHost, canonicalHost } from '../host.ts';
import type { ReadBody } from './request-body.ts';

export const NO_SITE = 'There is no site at this address.';

/** Which path of which host a request asks for. */
export interface RequestTarget {
  readonly host: CanonicalHost;
  /** Decoded. */
  readonly path: string;
  /** As it arrived; begins with a slash, too. */
  readonly rawPath: string;
  /** As it arrived, with its question mark; empty where there is none. */
  readonly query: string;
}

export interface TargetProblem {
  readonly status: 400 | 404 | 414;
  /** For the client; the status's own name where there is none. */
  readonly text?: string;
}

/** Reads a request target (RFC 9112, section 3.2) and the one Host header. */
export function readRequestTarget(url: string, hostHeader: string): RequestTarget | TargetProblem {
  if (url.length > MAX_TARGET_BYTES) return { status: 414 };
  const target = parseTarget(url);
  if (!target) return { status: 400 };
  const authority = target.authority ?? hostHeader;
  const host = canonicalHost(authority);
  if (!host) {
    return authority === '' || isAuthority(authority)
      ? { status: 404, text: NO_SITE }
      : { status: 400, text: 'The Host header is not a host name.' };
  }
  const path = decodePath(target.path);
  if (path === undefined) return { status: 400, text: 'The path is not valid percent-encoding.' };
  return { host, path, rawPath: target.path, query: target.query };
}

/** A request over any version of HTTP. */
export interface EdgeRequest {
  readonly method: string;
  /** As it arrived. */
  readonly target: string;
  /** Of the one Host header or `:authority`; undefined where there is none, or more than one. */
  readonly authority: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The canonical name by which the TLS connection was made; undefined: there is no TLS. */
  readonly serverName: string | undefined;
  /** The client that counts are kept of; undefined: it is not counted. Most requests are answered without it. */
  readonly client: () => string | undefined;
  /** Calls a function when the response has been sent, or the client has left before. */
  readonly onClose: (listener: () => void) => void;
  /** Most requests are answered without it: then the body is ignored. */
  readonly readBody: ReadBody;
}

/** Longest request target, in bytes (414 beyond). Targets are ASCII, so characters are bytes. */
const MAX_TARGET_BYTES = 8 * 1024;

interface ParsedTarget {
  /** Of a target in absolute form; it goes before the Host header (RFC 9112, section 3.2.2). */
  readonly authority: string | undefined;
  /** Still encoded. */
  readonly path: string;
  /** With its question mark; empty where there is none. */
  readonly query: string;
}

/** Control characters and spaces. Bytes beyond ASCII may stay: a target goes into Location as it arrived. */
const NOT_IN_TARGET = /[^\x21-\x7e\x80-\xff]/;

/**
 * Splits a request target. undefined for a target without a path (`*`), with a fragment, or with characters
 * that no target may have.
 */
function parseTarget(url: string): ParsedTarget | undefined {
  if (NOT_IN_TARGET.test(url)) return undefined;
  let authority: string | undefined;
  let rest = url;
  if (!url.startsWith('/')) {
    const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url);
    if (!absolute) return undefined;
    authority = absolute[1];
    rest = absolute[2]?.startsWith('/') ? absolute[2] : `/${absolute[2]}`;
  }
  if (rest.includes('#')) return undefined;
  const query = rest.indexOf('?');
  return query < 0
    ? { authority, path: rest, query: '' }
    : { authority, path: rest.slice(0, query), query: rest.slice(query) };
}

/**
 * Percent-decodes a path, once. undefined for invalid escapes, and for encoded slashes, backslashes and NUL:
 * with those a file would have a second address, and a proxy in front might read the path differently.
 * `..` and `//` stay as they are: no file's path holds them.
 */
function decodePath(path: string): string | undefined {
  if (!path.includes('%')) return path;
  if (/%(?:2f|5c|00)/i.test(path)) return undefined;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Encodes a path for a URL. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
