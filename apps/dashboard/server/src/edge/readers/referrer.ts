import { DIRECT, MAX_DETAIL } from '../../readers/counted.ts';
import { pathName } from './reader-texts.ts';

/** The host of a web address. Longer addresses are nobody's page. */
const HOST =
  /^https?:\/\/(?:[^/?#@]{0,200}@)?(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::\d{1,5})?(?:[/?#]|$)/i;
const SLASH = 0x2f;
const MAX_REFERRER = 4_000;

/** The host that a Referer header names; undefined where it names none. */
function hostOf(referer: string | undefined): string | undefined {
  if (referer === undefined || referer.length > MAX_REFERRER) return undefined;
  return HOST.exec(referer)?.[1]?.toLowerCase();
}

/**
 * Where a reader comes from: the referring host alone, never the page; `DIRECT` where nothing says it; undefined where it
 * is the site itself. `host`: the one that was asked; `origin`: the site's own.
 */
export function sourceOf(
  referer: string | undefined,
  host: string,
  origin: string,
): string | undefined {
  if (referer === undefined) return DIRECT;
  // Most pages are read from another one of the site.
  const at = referer.startsWith('https://') ? 8 : 7;
  if (referer.startsWith(host, at) && referer.charCodeAt(at + host.length) === SLASH)
    return undefined;
  const from = hostOf(referer);
  if (from === undefined) return DIRECT;
  return isOwn(from, host, origin) ? undefined : from;
}

/** What led to a missing path: a page of the site by its path, without its query, or another host; empty for neither. */
export function referringPage(referer: string | undefined, host: string, origin: string): string {
  const from = hostOf(referer);
  if (from === undefined || referer === undefined) return '';
  if (!isOwn(from, host, origin)) return from;
  try {
    const path = decodeURIComponent(new URL(referer).pathname);
    return path.length <= MAX_DETAIL ? pathName(path) : '';
  } catch {
    return '';
  }
}

function isOwn(from: string, host: string, origin: string): boolean {
  if (from === host) return true;
  // As it is spelled in an origin, which has no path.
  const at = origin.indexOf('://') + 3;
  return origin.startsWith(from, at) && /^(?::\d+)?$/.test(origin.slice(at + from.length));
}
