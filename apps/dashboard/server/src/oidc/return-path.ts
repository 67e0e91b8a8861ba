/** Longer addresses would not fit into a cookie with the rest. */
const MAX_LENGTH = 1_500;

/**
 * Where the browser goes after signing in: `next` where it is a path of this dashboard, `/` otherwise. Anything that a
 * browser would read as another site's address is refused, as web/src/session/to-next.tsx does.
 */
export function returnPath(next: unknown, dashboard: string): string {
  if (typeof next !== 'string' || !next.startsWith('/') || next.length > MAX_LENGTH) return '/';
  const url = URL.parse(next, dashboard);
  // `/..//host` is of this origin, and its path alone is not.
  if (url?.origin !== dashboard || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
