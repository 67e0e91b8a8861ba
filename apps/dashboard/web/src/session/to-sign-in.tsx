import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

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
