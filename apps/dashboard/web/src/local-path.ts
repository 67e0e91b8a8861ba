/**
 * Where to go after signing in: `next` when it is a path of this dashboard, `/` otherwise. Anything that a
 * browser would read as another site's address is refused (`//host`, `/\host`, `https:`), so that a link
 * to the sign-in page cannot lead elsewhere.
 */
export function localPath(next: unknown): string {
  if (typeof next !== 'string' || !next.startsWith('/')) return '/';
  const url = URL.parse(next, window.location.origin);
  // `/..//host` is of this origin, and its path alone is not.
  if (url?.origin !== window.location.origin || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
