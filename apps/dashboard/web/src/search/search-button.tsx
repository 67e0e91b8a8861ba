import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { User } from '../../../server/src/accounts/account.ts';
import { Search } from '../ui/icons.tsx';
import { Palette } from './palette.tsx';
import { recentPages, useRecentPages } from './recent.ts';

/** Macs have another key for shortcuts. */
const KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

/** The way into the search: a button in the header, and Ctrl+K or ⌘K anywhere. */
export function SearchButton({ user }: { readonly user: User }) {
  const { slug } = useParams({ strict: false });
  const [isOpen, setOpen] = useState(false);
  useRecentPages(user.id);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isShortcut = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isShortcut || event.key.toLowerCase() !== 'k' || event.isComposing) return;
      event.preventDefault();
      setOpen((open) => !open);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
        className="flex h-9 items-center gap-2 rounded-md border border-line bg-surface px-2.5 text-muted transition-colors hover:bg-subtle hover:text-ink sm:w-52"
      >
        <Search className="size-4 shrink-0" />
        <span className="flex-1 text-left max-sm:sr-only">Search</span>
        <kbd className="rounded border border-line bg-subtle px-1.5 font-sans text-xs max-sm:hidden">
          {KEY}
        </kbd>
      </button>
      <Palette user={user} slug={slug ?? lastProject(user)} isOpen={isOpen} setOpen={setOpen} />
    </>
  );
}

/** The project that was looked at last, where the page is of none. */
function lastProject({ id }: User): string | undefined {
  const [, slug] = /^\/projects\/([^/]+)/.exec(recentPages(id)[0]?.href ?? '') ?? [];
  return slug === undefined ? undefined : decodeURIComponent(slug);
}
