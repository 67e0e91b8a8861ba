import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Goes to the page that someone wanted before signing in. */
export function ToNext({ next }: { readonly next: string | undefined }) {
  const { history } = useRouter();
  useEffect(() => history.replace(localPath(next)), [history, next]);
  return null;
}

/** Goes to the sign-in page, which leads back here. */
export function ToSignIn() {
  const router = useRouter();
  useEffect(() => {
    // Read once: while the page changes, the current address is the new one already.
    const { href } = router.state.location;
    void router.navigate({
      to: '/sign-in',
      search: href === '/' ? {} : { next: href },
      replace: true,
    });
  }, [router]);
  return null;
}

/**
 * Where to go after signing in: `next` when it is a path of this dashboard, `/` otherwise. Anything that a
 * browser would read as another site's address is refused (`//host`, `/\host`, `https:`), so that a link
 * to the sign-in page cannot lead elsewhere.
 */
function localPath(next: unknown): string {
  if (typeof next !== 'string' || !next.startsWith('/')) return '/';
  const url = URL.parse(next, window.location.origin);
  // `/..//host` is of this origin, and its path alone is not.
  if (url?.origin !== window.location.origin || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
