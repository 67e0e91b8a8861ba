import type { IncomingMessage } from 'node:http';

/**
 * The target as routes know it: clients of proxies send `GET http://host/path`, which a server must
 * accept as well (RFC 9112, section 3.2.2).
 */
export function originForm({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  if (url.startsWith('/')) return url;
  const authority = /^https?:\/\/[^/?#]+/i.exec(url)?.[0];
  if (authority === undefined) return url;
  const rest = url.slice(authority.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Whether a target can be none of ours: it is no path (`*`), or one that ends in a slash and is not the
 * root.
 */
export function isForeign(target: string): boolean {
  if (!target.startsWith('/')) return true;
  const query = target.indexOf('?');
  const end = (query < 0 ? target.length : query) - 1;
  return end > 0 && target.charCodeAt(end) === 0x2f;
}
