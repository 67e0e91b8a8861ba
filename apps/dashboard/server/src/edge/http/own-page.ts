import { canonicalHost } from '../host.ts';
import type { EdgeRequest } from './edge-request.ts';

/**
 * Whether a page of this very host sent a request, and not one of another origin, nor a program that says nothing.
 * Browsers say from where a request comes; some, and all without TLS, only its origin, whose port a proxy in front may
 * change.
 */
export function isOfOwnPage({
  headers,
  authority,
}: Pick<EdgeRequest, 'headers' | 'authority'>): boolean {
  const { origin, 'sec-fetch-site': from } = headers;
  if (from !== undefined) return from === 'same-origin';
  return (
    origin !== undefined && URL.canParse(origin) && isSameHost(new URL(origin).host, authority)
  );
}

function isSameHost(host: string, authority: string | undefined): boolean {
  const canonical = canonicalHost(host);
  return canonical !== undefined && canonical === canonicalHost(authority);
}
