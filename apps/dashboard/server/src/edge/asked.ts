import { isAuthority } from '@petstore/http/request-head.ts';
import { type CanonicalHost, canonicalHost } from './host.ts';
import { decodePath, MAX_TARGET_BYTES, readTarget } from './target.ts';

export const NO_SITE = 'There is no site at this address.';

/** What a request is about. */
export interface Asked {
  readonly host: CanonicalHost;
  /** Decoded. */
  readonly path: string;
  /** As it arrived; begins with a slash, too. */
  readonly rawPath: string;
  /** As it arrived, with its question mark; empty where there is none. */
  readonly query: string;
}

export interface Refusal {
  readonly status: 400 | 404 | 414;
  /** For the client; the status's own name where there is none. */
  readonly text?: string;
}

/** Reads a request's target and its one Host header. */
export function readAsked(url: string, hostHeader: string): Asked | Refusal {
  if (url.length > MAX_TARGET_BYTES) return { status: 414 };
  const target = readTarget(url);
  if (!target) return { status: 400 };
  const authority = target.authority ?? hostHeader;
  const host = canonicalHost(authority);
  if (!host) {
    return authority === '' || isAuthority(authority)
      ? { status: 404, text: NO_SITE }
      : { status: 400, text: 'The Host header is no host name.' };
  }
  const path = decodePath(target.path);
  if (path === undefined) return { status: 400, text: 'The path is not encoded as paths are.' };
  return { host, path, rawPath: target.path, query: target.query };
}
