/** An address that a site's author wrote. */
export interface Address {
  /** As it goes into `href` and `Location`: ASCII, a path of the site or an absolute address. */
  readonly href: string;
  /** Of a path of the site: percent-decoded, without query, fragment and the slash at its end; otherwise undefined. */
  readonly path: string | undefined;
}

/** Stands for the site: no real address has it. */
const SITE = 'https://site.invalid';

/** Browsers read a backslash as a slash and skip line breaks, so that a path would lead to another host. */
const MISLEADING = /[\\\p{Cc}]/u;

/** Encoded slashes, backslashes and NUL: no file of a site has them in its path. */
const ENCODED_MARKS = /%(?:2f|5c|00)/i;

/**
 * Reads a path of the site (`/guides/start#install`), or an address with one of the schemes (`https:`); undefined for
 * all else, and for addresses with a password.
 */
export function readAddress(text: string, schemes: readonly string[]): Address | undefined {
  if (MISLEADING.test(text)) return undefined;
  if (text.startsWith('/')) return readPath(text);
  const url = URL.parse(text);
  if (!url || !schemes.includes(url.protocol)) return undefined;
  // `https:host` is read as `https://host`.
  const isWritten = text
    .toLowerCase()
    .startsWith(url.protocol === 'https:' ? 'https://' : url.protocol);
  if (!isWritten || url.username !== '' || url.password !== '') return undefined;
  return { href: url.href, path: undefined };
}

function readPath(text: string): Address | undefined {
  const url = URL.parse(text, SITE);
  if (!url || url.origin !== SITE || url.pathname.includes('//')) return undefined;
  if (ENCODED_MARKS.test(url.pathname)) return undefined;
  try {
    const path = decodeURIComponent(url.pathname)
      .normalize('NFC')
      .replace(/(.)\/$/, '$1');
    const href = path.split('/').map(encodeURIComponent).join('/') + url.search + url.hash;
    return { href, path };
  } catch {
    return undefined;
  }
}
