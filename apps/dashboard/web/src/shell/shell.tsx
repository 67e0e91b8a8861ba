import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { User } from '../../../server/src/accounts/account.ts';
import { Logo } from '../ui/logo.tsx';
import { AccountMenu } from './account-menu.tsx';
import { OfflineNotice } from './offline-notice.tsx';
import { ProjectCrumb } from './project-crumb.tsx';
import { RouteAnnouncer } from './route-announcer.tsx';

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
