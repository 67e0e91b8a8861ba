import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

/** The new page's title and heading are set shortly after its address. */
const SETTLED_MS = 150;

/**
 * Does for pages that change in place what a browser does when a page loads: screen readers announce the new title, and
 * the keyboard continues from the content if the focused element is gone.
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
      // Without scrolling: the router has scrolled already.
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
