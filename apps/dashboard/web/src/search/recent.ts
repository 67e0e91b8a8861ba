import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';

// The pages that somebody looked at last, kept in this browser for each account apart, until they sign out.

export interface RecentPage {
  readonly href: string;
  readonly title: string;
}

const MOST = 8;

/** A page's title is set shortly after its address. */
const SETTLED_MS = 400;

const keyOf = (userId: string) => `recent:${userId}`;

export function recentPages(userId: string): RecentPage[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(userId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRecentPage) : [];
  } catch {
    // Storage can be forbidden, or hold what others wrote.
    return [];
  }
}

export function forgetRecentPages(userId: string): void {
  try {
    localStorage.removeItem(keyOf(userId));
  } catch {
    // Nothing was stored either.
  }
}

/** Remembers each page of a project that is shown for a moment. */
export function useRecentPages(userId: string): void {
  const { pathname } = useLocation();
  useEffect(() => {
    if (!pathname.startsWith('/projects/')) return;
    const timer = setTimeout(() => {
      // A page that is not there, or not yet, has no such heading.
      const heading = document.querySelector('[data-page]')?.textContent;
      if (!heading) return;
      const project = document.title.split(' · ').at(-2);
      const title = project && project !== heading ? `${heading} · ${project}` : heading;
      const others = recentPages(userId).filter(({ href }) => href !== pathname);
      const pages = [{ href: pathname, title }, ...others].slice(0, MOST);
      try {
        localStorage.setItem(keyOf(userId), JSON.stringify(pages));
      } catch {
        // Then nothing is remembered.
      }
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [pathname, userId]);
}

function isRecentPage(value: unknown): value is RecentPage {
  const { href, title } = (value ?? {}) as Partial<RecentPage>;
  // A path of this site alone.
  return typeof href === 'string' && /^\/(?!\/)/.test(href) && typeof title === 'string';
}
