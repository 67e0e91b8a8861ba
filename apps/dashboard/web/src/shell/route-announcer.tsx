import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

/** The new page's title is set, and its heading there, shortly after its address. */
const SETTLED_MS = 150;

/**
 * What a browser does by itself when a page loads, for pages that only change within: screen readers
 * hear the new title, and the keyboard goes on from the content when what had the focus is gone.
 */
export function RouteAnnouncer() {
  const { pathname } = useLocation();
  const previous = useRef(pathname);
  const [title, setTitle] = useState('');
  useEffect(() => {
    if (previous.current === pathname) return;
    previous.current = pathname;
    const timer = setTimeout(() => {
      setTitle(document.title);
      if (document.activeElement !== document.body) return;
      // Without scrolling: the router has put the page where it belongs already.
      document.getElementById('main')?.focus({ preventScroll: true });
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [pathname]);
  return (
    <div aria-live="polite" className="sr-only">
      {title}
    </div>
  );
}
