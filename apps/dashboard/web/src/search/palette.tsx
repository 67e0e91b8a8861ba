import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { User } from '../../../server/src/accounts/account.ts';
import { messageOf } from '../api.ts';
import { searchQuery } from '../queries/home.ts';
import { projectQuery } from '../queries/projects.ts';
import { Clock, CornerDownLeft, LoaderCircle, Search, X } from '../ui/icons.tsx';
import { actionsFor, type Destination, type Group, matching, pagesFor } from './destinations.ts';
import { foundGroups } from './found.ts';
import { recentPages } from './recent.ts';

interface PaletteProps {
  readonly user: User;
  /** The project whose pages and actions come first; undefined: none is at hand. */
  readonly slug: string | undefined;
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
}

/** The dialog of Ctrl+K: a combobox with its list always open (ARIA Authoring Practices). */
export function Palette({ user, slug, isOpen, setOpen }: PaletteProps) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => setOpen(open)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-[#0008] transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Dialog.Viewport className="fixed inset-0 z-40 flex items-start justify-center px-2 pt-2 pb-2 sm:pt-[12dvh]">
          <Dialog.Popup
            aria-label="Search"
            className="flex max-h-[min(32rem,calc(100dvh-1rem))] w-full max-w-150 flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-float outline-none transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0"
          >
            <Searching user={user} slug={slug} close={() => setOpen(false)} />
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface SearchingProps {
  readonly user: User;
  readonly slug: string | undefined;
  readonly close: () => void;
}

function Searching({ user, slug, close }: SearchingProps) {
  const { history } = useRouter();
  const [typed, setTyped] = useState('');
  // Not deferred: who types fast and presses Enter means what these letters find.
  const query = typed.trim();
  const [recent] = useState(() => recentPages(user.id));
  const { data: project } = useQuery({
    ...projectQuery(slug ?? ''),
    enabled: slug !== undefined,
  });
  const found = useQuery({
    ...searchQuery(query, slug),
    enabled: query !== '',
    placeholderData: keepPreviousData,
  });
  const at = slug === undefined ? undefined : project;
  const isEmpty = query === '';
  const actions = { name: 'Actions', items: matching(actionsFor(at), query) };
  const pages = { name: 'Pages', items: matching(pagesFor(user, at), query) };
  // Enter must not open what former letters found, and these do not.
  const fitting = ({ name, items }: Group): Group => ({
    name,
    items: found.isPlaceholderData ? matching(items, query) : items,
  });
  const groups: Group[] = (
    isEmpty
      ? [
          {
            name: 'Recent',
            items: recent
              .filter(({ href }) => href !== window.location.pathname)
              .map(({ href, title }) => ({ href, label: title, icon: Clock })),
          },
          actions,
          pages,
        ]
      : [...(found.data ? foundGroups(found.data).map(fitting) : []), actions, pages]
  ).filter(({ items }) => items.length > 0);

  return (
    <Autocomplete.Root
      open
      inline
      mode="none"
      items={groups}
      itemToStringValue={({ label }: Destination) => label}
      value={typed}
      onValueChange={(value, { reason }) => {
        // A choice leads away, and is not text.
        if (reason !== 'item-press') setTyped(value);
      }}
      autoHighlight="always"
      keepHighlight
    >
      <div className="flex items-center gap-2.5 border-line border-b pr-2 pl-4">
        {found.isFetching ? (
          <LoaderCircle className="size-4 shrink-0 animate-spin text-muted" />
        ) : (
          <Search className="size-4 shrink-0 text-muted" />
        )}
        <Autocomplete.Input
          aria-label="Search projects, deploys, domains, people and pages"
          placeholder="Search or jump to …"
          maxLength={200}
          spellCheck={false}
          // At once, and not a moment after the dialog: whoever presses Ctrl+K types on.
          autoFocus
          className="h-12 w-full min-w-0 bg-transparent text-ink outline-none placeholder:text-muted"
        />
        <Dialog.Close
          aria-label="Close"
          className="grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-subtle hover:text-ink"
        >
          <X className="size-4" />
        </Dialog.Close>
      </div>
      <div className="min-h-0 overflow-y-auto overscroll-contain p-1.5">
        {found.isError && !isEmpty && (
          <p role="alert" className="px-2.5 py-2 text-negative">
            {messageOf(found.error)}
          </p>
        )}
        <Autocomplete.Status className="sr-only">
          {isEmpty || found.isFetching ? '' : resultsInWords(groups)}
        </Autocomplete.Status>
        <Autocomplete.Empty className="empty:hidden">
          {!found.isFetching && !found.isError && (
            <p className="wrap-anywhere px-2.5 py-8 text-center text-muted">
              Nothing was found for “{query}”.
            </p>
          )}
        </Autocomplete.Empty>
        <Autocomplete.List>
          {(group: Group) => (
            <Autocomplete.Group key={group.name} items={group.items} className="not-last:mb-2">
              <Autocomplete.GroupLabel className="px-2.5 py-1 font-medium text-muted text-xs">
                {group.name}
              </Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(item: Destination) => (
                  <Option
                    key={`${item.href} ${item.label}`}
                    item={item}
                    onChoose={() => {
                      close();
                      history.push(item.href);
                    }}
                  />
                )}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
      </div>
    </Autocomplete.Root>
  );
}

function Option({ item, onChoose }: { readonly item: Destination; readonly onChoose: () => void }) {
  const { label, note, icon: Icon } = item;
  return (
    <Autocomplete.Item
      value={item}
      onClick={onChoose}
      className="group flex min-h-10 cursor-default select-none scroll-my-8 items-center gap-3 rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-subtle"
    >
      <Icon className="size-4 shrink-0 text-muted" />
      <span className="min-w-0 flex-1 truncate">{label}</span>
      {note !== undefined && (
        <span className="max-w-[45%] shrink-0 truncate text-[0.8125rem] text-muted">{note}</span>
      )}
      <CornerDownLeft className="size-3.5 shrink-0 text-muted opacity-0 group-data-highlighted:opacity-100 max-sm:hidden" />
    </Autocomplete.Item>
  );
}

function resultsInWords(groups: readonly Group[]): string {
  const number = groups.reduce((sum, { items }) => sum + items.length, 0);
  return number === 1 ? '1 result' : `${number} results`;
}
