import { Menu } from '@base-ui/react/menu';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { User } from '../../../server/src/accounts/account.ts';
import { messageOf } from '../api.ts';
import { projectQuery } from '../queries/projects.ts';
import { forgetRecentPages } from '../search/recent.ts';
import { SearchButton } from '../search/search-button.tsx';
import { signOut } from '../session/session.ts';
import { setTheme, THEMES, type Theme, useTheme } from '../theme.ts';
import { Avatar } from '../ui/avatar.tsx';
import {
  Building,
  Check,
  ChevronDown,
  LogOut,
  Monitor,
  Moon,
  Sun,
  UserRound,
  WifiOff,
} from '../ui/icons.tsx';
import { Logo } from '../ui/logo.tsx';
import { toast } from '../ui/toasts.tsx';

/** The frame of every page for signed-in users. */
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
          {user && <SearchButton user={user} />}
          {user && <AccountMenu user={user} />}
        </div>
      </header>
      <OfflineNotice />
      {children}
      <RouteAnnouncer />
    </>
  );
}

/** A page's content, in the width of all pages. */
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

/** Says that the browser has no network, so that the page may be outdated. */
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

/** The new page's title and heading are set shortly after its address. */
const SETTLED_MS = 150;

/**
 * Does for pages that change in place what a browser does when a page loads: screen readers announce the new title, and
 * the keyboard continues from the content if the focused element is gone.
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

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

const ITEM =
  'flex h-9 w-full cursor-default select-none items-center gap-2.5 rounded-md px-2.5 text-left outline-none data-highlighted:bg-subtle [&>svg]:size-4 [&>svg]:text-muted';

function AccountMenu({ user }: { readonly user: User }) {
  const theme = useTheme();
  const leave = async () => {
    try {
      await signOut('/sign-in');
      forgetRecentPages(user.id);
    } catch (error) {
      toast(messageOf(error), 'negative');
    }
  };
  return (
    <Menu.Root>
      <Menu.Trigger className="flex h-9 items-center gap-1.5 rounded-full border border-transparent pr-1.5 pl-0.5 hover:bg-subtle data-popup-open:bg-subtle">
        <Avatar email={user.email} name={user.name} />
        <span className="sr-only">Account menu of {user.name}</span>
        <ChevronDown className="size-4 text-muted" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={6} className="z-40 outline-none">
          <Menu.Popup className="w-62 rounded-lg border border-line bg-surface p-1.5 shadow-float outline-none transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0">
            <div className="min-w-0 px-2.5 py-1.5">
              <p className="truncate font-medium">{user.name}</p>
              <p className="truncate text-[0.8125rem] text-muted">{user.email}</p>
            </div>
            <Menu.Separator className="my-1.5 h-px bg-line" />
            <Menu.Item className={ITEM} render={<Link to="/account" />}>
              <UserRound />
              Account
            </Menu.Item>
            {user.isInstallationOwner && (
              <Menu.Item className={ITEM} render={<Link to="/installation/people" />}>
                <Building />
                Installation
              </Menu.Item>
            )}
            <Menu.Separator className="my-1.5 h-px bg-line" />
            <Menu.RadioGroup value={theme} onValueChange={(value: Theme) => setTheme(value)}>
              <Menu.GroupLabel className="px-2.5 py-1 font-medium text-muted text-xs">
                Theme
              </Menu.GroupLabel>
              {THEMES.map((name) => {
                const Icon = THEME_ICONS[name];
                return (
                  <Menu.RadioItem key={name} value={name} className={ITEM}>
                    <Icon />
                    <span className="flex-1 capitalize">{name}</span>
                    <Menu.RadioItemIndicator>
                      <Check className="size-4" />
                    </Menu.RadioItemIndicator>
                  </Menu.RadioItem>
                );
              })}
            </Menu.RadioGroup>
            <Menu.Separator className="my-1.5 h-px bg-line" />
            <Menu.Item className={ITEM} onClick={() => void leave()}>
              <LogOut />
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
