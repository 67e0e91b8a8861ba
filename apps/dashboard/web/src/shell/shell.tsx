import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { User } from '../../../server/src/accounts/account.ts';
import { projectQuery } from '../queries.ts';
import { WifiOff } from '../ui/icons.tsx';
import { Logo } from '../ui/logo.tsx';
import { AccountMenu } from './account-menu.tsx';

/** What is around every page of someone who is signed in. */
export function Shell({ user, children }: { readonly user?: User; readonly children: ReactNode }) {
  return (
    <>
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-ink px-3 py-2 font-medium text-on-ink focus:translate-y-0"
      >
        Skip to the content
      </a>
      <header className="bg-surface">
        <div className="mx-auto flex h-14 max-w-270 items-center gap-2.5 px-4 sm:px-6">
          <Link to="/" className="flex items-center gap-2.5 rounded-md font-semibold">
            <Logo className="size-7" />
            <span className="max-sm:sr-only">Dashboard</span>
          </Link>
          {user && <ProjectCrumb />}
          <div className="flex-1" />
          {user && <AccountMenu user={user} />}
        </div>
      </header>
      <OfflineNotice />
      {children}
      <RouteAnnouncer />
    </>
  );
}

/** A page's content, in the width that all share. */
export function Main({ children }: { readonly children: ReactNode }) {
  return (
    <main id="main" tabIndex={-1} className="border-line border-t outline-none">
      <div className="mx-auto max-w-270 px-4 pt-7 pb-16 sm:px-6">{children}</div>
    </main>
  );
}

function subscribe(listener: () => void) {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

/** Says when the browser has no network, so that what is on the page may be old. */
function OfflineNotice() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status">
      {!isOnline && (
        <p className="flex items-center justify-center gap-2 bg-warning-soft px-4 py-2 text-center text-warning">
          <WifiOff className="size-4 shrink-0" />
          You are offline. What you see may be old, and changes will not arrive.
        </p>
      )}
    </div>
  );
}

/** Which project the page belongs to. */
function ProjectCrumb() {
  const { slug } = useParams({ strict: false });
  return slug === undefined ? null : <Crumb slug={slug} />;
}

function Crumb({ slug }: { readonly slug: string }) {
  const { data } = useQuery(projectQuery(slug));
  return (
    <nav aria-label="Breadcrumb" className="flex min-w-0 items-center gap-2.5">
      <span aria-hidden className="text-muted">
        /
      </span>
      <Link
        to="/projects/$slug"
        params={{ slug }}
        className="truncate rounded-sm font-medium hover:underline"
      >
        {data?.name ?? slug}
      </Link>
    </nav>
  );
}

/** The new page's title is set, and its heading there, shortly after its address. */
const SETTLED_MS = 150;

/**
 * What a browser does by itself when a page loads, for pages that only change within: screen readers
 * hear the new title, and the keyboard goes on from the content when what had the focus is gone.
 */
function RouteAnnouncer() {
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
