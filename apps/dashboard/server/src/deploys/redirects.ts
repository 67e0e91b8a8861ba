import { longestPrefix, withRest } from '@petstore/site/site/redirect-prefixes.ts';
import type { RedirectTarget } from '@petstore/site/site/site-files.ts';
import type { Manifest } from './artifact.ts';

/** To where a path without a file leads. */
export interface Redirect {
  readonly status: 301 | 302 | 308;
  /** An address as it goes into Location. */
  readonly to: string;
}

/** The redirect that a site has for a path itself. */
export function exactRedirect({ redirects = {} }: Manifest, path: string): Redirect | undefined {
  const target = Object.hasOwn(redirects, path) ? redirects[path] : undefined;
  return target === undefined ? undefined : redirectTo(target, '');
}

/** The redirect that a site has for all paths that begin as a path does, the longest of several. */
export function prefixRedirect({ redirectPrefixes }: Manifest, path: string): Redirect | undefined {
  const found = redirectPrefixes && longestPrefix(redirectPrefixes, path);
  if (!found) return undefined;
  const [prefix, target] = found;
  return redirectTo(target, path.slice(prefix.length));
}

/** Whether a site redirects a path, where it has no file there. */
export const isRedirected = (manifest: Manifest, path: string): boolean =>
  (exactRedirect(manifest, path) ?? prefixRedirect(manifest, path)) !== undefined;

function redirectTo(target: RedirectTarget, rest: string): Redirect {
  if (typeof target === 'string') return { status: 308, to: target };
  const { to, status = 308, keepsRest } = target;
  return { status, to: keepsRest ? withRest(to, rest) : to };
}
