/** Longest request target, in bytes (414 beyond). Targets are ASCII, so characters are bytes. */
export const MAX_TARGET_BYTES = 8 * 1024;

export interface Target {
  /** Of a target in absolute form; it goes before the Host header (RFC 9112, section 3.2.2). */
  readonly authority: string | undefined;
  /** Still encoded. */
  readonly path: string;
  /** With its question mark; empty where there is none. */
  readonly query: string;
}

/** RFC 9112, section 3.2, and bytes beyond ASCII: a target goes into Location as it arrived. */
const FOREIGN = /[^\x21-\x7e\x80-\xff]/;

/**
 * Takes a request's target apart; undefined for what asks for no path (`*`), for what holds a fragment, and
 * for characters that no target has.
 */
export function readTarget(url: string): Target | undefined {
  if (FOREIGN.test(url)) return undefined;
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
 * Percent-decodes a path, once. undefined for escapes that are none, and for slashes, backslashes and
 * NUL in disguise: a file would have a second address, and whoever stands in front of the edge another idea
 * of the path. `..` and `//` are left as they are: no file's path holds them.
 */
export function decodePath(path: string): string | undefined {
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
